/** How many threads a model in this process computes with. */
import { cpus, loadavg } from 'node:os';

export interface Cores {
  /** Cores that this process may use: affinity and a container's quota count. */
  readonly usable: number;
  /** Cores of the whole machine. */
  readonly all: number;
  /** Cores' worth of other work on the machine. */
  readonly busy: number;
}

/**
 * As many as there are cores to be had, at least one. Every step of llama.cpp waits for its slowest thread: on two cores
 * with other work 16 tokens took 0.7 s with one thread, and 20 s with two.
 */
export function usableThreads({ usable, all, busy }: Cores): number {
  return Math.max(1, Math.min(usable, Math.round(all - busy)));
}

/** Milliseconds since some moment, each. */
export interface Times {
  readonly clock: number;
  /** Spent computing by all programs on all cores. */
  readonly everybody: number;
  /** Spent computing by this process. */
  readonly own: number;
}

/** The system counts in steps of 10 ms; a shorter time says nothing. */
const minWatchedMs = 100;

/**
 * Begins to watch the machine; the answer is how many cores other programs have kept busy since. The system's own mean
 * of a minute would count what ended before this program began, and this program itself.
 */
export function watchOtherWork(read: () => Times = readTimes, mean: () => number = meanLoad): () => number {
  const begun = read();
  return () => {
    const now = read();
    const elapsed = now.clock - begun.clock;
    if (elapsed < minWatchedMs) return mean();
    return Math.max(0, (now.everybody - begun.everybody - (now.own - begun.own)) / elapsed);
  };
}

function readTimes(): Times {
  const { user, system } = process.cpuUsage();
  const spent = cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq);
  return {
    clock: performance.now(),
    everybody: spent.reduce((sum, each) => sum + each, 0),
    own: (user + system) / 1000,
  };
}

/** Of the last minute; 0 where the system does not say. */
function meanLoad(): number {
  return loadavg()[0] ?? 0;
}
