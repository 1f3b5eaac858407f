/** How many model requests one turn may make. */

export interface StepBudget {
  readonly max: number;
  readonly used: number;
  /** Takes one step; false when none is left. */
  take(): boolean;
  /** Gives one step back, for a request that did not move the work on by itself. */
  refund(): void;
}

export function createBudget(max: number): StepBudget {
  let used = 0;
  return {
    max,
    get used() {
      return used;
    },
    take() {
      if (used >= max) return false;
      used += 1;
      return true;
    },
    refund() {
      used = Math.max(0, used - 1);
    },
  };
}
