/** How many threads a model in this process computes with. */

export interface Cores {
  /** Cores that this process may use: affinity and a container's quota count. */
  readonly usable: number;
  /** Cores of the whole machine. */
  readonly all: number;
  /** Threads that want to run on the machine, averaged over a minute; 0 where the system does not say. */
  readonly busy: number;
}

/**
 * As many as there are cores to be had, at least one. Every step of llama.cpp waits for its slowest thread: on two cores
 * with other work 16 tokens took 0.7 s with one thread, and 20 s with two.
 */
export function usableThreads({ usable, all, busy }: Cores): number {
  return Math.max(1, Math.min(usable, Math.round(all - busy)));
}
