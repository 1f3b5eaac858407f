/** How fast a conversation grows, so that a compaction buys room for more than a step or two. */
import type { HistoryMessage } from '../../llm/message.ts';

/** A compaction has to make room for so many steps like the latest ones. */
export const stepsOfRoom = 10;
/** The latest steps that are looked at. */
const steps = 12;
/** What a step takes where too few have been seen, in tokens. */
const usualStep = 800;

/** Tokens that one more step adds: the average of the latest ones. */
export function stepTokens(history: readonly HistoryMessage[], weigh: (message: HistoryMessage) => number): number {
  let seen = 0;
  let tokens = 0;
  for (let at = history.length - 1; at >= 0 && seen < steps; at -= 1) {
    const message = history[at];
    if (message === undefined || message.kind === 'summary') break;
    tokens += weigh(message);
    if (message.role === 'assistant') seen += 1;
  }
  return seen < 3 ? usualStep : tokens / seen;
}
