/** Joins the events of tools that run side by side into one ordered stream. */
import type { AgentEvent } from './events.ts';

/** Live output beyond this is left out while nobody reads; everything else is bounded by the number of calls. */
const maxWaitingProgress = 256;

/** Single consumer. `push` never waits; a consumer that stops early leaves nothing running. */
export class EventChannel {
  #waiting: AgentEvent[] = [];
  #waitingProgress = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  push(event: AgentEvent): void {
    if (event.type === 'tool_progress') {
      if (this.#waitingProgress >= maxWaitingProgress) return;
      this.#waitingProgress += 1;
    }
    this.#waiting.push(event);
    this.#notify();
  }

  /** Ends the stream once everything pushed was read. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  async *read(): AsyncGenerator<AgentEvent, void> {
    for (;;) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#waitingProgress = 0;
      yield* batch;
      if (this.#waiting.length > 0) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
