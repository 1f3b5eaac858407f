/** Keeps calls from a server that fails again and again. */

const failuresToOpen = 3;
const openMs = 60_000;

export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #openedAt: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many calls failed in a row, while it is open; undefined: calls may go. After a minute one may try. */
  get failures(): number | undefined {
    if (this.#openedAt === undefined || this.#now() - this.#openedAt >= openMs) return undefined;
    return this.#failures;
  }

  /** Seconds until one may try again. */
  get secondsLeft(): number {
    return this.#openedAt === undefined ? 0 : Math.ceil((this.#openedAt + openMs - this.#now()) / 1000);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openedAt = undefined;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures >= failuresToOpen) this.#openedAt = this.#now();
  }
}
