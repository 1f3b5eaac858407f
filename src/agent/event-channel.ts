/** Joins the events of tools that run side by side into one ordered stream. */
import type { AgentEvent } from './events.ts';

/** Live output beyond so many pieces or characters is left out while nobody reads; all else is bounded by the calls. */
const maxWaiting = { pieces: 256, chars: 256_000 } as const;

/** Single consumer. `push` never waits; a consumer that stops early leaves nothing running. */
export class EventChannel {
  #waiting: AgentEvent[] = [];
  #waitingPieces = 0;
  #waitingChars = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  push(event: AgentEvent): void {
    const kept = event.type === 'tool_progress' ? this.#withinBounds(event) : event;
    if (kept === undefined) return;
    this.#waiting.push(kept);
    this.#notify();
  }

  #withinBounds(event: Extract<AgentEvent, { type: 'tool_progress' }>): AgentEvent | undefined {
    const room = maxWaiting.chars - this.#waitingChars;
    if (room <= 0 || this.#waitingPieces >= maxWaiting.pieces) return undefined;
    this.#waitingPieces += 1;
    this.#waitingChars += event.text.length;
    return event.text.length <= room ? event : { ...event, text: event.text.slice(0, room).toWellFormed() };
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
      this.#waitingPieces = 0;
      this.#waitingChars = 0;
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
