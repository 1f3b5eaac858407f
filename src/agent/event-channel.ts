/** Joins the events of tools that run side by side into one ordered stream. */
import type { AgentEvent } from './events.ts';

/** Single consumer. `push` never waits; a consumer that stops early leaves nothing running. */
export interface EventChannel {
  push(event: AgentEvent): void;
  /** Ends the stream once everything pushed was read. */
  end(): void;
  read(): AsyncGenerator<AgentEvent, void>;
}

export function createEventChannel(): EventChannel {
  let waiting: AgentEvent[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    push(event) {
      waiting.push(event);
      notify();
    },
    end() {
      ended = true;
      notify();
    },
    async *read() {
      for (;;) {
        const batch = waiting;
        waiting = [];
        yield* batch;
        if (waiting.length > 0) continue;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
