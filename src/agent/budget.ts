/** How many model requests one turn may make. */

export class StepBudget {
  readonly max: number;
  #used = 0;

  constructor(max: number) {
    this.max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes one step; false when none is left. */
  take(): boolean {
    if (this.#used >= this.max) return false;
    this.#used += 1;
    return true;
  }

  /** Gives one step back, for a request that did not move the work on by itself. */
  refund(): void {
    this.#used = Math.max(0, this.#used - 1);
  }
}
