/** How fast a conversation grows, so that a compaction buys room for more than a step or two. */
import type { HistoryMessage } from '../../llm/message.ts';

/** A compaction has to make room for ten steps; two more, because no step is like the one before. */
export const stepsOfRoom = 12;
/** The latest steps that are looked at. */
const maxSteps = 12;
/** Fewer say too little. */
const minSteps = 3;
/** What a step takes where too few have been seen, in tokens. */
const usualStep = 800;

/** What the latest steps added, as seen when each was about to be sent: old output that was cut since tells nothing. */
export class Growth {
  #seen: number[] = [];
  #total: number | undefined;

  /** A request of so many tokens is about to be looked at. */
  note(tokens: number): void {
    if (this.#total !== undefined && tokens > this.#total)
      this.#seen = [...this.#seen, tokens - this.#total].slice(-maxSteps);
    this.#total = tokens;
  }

  /** It was made so long instead. */
  shortened(tokens: number): void {
    this.#total = tokens;
  }

  /** Tokens that one more step adds: the average of the latest ones. */
  perStep(history: readonly HistoryMessage[], weigh: (message: HistoryMessage) => number): number {
    if (this.#seen.length < minSteps) return fromHistory(history, weigh);
    return this.#seen.reduce((sum, tokens) => sum + tokens, 0) / this.#seen.length;
  }
}

/** For a conversation that was begun elsewhere. */
function fromHistory(history: readonly HistoryMessage[], weigh: (message: HistoryMessage) => number): number {
  let seen = 0;
  let tokens = 0;
  for (let at = history.length - 1; at >= 0 && seen < maxSteps; at -= 1) {
    const message = history[at];
    if (message === undefined || message.kind === 'summary') break;
    tokens += weigh(message);
    if (message.role === 'assistant') seen += 1;
  }
  return seen < minSteps ? usualStep : tokens / seen;
}
