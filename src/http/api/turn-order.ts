/** Turns of one conversation one after another, in the order in which they were asked for. */

/** Leaves nothing behind for what is not in use. */
export class TurnOrder {
  readonly #waiting = new Map<string, (() => void)[]>();

  isBusy(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** Resolves with the way out when it is this one's turn; rejects when `signal` aborts before. */
  async enter(id: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const queue = this.#waiting.get(id);
    if (queue === undefined) this.#waiting.set(id, []);
    else await this.#wait(queue, signal);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#next(id);
    };
  }

  async #wait(queue: (() => void)[], signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = (): void => {
        queue.splice(queue.indexOf(go), 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      queue.push(go);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  #next(id: string): void {
    const next = this.#waiting.get(id)?.shift();
    if (next === undefined) this.#waiting.delete(id);
    else next();
  }
}
