/** Tokens of a cloud: one request at a time, kept until shortly before they expire, never waited for too long. */
import { errorCode, errorMessage } from '../../lib/errors.ts';
import { maskKeys } from '../../llm/mask.ts';
import { ModelError, type ModelErrorKind } from '../../llm/model-error.ts';

export interface CloudToken {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** What a request to a model is sent with. */
export type Authorize = (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;

/** A token is not used any more when it expires within this time: the request may take a while to begin. */
const marginMs = 5 * 60_000;
/** The longest that a login service is waited for. */
export const tokenDeadlineMs = 30_000;

/**
 * Bearer headers from a token that is asked for when there is none, or it is about to expire. Requests that need one
 * at the same time share one; the first that gives up does not take it away from the others.
 */
export function bearerFrom(
  askToken: (deadline: AbortSignal) => Promise<CloudToken>,
  now: () => number = Date.now,
): Authorize {
  let token: CloudToken | undefined;
  let asking: Promise<CloudToken> | undefined;
  return async (signal) => {
    if (token === undefined || token.expiresAtMs - marginMs <= now()) {
      asking ??= askToken(AbortSignal.timeout(tokenDeadlineMs)).finally(() => {
        asking = undefined;
      });
      token = await unlessAborted(asking, signal);
    }
    return { authorization: `Bearer ${token.value}` };
  };
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
  const line = maskKeys(`${what}: ${errorMessage(cause)}`)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const short = line.length <= 300 ? line : `${line.slice(0, 299).toWellFormed()}…`;
  return new ModelError(kind ?? kindOf(cause), short, { cause });
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
