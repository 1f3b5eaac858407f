/** How many browsers one process has at once. */
import { UserError } from '../../lib/errors.ts';

interface Holder {
  close(): Promise<void>;
}

const maxBrowsers = 4;

/** Whoever has not used theirs for longest gives it up. */
export class BrowserSlots {
  /** In the order in which they were used last; true: not in use right now. */
  readonly #holders = new Map<Holder, boolean>();

  /** Throws `UserError` when all are in use. */
  async take(holder: Holder, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#holders.delete(holder);
    if (this.#holders.size >= maxBrowsers) {
      const idle = [...this.#holders].find(([, isIdle]) => isIdle)?.[0];
      if (idle === undefined) {
        throw new UserError(`${maxBrowsers} browsers are in use already: try again when one of them is free.`);
      }
      this.#holders.delete(idle);
      await idle.close();
    }
    this.#holders.set(holder, false);
  }

  /** It is open, and in use or not. */
  used(holder: Holder, isIdle: boolean): void {
    if (this.#holders.delete(holder)) this.#holders.set(holder, isIdle);
  }

  giveBack(holder: Holder): void {
    this.#holders.delete(holder);
  }
}
