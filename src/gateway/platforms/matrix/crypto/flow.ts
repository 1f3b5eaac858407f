/** One comparison of two devices, as the library of encryption runs it. https://spec.matrix.org/latest/client-server-api/#short-authentication-string-sas-verification */
import type * as Library from '@matrix-org/matrix-sdk-crypto-wasm';

/**
 * - `begun`: there is nothing to compare yet
 * - `compare`: both sides see these signs, or somebody is between them
 * - `agreed`: we have said that they are the same; the other side has not yet
 * - `off`: `code` says why. https://spec.matrix.org/latest/client-server-api/#mkeyverificationcancel
 */
export type Step =
  | { readonly as: 'begun' | 'agreed' | 'done' }
  | { readonly as: 'compare'; readonly signs: string }
  | { readonly as: 'off'; readonly code: string; readonly byUs: boolean };

export interface FlowOptions {
  readonly library: typeof Library;
  readonly request: Library.VerificationRequest;
  /** What the library has to say to the other side, and to the homeserver. */
  readonly send: (requests: readonly Library.OutgoingRequest[], signal: AbortSignal) => Promise<void>;
  /** One conversation with the store at a time. */
  readonly inTurn: <T>(body: () => Promise<T>) => Promise<T>;
}

export class Flow {
  readonly #options: FlowOptions;
  /** The request forgets it at the end. */
  #sas: Library.Sas | undefined;

  constructor(options: FlowOptions) {
    this.#options = options;
  }

  get roomId(): string | undefined {
    return this.#options.request.roomId?.toString();
  }

  /** The device of the other side, once it is known. */
  get deviceId(): string | undefined {
    return (this.#found()?.otherDeviceId ?? this.#options.request.otherDeviceId)?.toString();
  }

  step(): Step {
    const { request } = this.#options;
    const sas = this.#found();
    if (request.isDone() || sas?.isDone() === true) return { as: 'done' };
    if (request.isCancelled() || sas?.isCancelled() === true) {
      const info = sas?.cancelInfo() ?? request.cancelInfo;
      return { as: 'off', code: info?.cancelCode() ?? 'm.unknown', byUs: info?.cancelledbyUs() ?? false };
    }
    if (request.isPassive()) return { as: 'off', code: 'm.accepted', byUs: false };
    if (sas?.haveWeConfirmed() === true) return { as: 'agreed' };
    return sas?.canBePresented() === true ? { as: 'compare', signs: signsOf(sas) } : { as: 'begun' };
  }

  /** Says that we are ready to compare, in the one way that needs no camera. */
  async accept(signal: AbortSignal): Promise<void> {
    const { request, library, send } = this.#options;
    await send(given(request.acceptWithMethods([library.VerificationMethod.SasV1])), signal);
  }

  /** Answers the first step of the other side, where it has made it. */
  async go(signal: AbortSignal): Promise<void> {
    await this.#options.send(given(this.#found()?.accept()), signal);
  }

  /** The signs are the same. The library holds the other side for verified from then on. */
  async confirm(signal: AbortSignal): Promise<void> {
    const { inTurn, send } = this.#options;
    await send(await inTurn(async () => (await this.#found()?.confirm()) ?? []), signal);
  }

  async cancel(code: string, signal: AbortSignal): Promise<void> {
    const { request, send } = this.#options;
    const sas = this.#found();
    await send(given(sas === undefined ? request.cancel() : sas.cancelWithCode(code)), signal);
  }

  #found(): Library.Sas | undefined {
    const { library, request } = this.#options;
    if (this.#sas !== undefined) return this.#sas;
    const found = request.getVerification();
    if (found instanceof library.Sas) this.#sas = found;
    return this.#sas;
  }
}

function given<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

function signsOf(sas: Library.Sas): string {
  const emoji = sas.supportsEmoji() ? sas.emoji() : undefined;
  return (
    emoji?.map(({ symbol, description }) => `${symbol} ${description}`).join(', ') ??
    [...(sas.decimals() ?? [])].join(' ')
  );
}
