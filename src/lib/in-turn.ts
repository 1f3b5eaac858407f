/** Work that runs one after another, in the order in which it came. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  /** Whoever gave it hears of its failure; what comes next does not depend on it. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all that was given so far has ended. */
  async ended(): Promise<void> {
    await this.#last;
  }
}
