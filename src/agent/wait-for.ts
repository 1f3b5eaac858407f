/** Waits for what others do, and not for ever. */
import type { Clock } from './clock.ts';

/** How long work may take to settle after an interrupt before it is given up. */
const interruptGraceMs = 1_500;

export interface Patience {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** What it gets to settle after an interrupt; default: a second and a half. */
  readonly graceMs?: number | undefined;
  /** Absent: until it settles, or until shortly after the interrupt. */
  readonly deadlineMs?: number;
}

export type Waited<T> = { readonly value: T } | { readonly givenUp: 'interrupted' | 'deadline' };

/** Rejects when the work does in time; what becomes of it after it was given up is nobody's concern. */
export async function waitFor<T>(
  work: Promise<T>,
  { signal, clock, deadlineMs, graceMs = interruptGraceMs }: Patience,
): Promise<Waited<T>> {
  const done = new AbortController();
  const interrupted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: done.signal });
  });
  const givenUp = async (ms: number, why: 'interrupted' | 'deadline'): Promise<Waited<T>> => {
    await clock.sleep(ms, done.signal);
    return { givenUp: why };
  };
  const waits = [work.then((value) => ({ value })), interrupted.then(() => givenUp(graceMs, 'interrupted'))];
  if (deadlineMs !== undefined) waits.push(givenUp(deadlineMs, 'deadline'));
  try {
    return await Promise.race(waits);
  } finally {
    done.abort();
  }
}
