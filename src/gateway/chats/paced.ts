/** Shows something in a chat no more often than its pace allows: what is asked for meanwhile is shown together. */
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { Lane } from './lane.ts';

export interface PacedOptions {
  readonly lane: Lane;
  readonly clock: AdapterClock;
  readonly signal: AbortSignal;
  readonly show: () => Promise<Shown>;
}

/** What came of showing what there was; times in milliseconds. */
export interface Shown {
  /** How long the next time has to wait. */
  readonly pauseMs: number;
  /** The platform has asked for so much patience, from all that is shown in the chat. */
  readonly quietMs?: number;
}

/** Where the platform does not say how long to wait. */
export const limitedMs = 5000;

export class Paced {
  readonly #options: PacedOptions;
  #waiting = false;
  #nextAt = 0;

  constructor(options: PacedOptions) {
    this.#options = options;
  }

  /** Shows it as soon as the pace allows, unless that is coming already. */
  ask(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    void this.#later();
  }

  async #later(): Promise<void> {
    const { clock, signal, lane, show } = this.#options;
    try {
      const wait = Math.max(this.#nextAt, lane.quietUntil) - clock.now();
      if (wait > 0) await clock.sleep(wait, signal);
    } catch {
      // Nothing is shown any more.
      return;
    }
    lane.add(async () => {
      // Somebody else was asked for patience meanwhile.
      if (clock.now() < lane.quietUntil) return void this.#later();
      this.#waiting = false;
      const { pauseMs, quietMs = 0 } = await show();
      this.#nextAt = clock.now() + pauseMs;
      if (quietMs > 0) lane.quietUntil = clock.now() + quietMs;
    });
  }
}
