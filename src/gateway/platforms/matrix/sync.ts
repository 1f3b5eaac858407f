/** Asks the homeserver for what has happened, again and again. https://spec.matrix.org/latest/client-server-api/#syncing */
import { errorMessage } from '../../../lib/errors.ts';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { PlatformError } from '../../platform/platform-error.ts';
import type { MatrixApi } from './api.ts';
import { ApiError, isLoggedOut, loggedOut, wrongToken } from './errors.ts';
import * as wire from './wire.ts';

export interface SyncOptions {
  readonly api: MatrixApi;
  readonly host: Pick<AdapterHost, 'clock' | 'log'>;
  /** Undefined: from now on. */
  readonly since: string | undefined;
  /** Rejects when something could not be kept: then it is asked for again. `since` is where the answer begins. */
  readonly handle: (answer: wire.SyncAnswer, since: string | undefined) => Promise<void>;
  /** Written down when everything before it is safe. */
  readonly save: (since: string) => Promise<void>;
  /** True where a login that ended can be made anew. */
  readonly canLogIn: boolean;
  readonly signal: AbortSignal;
}

/** The homeserver answers after this time when nothing has happened. */
const waitMs = 30_000;
const firstPauseMs = 2000;
const longestPauseMs = 60_000;
const mostFailures = 10;

const filter = JSON.stringify({
  presence: { types: [] },
  room: { timeline: { limit: 50 }, state: { lazy_load_members: true }, ephemeral: { types: [] } },
});

/** Until the signal aborts. Throws `PlatformError` when it gives up. */
export async function syncForever(options: SyncOptions): Promise<void> {
  const { signal, host } = options;
  const state: State = { since: options.since, failures: 0, refusals: 0, first: true };
  while (!signal.aborted) {
    try {
      const pauseMs = await round(options, state);
      if (pauseMs > 0) await host.clock.sleep(pauseMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

interface State {
  since: string | undefined;
  failures: number;
  /** Answers that could not be kept, one after the other. */
  refusals: number;
  first: boolean;
}

async function round(options: SyncOptions, state: State): Promise<number> {
  const { api, signal, host } = options;
  let answer: wire.SyncAnswer;
  try {
    const timeout = state.first ? 0 : waitMs;
    const query = { filter, timeout: String(timeout), since: state.since };
    // A first answer may take long to make.
    const deadlineMs = state.since === undefined ? 180_000 : timeout + 30_000;
    answer = await api.call('GET', '/client/v3/sync', wire.sync, { signal, query, deadlineMs });
  } catch (error) {
    signal.throwIfAborted();
    return pauseAfter(error, state, options);
  }
  state.failures = 0;
  try {
    await options.handle(answer, state.since);
    signal.throwIfAborted();
    await options.save(answer.next_batch);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PlatformError) throw error;
    state.refusals += 1;
    host.log.error('messages could not be kept, and the homeserver is asked for them again', error);
    return backoff(state.refusals, host);
  }
  state.refusals = 0;
  state.first = false;
  state.since = answer.next_batch;
  return 0;
}

function pauseAfter(error: unknown, state: State, { host, canLogIn }: SyncOptions): number {
  if (isLoggedOut(error)) throw canLogIn ? loggedOut(error) : wrongToken(error);
  state.failures += 1;
  if (state.failures > mostFailures) throw unreachable(error);
  host.log.warning(`the homeserver was not reached (${state.failures} of ${mostFailures}): ${errorMessage(error)}`);
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  return backoff(state.failures, host);
}

function backoff(times: number, { clock }: SyncOptions['host']): number {
  // Not all bots of a machine at one moment.
  return Math.min(longestPauseMs, firstPauseMs * 2 ** (times - 1)) + Math.round(clock.random() * 500);
}

function unreachable(cause: unknown): PlatformError {
  const message = `The homeserver could not be reached ${mostFailures + 1} times in a row: ${errorMessage(cause)}.`;
  return new PlatformError('matrix_sync_error', message, { retryable: true, cause });
}
