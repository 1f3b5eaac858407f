/** Shows something in a chat no more often than its pace allows: what is asked for meanwhile is shown together. */
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { Lane } from './lane.ts';

export interface PacedOptions {
  readonly lane: Lane;
  readonly clock: AdapterClock;
  readonly signal: AbortSignal;
  /** Shows what there is; returns how long the next time has to wait, in milliseconds. */
  readonly show: () => Promise<number>;
}

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
      const wait = this.#nextAt - clock.now();
      if (wait > 0) await clock.sleep(wait, signal);
    } catch {
      // Nothing is shown any more.
      return;
    }
    lane.add(async () => {
      this.#waiting = false;
      const pause = await show();
      this.#nextAt = clock.now() + pause;
    });
  }
}
