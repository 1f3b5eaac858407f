/** How long is waited for a server, and before it is tried again. */

/** All in milliseconds. */
export interface ServerWaits {
  /** Before each try after a lost connection. */
  readonly retry: readonly number[];
  /** Between two looks at a server that was given up. */
  readonly revive: number;
  /** A connection that held so long counts as one that works. */
  readonly steady: number;
  /** How long a call waits for a server that is lost, and for one that rests. */
  readonly call: number;
  readonly wake: number;
  /** Between two looks at a list that is said to change all the time. */
  readonly relist: number;
}

export const usualWaits: ServerWaits = {
  retry: [1000, 2000, 4000, 8000, 16_000],
  revive: 300_000,
  steady: 30_000,
  call: 5000,
  wake: 15_000,
  relist: 2000,
};

/** How often a first connection is tried again, after the first of the waits. */
export const firstRetries = 3;
