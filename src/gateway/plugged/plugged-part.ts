/** A part of the code of a plug-in, such as its adapter: each call has a deadline. */
import { errorMessage } from '../../lib/errors.ts';
import { withDeadline } from '../../plugins/deadline.ts';
import { isCallable } from '../../plugins/packages/values.ts';
import type { SendResult } from '../platform/send-result.ts';
import { oneLine } from './plugged-error.ts';
import { readSent } from './send-answer.ts';

const sendMs = 60_000;

/** An object of a plug-in's, of which one method at a time is called. */
export class PluggedPart {
  readonly #given: object;
  readonly #label: string;

  constructor(given: unknown, label: string) {
    if (typeof given !== 'object' || given === null) throw new TypeError(`the adapter of ${label} is no object`);
    this.#given = given;
    this.#label = label;
  }

  field(name: string): unknown {
    return Reflect.get(this.#given, name);
  }

  can(method: string): boolean {
    return isCallable(this.field(method));
  }

  /** Undefined where there is none. */
  part(name: string): PluggedPart | undefined {
    const given = this.field(name);
    return typeof given === 'object' && given !== null ? new PluggedPart(given, this.#label) : undefined;
  }

  /** What it gives at once; undefined where it throws. */
  now(method: string, given: readonly unknown[]): unknown {
    try {
      return this.#call(method, given);
    } catch {
      return undefined;
    }
  }

  /** The signal stands behind what is given. Rejects with what it throws, and when it takes too long. */
  async ask(
    method: string,
    given: readonly unknown[],
    signal: AbortSignal | undefined,
    deadlineMs: number,
  ): Promise<unknown> {
    return await withDeadline(
      deadlineMs,
      async (ended) => await this.#call(method, [...given, ended]),
      signal === undefined ? {} : { signal },
    );
  }

  /** As `ask`, with the signal of who asks: what it begins goes on behind it. */
  async begin(method: string, given: readonly unknown[], signal: AbortSignal, deadlineMs: number): Promise<unknown> {
    return await withDeadline(deadlineMs, async () => await this.#call(method, [...given, signal]), { signal });
  }

  /** Never rejects: what it throws is not tried again, what takes too long may have arrived. */
  async send(method: string, given: readonly unknown[], signal: AbortSignal): Promise<SendResult> {
    const deadline = AbortSignal.timeout(sendMs);
    const within = AbortSignal.any([signal, deadline]);
    try {
      return readSent(
        await withDeadline(sendMs + 1000, async () => await this.#call(method, [...given, within]), { signal: within }),
      );
    } catch (error) {
      const cut = within.aborted ? ({ mayHaveArrived: true } as const) : {};
      return { ok: false, kind: 'unknown', error: `${this.#label}: ${oneLine(errorMessage(error))}`, ...cut };
    }
  }

  #call(method: string, given: readonly unknown[]): unknown {
    const found = this.field(method);
    if (!isCallable(found)) throw new Error(`it has no ${method}`);
    return Reflect.apply(found, this.#given, [...given]);
  }
}
