/** When a credential rests after a failure, and for how long. */
import type { Outcome } from './credential.ts';
import { type PoolEntry, toMillis } from './pool-entry.ts';

type Failure = Extract<Outcome, { kind: 'failed' }>;

/**
 * What a failure says about the credential: `fine` (the request or the provider is at fault), `slow_down` (once more,
 * then rest), `exhausted` (rest at once), `rejected` (it is not accepted).
 */
export type Verdict = 'fine' | 'slow_down' | 'exhausted' | 'rejected';

/** Malformed requests, missing models, overloaded servers and broken connections say nothing about a credential. */
export function verdictOn({ status, exhausted }: Failure): Verdict {
  if (exhausted || status === 402) return 'exhausted';
  if (status === 429) return 'slow_down';
  return status === 401 || status === 403 ? 'rejected' : 'fine';
}

const hour = 3_600_000;
const day = 24 * hour;
/** No provider means more than this; a wrong header must not bench a key for good. */
const maxRest = 7 * day;

/** Milliseconds of rest: a day without money, else what the provider asks for, else an hour. */
export function restAfter({ status, exhausted, retryAfterMs }: Failure): number {
  if (status === 402 || (exhausted && status !== 429)) return day;
  return Math.min(Math.max(retryAfterMs ?? hour, 0), maxRest);
}

/** Milliseconds since the epoch until which the credential rests; undefined when it does not. */
export function restsUntil(entry: PoolEntry): number | undefined {
  if (entry.last_status !== 'exhausted') return undefined;
  const resetAt = toMillis(entry.last_error_reset_at);
  if (resetAt !== undefined) return resetAt;
  const since = toMillis(entry.last_status_at);
  return since === undefined ? undefined : since + usualRest(entry.last_error_code ?? 0);
}

/** For entries of other programs, which leave it to the reader. */
function usualRest(code: number): number {
  if (code === 402) return day;
  return code === 401 ? 5 * 60_000 : hour;
}

export const dead = 'dead';

/** True when only a new login helps. */
export function isDead(entry: PoolEntry): boolean {
  return entry.last_status === dead;
}

/** The fields of an entry about which nothing bad is known. */
export const healthyStatus = {
  last_status: 'ok',
  last_status_at: null,
  last_error_code: null,
  last_error_reason: null,
  last_error_message: null,
  last_error_reset_at: null,
} as const;
