/** Asks Telegram for what has arrived, again and again. */
import { errorMessage } from '../../../lib/errors.ts';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { PlatformError } from '../../platform/platform-error.ts';
import type { TelegramApi } from './api.ts';
import { ApiError, isWrongToken, wrongToken } from './errors.ts';
import { allowedUpdates, chatOf, type Update, updates as updatesSchema } from './wire.ts';

export interface PollingOptions {
  readonly api: TelegramApi;
  readonly host: Pick<AdapterHost, 'clock' | 'log'>;
  /** Rejects when it could not be kept: it is delivered again then. */
  readonly handle: (update: unknown) => Promise<void>;
  readonly signal: AbortSignal;
  /** Beyond the time that Telegram is asked to wait. */
  readonly deadlineMs: number;
}

/** Telegram answers after this time when nothing has arrived. */
const waitSeconds = 30;
const batch = 100;
const lastConfirmMs = 1000;

const firstPauseMs = 5000;
const longestPauseMs = 60_000;
const mostFailures = 10;
const mostConflicts = 5;
const firstRefusalPauseMs = 1000;
const longestRefusalPauseMs = 30_000;

/**
 * Until the signal aborts. An update counts as received only when the next request names a later one, which it does once
 * `handle` has resolved. Throws `PlatformError` when it gives up.
 */
export async function poll(options: PollingOptions): Promise<void> {
  const { signal, host } = options;
  const state: State = { offset: undefined, confirmed: true, failures: 0, conflicts: 0, refusals: 0 };
  while (!signal.aborted) {
    try {
      const pauseMs = await round(options, state);
      if (pauseMs > 0) await host.clock.sleep(pauseMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  await confirm(options, state);
}

interface State {
  /** The first update that is still wanted; undefined means the oldest that Telegram has. */
  offset: number | undefined;
  /** Telegram knows the offset. */
  confirmed: boolean;
  failures: number;
  conflicts: number;
  /** Updates that could not be kept, one after the other. */
  refusals: number;
}

/** One request and what came of it; how long to wait until the next. */
async function round(options: PollingOptions, state: State): Promise<number> {
  const { api, signal, host } = options;
  let received: readonly Update[];
  try {
    received = await api.call(
      'getUpdates',
      { ...offsetOf(state), limit: batch, timeout: waitSeconds, allowed_updates: [...allowedUpdates] },
      updatesSchema,
      { signal, deadlineMs: waitSeconds * 1000 + options.deadlineMs },
    );
  } catch (error) {
    signal.throwIfAborted();
    return pauseAfter(error, state, host);
  }
  state.confirmed = true;
  state.failures = 0;
  state.conflicts = 0;
  const failure = await handleAll(received, options, state);
  signal.throwIfAborted();
  if (failure === undefined) return 0;
  state.refusals += 1;
  host.log.error('a message could not be kept, and Telegram is asked for it again', failure.cause);
  return Math.min(longestRefusalPauseMs, firstRefusalPauseMs * 2 ** (state.refusals - 1));
}

/**
 * One after the other for each chat, and the chats beside each other. Behind one that could not be kept nothing of its
 * chat is tried, and it is where Telegram goes on; what was kept of other chats comes twice then, which is known by its id.
 */
async function handleAll(
  received: readonly Update[],
  { handle, signal }: PollingOptions,
  state: State,
): Promise<{ readonly cause: unknown } | undefined> {
  const lanes = new Map<string, Promise<void>>();
  const turns = received.map((update) => {
    const lane = chatOf(update);
    const turn = (lanes.get(lane) ?? Promise.resolve()).then(() => {
      signal.throwIfAborted();
      return handle(update);
    });
    lanes.set(lane, turn);
    return turn;
  });
  for (const [index, outcome] of (await Promise.allSettled(turns)).entries()) {
    if (outcome.status === 'rejected') return { cause: outcome.reason };
    state.refusals = 0;
    state.offset = (received[index]?.update_id ?? 0) + 1;
    state.confirmed = false;
  }
  return undefined;
}

function pauseAfter(error: unknown, state: State, { clock, log }: PollingOptions['host']): number {
  if (isWrongToken(error)) throw wrongToken(error);
  if (error instanceof ApiError && error.status === 409) {
    state.conflicts += 1;
    if (state.conflicts > mostConflicts) throw conflict(error);
    log.warning(`something else reads the messages of this bot (${state.conflicts} of ${mostConflicts})`, error);
    return 10_000 + 10_000 * state.conflicts;
  }
  state.failures += 1;
  if (state.failures > mostFailures) throw unreachable(error);
  log.warning(`Telegram was not reached (${state.failures} of ${mostFailures}): ${errorMessage(error)}`);
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (state.failures - 1));
  // Not all bots of a machine at one moment.
  return pauseMs + Math.round(clock.random() * 500);
}

/** So that the next start is not told again what this one has. Nothing is lost when it fails. */
async function confirm({ api, host }: PollingOptions, state: State): Promise<void> {
  if (state.confirmed || state.failures > 0) return;
  try {
    const signal = AbortSignal.timeout(lastConfirmMs);
    await api.call('getUpdates', { ...offsetOf(state), limit: 1, timeout: 0 }, updatesSchema, { signal });
  } catch (error) {
    host.log.debug('the last messages may be delivered again at the next start', error);
  }
}

function offsetOf({ offset }: State): { readonly offset?: number } {
  return offset === undefined ? {} : { offset };
}

function conflict(cause: unknown): PlatformError {
  const message =
    'Another program reads the messages of this Telegram bot. Stop it, or give it a bot of its own, and start the gateway again.';
  return new PlatformError('telegram_polling_conflict', message, { retryable: false, cause });
}

function unreachable(cause: unknown): PlatformError {
  const message = `Telegram could not be reached ${mostFailures + 1} times in a row: ${errorMessage(cause)}.`;
  return new PlatformError('telegram_network_error', message, { retryable: true, cause });
}
