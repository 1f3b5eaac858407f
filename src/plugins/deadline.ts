/** Waits for code of a plug-in, but not for ever. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface DeadlineOptions {
  /** Who waits gives up. */
  readonly signal?: AbortSignal;
  /** What the code itself waits for, such as a person, is not its fault: the time begins anew behind it. */
  readonly held?: (() => Promise<unknown> | undefined) | undefined;
}

/**
 * What `work` gives; rejects when it has not ended after `ms`, or when `signal` aborts. The signal that it is given aborts
 * when nobody waits any more. It keeps the process going: code that hangs may be all that it waits for, and then it would
 * end without a word, and as if all were well.
 */
export async function withDeadline<T>(
  ms: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  { signal, held }: DeadlineOptions = {},
): Promise<T> {
  const stop = new AbortController();
  const ended = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  const late = untilLate(ms, ended, held).then(
    () => Promise.reject(new Error(`no answer within ${ms / 1000} s`)),
    () => Promise.reject(new Error('nobody waits for it any more')),
  );
  // Whichever comes second has nobody who waits for it.
  late.catch(() => undefined);
  try {
    return await Promise.race([Promise.resolve().then(() => work(ended)), late]);
  } finally {
    stop.abort();
  }
}

async function untilLate(ms: number, signal: AbortSignal, held: DeadlineOptions['held']): Promise<void> {
  for (;;) {
    await sleep(ms, undefined, { signal });
    const waits = held?.();
    if (waits === undefined) return;
    await waits;
  }
}
