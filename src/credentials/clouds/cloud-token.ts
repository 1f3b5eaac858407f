/** Tokens of a cloud: one request at a time, kept until shortly before they expire, never waited for too long. */
import { errorCode, errorMessage } from '../../lib/errors.ts';
import type { Authorizer } from '../../llm/authorizer.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { ModelError, type ModelErrorKind } from '../../llm/model-error.ts';

export interface CloudToken {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** A token is not used any more when it expires within this time: the request may take a while to begin. */
const marginMs = 5 * 60_000;
/** How long a login service is waited for. */
export const tokenDeadlineMs = 30_000;

/**
 * Bearer headers (RFC 6750) from a token that is asked for when there is none, or it is about to expire. Requests that
 * need one at the same time share one; the first that gives up does not take it away from the others.
 */
export class BearerAuthorizer implements Authorizer {
  readonly #askToken: (deadline: AbortSignal) => Promise<CloudToken>;
  readonly #now: () => number;
  #token: CloudToken | undefined;
  #asking: Promise<CloudToken> | undefined;

  constructor(askToken: (deadline: AbortSignal) => Promise<CloudToken>, now: () => number = Date.now) {
    this.#askToken = askToken;
    this.#now = now;
  }

  async headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    if (this.#token === undefined || this.#token.expiresAtMs - marginMs <= this.#now()) {
      this.#asking ??= this.#askToken(AbortSignal.timeout(tokenDeadlineMs)).finally(() => {
        this.#asking = undefined;
      });
      this.#token = await unlessAborted(this.#asking, signal);
    }
    return { authorization: `Bearer ${this.#token.value}` };
  }

  get secrets(): readonly string[] {
    return this.#token === undefined ? [] : [this.#token.value];
  }
}

/** Waits for `work`, or until the caller gives up. Throws `ModelError` of kind `aborted` then. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new ModelError('aborted', 'interrupted while logging in to the cloud'));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  // Whoever loses the race may still fail, when nobody listens any more.
  work.catch(() => undefined);
  promise.catch(() => undefined);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** A failed login in one line; trouble on the way is told from a refusal, since it may pass. */
export function loginFailure(what: string, cause: unknown, kind?: ModelErrorKind): ModelError {
  if (cause instanceof ModelError) return cause;
  const line = maskKeys(`${what}: ${reasonOf(cause)}`)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const short = line.length <= 300 ? line : `${line.slice(0, 299).toWellFormed()}…`;
  return new ModelError(kind ?? kindOf(cause), short, { cause });
}

/** "fetch failed" says nothing: the code of what failed stands behind it. */
function reasonOf(cause: unknown): string {
  const message = errorMessage(cause);
  for (let error = cause, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    const code = errorCode(error) ?? '';
    if (networkCodes.test(code)) return message.includes(code) ? message : `${message} (${code})`;
  }
  return message;
}

const networkCodes = /^(?:ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|UND_ERR_\w+)$/;

function kindOf(cause: unknown): ModelErrorKind {
  for (let error = cause, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1) {
    if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout';
    if (networkCodes.test(errorCode(error) ?? '')) return 'network';
    if ('status' in error && typeof error.status === 'number' && error.status >= 500) return 'network';
  }
  return 'auth';
}
