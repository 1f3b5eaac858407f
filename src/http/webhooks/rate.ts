/** How often something happened within the last minute. */
const windowMs = 60_000;

/** So many names are told apart; of more, the ones that were not seen for longest are forgotten. */
const maxNames = 10_000;

export class MinuteRate {
  readonly #now: () => number;
  readonly #times = new Map<string, number[]>();

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts it; false, and not counted, when that would be more than `most`. */
  take(name: string, most: number): boolean {
    const now = this.#now();
    // What lies ahead was counted before the clock was put back, and would count until it is caught up.
    const times = (this.#times.get(name) ?? []).filter((time) => time <= now && now - time < windowMs);
    const fits = times.length < most;
    if (fits) times.push(now);
    this.#times.delete(name);
    this.#times.set(name, times);
    if (this.#times.size > maxNames) this.#times.delete(this.#times.keys().next().value ?? '');
    return fits;
  }
}
