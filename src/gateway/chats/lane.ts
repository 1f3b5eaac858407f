/** One writer for a chat while a turn runs: what is shown goes out in the order in which it came. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';

/** A task that fails is logged, and the next one follows: nothing that is only shown stops a turn. */
export class Lane {
  readonly #log: Log;
  #last: Promise<void> = Promise.resolve();
  /** The platform has asked for patience until then: nothing is shown before, whoever would show it. */
  quietUntil = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  add(task: () => Promise<void>): void {
    this.#last = this.#last.then(task).catch((error: unknown) => {
      this.#log.warning(`something was not shown in a chat: ${errorMessage(error)}`, error);
    });
  }

  /** Resolves when all that was added has been done. */
  async empty(): Promise<void> {
    await this.#last;
  }
}
