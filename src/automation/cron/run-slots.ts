/** How many jobs run at the same time; one that works in a folder runs alone. */

export class RunSlots {
  readonly #most: number;
  readonly #waiting: { readonly alone: boolean; readonly go: () => void }[] = [];
  #running = 0;
  #alone = false;

  /** Undefined: as many as there are. */
  constructor(most: number | undefined) {
    this.#most = most ?? Infinity;
  }

  /** In the order in which they came. */
  async take<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ alone, go: resolve });
    this.#next();
    await promise;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#alone = false;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const isFree = first.alone ? this.#running === 0 : !this.#alone && this.#running < this.#most;
      if (!isFree) return;
      this.#waiting.shift();
      this.#running += 1;
      this.#alone = first.alone;
      first.go();
    }
  }
}
