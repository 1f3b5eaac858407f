/** Keeps the copy of the routing index that other programs read: a moment after each change, and never all the time. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';

export interface RoutingMirrorOptions {
  /** Writes it whole. */
  readonly write: () => Promise<void>;
  readonly log: Log;
  /** How long changes are gathered, in milliseconds. */
  readonly gatherMs?: number;
}

const usualGatherMs = 2000;
/** Writing takes a hundredth of the time, however large the index is. */
const share = 100;

export class RoutingMirror {
  readonly #options: RoutingMirrorOptions;
  #waiting: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #pauseMs = 0;

  constructor(options: RoutingMirrorOptions) {
    this.#options = options;
  }

  /** Returns at once. */
  changed(): void {
    const { gatherMs = usualGatherMs } = this.#options;
    this.#waiting ??= setTimeout(() => this.#write(), Math.max(gatherMs, this.#pauseMs)).unref();
  }

  /** Writes what was not written yet. */
  async close(): Promise<void> {
    if (this.#waiting !== undefined) this.#write();
    await this.#writing;
  }

  /** It is a copy: that it cannot be written is no reason to stop anything. */
  #write(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#writing = this.#writing.then(async () => {
      const begun = performance.now();
      try {
        await this.#options.write();
      } catch (error) {
        this.#options.log.warning(`sessions.json could not be written: ${errorMessage(error)}`);
      }
      this.#pauseMs = (performance.now() - begun) * share;
    });
  }
}
