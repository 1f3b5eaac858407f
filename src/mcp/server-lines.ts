/** What a server reports to the log: so much a minute, or it would push out everything else that stands there. */
import type { Log } from '../lib/log.ts';

const maxChars = 1000;
const maxLinesPerMinute = 60;
const severe: ReadonlySet<unknown> = new Set(['error', 'critical', 'alert', 'emergency']);

export class ServerLines {
  readonly #log: Log;
  readonly #now: () => number;
  #begun = -Infinity;
  #count = 0;

  /** `now`: milliseconds, of a clock that never goes back. */
  constructor(log: Log, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  write(level: unknown, data: unknown): void {
    if (this.#now() - this.#begun >= 60_000) {
      this.#begun = this.#now();
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count > maxLinesPerMinute + 1) return;
    if (this.#count > maxLinesPerMinute) {
      this.#log.warning(`reports more than ${maxLinesPerMinute} lines a minute; the others are left out`);
      return;
    }
    const line = `${String(level)}: ${typeof data === 'string' ? data : JSON.stringify(data)}`.slice(0, maxChars);
    if (severe.has(level)) this.#log.warning(line);
    else this.#log.debug(line);
  }
}
