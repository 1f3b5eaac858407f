/** Asks a login service again and again, as slowly as it wants, until the person has agreed or declined. */
import { UserError } from '../../lib/errors.ts';
import { type Grantor, loginHint } from './grants.ts';
import { ServiceError } from './service-error.ts';

export interface Polling<Result> {
  readonly intervalMs: number;
  /** Milliseconds since 1970 after which nobody waits any more. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Must throw `ServiceError` with the code `authorization_pending` while there is no answer. */
  readonly ask: () => Promise<Result>;
}

/** What `ask` gives in the end. Throws `UserError`, or the signal's reason when it aborts. */
export async function pollUntilGranted<Result>(
  who: Pick<Grantor, 'wire' | 'provider'>,
  { intervalMs, deadline, signal, ask }: Polling<Result>,
): Promise<Result> {
  const { wire } = who;
  let interval = Math.min(Math.max(intervalMs, minMs), maxMs);
  let failures = 0;
  while (wire.now() + interval <= deadline) {
    await wire.wait(interval, signal);
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === 'authorization_pending') {
        failures = 0;
        continue;
      }
      if (error.code === 'access_denied' || error.code === 'authorization_denied') throw declined(who);
      if (error.code === 'expired_token') break;
      if (error.code === 'slow_down') {
        interval = Math.min(interval + 5000, maxMs);
        continue;
      }
      failures += 1;
      if (!error.passing || failures > maxFailures) throw error;
      interval = Math.min(interval * 2, maxMs);
    }
  }
  throw new UserError(`${wire.service}: the login was not confirmed in time.`, tryAgain(who));
}

export function declined(who: Pick<Grantor, 'wire' | 'provider'>): UserError {
  return new UserError(`${who.wire.service}: the login was declined.`, tryAgain(who));
}

const minMs = 1000;
const maxMs = 60_000;
/** In a row; a service that is down for longer is not coming back while somebody watches. */
const maxFailures = 5;

function tryAgain({ provider }: Pick<Grantor, 'provider'>): { hint: string } {
  return { hint: loginHint(provider) };
}
