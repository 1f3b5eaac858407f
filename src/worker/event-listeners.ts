/** Who hears what happens: called in order and at once, so that nothing piles up for a slow one. */
import type { Log } from '../lib/log.ts';

/** A listener that throws is written down and not called again: it must not break what it listens to. */
export class EventListeners<Event> {
  readonly #log: Log;
  #listeners: ((event: Event) => void)[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Returns the end of listening. */
  add(listener: (event: Event) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => this.#remove(listener);
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) this.tell(listener, event);
  }

  tell(listener: (event: Event) => void, event: Event): void {
    try {
      listener(event);
    } catch (error) {
      this.#remove(listener);
      this.#log.error('a listener failed and hears no more', error);
    }
  }

  #remove(listener: (event: Event) => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }
}
