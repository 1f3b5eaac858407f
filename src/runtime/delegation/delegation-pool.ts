/** What the sub-agents of all conversations of a process share. */

export class DelegationPool {
  #running = 0;

  /** Takes a place in the background; undefined when `most` are taken. The place is given back by calling what is returned. */
  take(most: number): (() => void) | undefined {
    if (this.#running >= most) return undefined;
    this.#running += 1;
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.#running -= 1;
    };
  }

  /** Calls that run in the background. */
  get running(): number {
    return this.#running;
  }
}
