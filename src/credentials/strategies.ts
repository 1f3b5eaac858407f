/** Which of several healthy credentials is used next. */

export const poolStrategies = ['fill_first', 'round_robin', 'least_used', 'random'] as const;

/** `credential_pool_strategies.<provider>` of the configuration. */
export type PoolStrategy = (typeof poolStrategies)[number];

export interface Candidate {
  readonly id: string;
  /** Requests so far, in all processes as far as known. */
  readonly requests: number;
  /** Requests of this process that are under way with it. */
  readonly busy: number;
}

export interface PickState {
  /** The whole pool in order, resting members too. */
  readonly order: readonly string[];
  /** Picked before this one. */
  readonly last: string | undefined;
  /** 0 to 1. */
  random(): number;
}

/** Undefined only for no candidates. Work that runs side by side goes to different credentials while there are enough. */
export function pick<T extends Candidate>(
  strategy: PoolStrategy,
  candidates: readonly T[],
  state: PickState,
): T | undefined {
  const leastBusy = Math.min(...candidates.map(({ busy }) => busy));
  const free = candidates.filter(({ busy }) => busy === leastBusy);
  switch (strategy) {
    case 'fill_first':
      return free[0];
    case 'least_used':
      return leastUsed(free);
    case 'random':
      return free[Math.min(Math.floor(state.random() * free.length), free.length - 1)];
    case 'round_robin':
      return nextInTurn(free, state);
  }
}

/** A process that just started goes on where the others have been least. */
function nextInTurn<T extends Candidate>(free: readonly T[], { order, last }: PickState): T | undefined {
  const at = last === undefined ? -1 : order.indexOf(last);
  if (at < 0) return leastUsed(free);
  const turn = [...order.slice(at + 1), ...order.slice(0, at + 1)];
  return free.toSorted((one, other) => turn.indexOf(one.id) - turn.indexOf(other.id))[0];
}

function leastUsed<T extends Candidate>(free: readonly T[]): T | undefined {
  return free.toSorted((one, other) => one.requests - other.requests)[0];
}
