/** Which messages of a history stay as they are, and which are summarised. */
import type { HistoryMessage } from '../../llm/message.ts';
import { isRequest } from './own-notes.ts';

export interface BoundaryRules {
  /** Messages at the start that stay. */
  readonly protectFirst: number;
  /** Messages at the end that stay at least. */
  readonly protectLast: number;
  /** Tokens of the end that stay beyond that. */
  readonly tailTokens: number;
  readonly weigh: (message: HistoryMessage) => number;
}

/** `history.slice(head, tail)` is summarised. */
export interface Boundaries {
  readonly head: number;
  readonly tail: number;
}

/** Undefined when there is nothing between the two ends. */
export function findBoundaries(history: readonly HistoryMessage[], rules: BoundaryRules): Boundaries | undefined {
  const head = headEnd(history, rules.protectFirst);
  let tail = tailStart(history, rules, head);
  // The newest request stays where it is if that is cheap; after long work it goes into the summary word for word.
  const newest = history.findLastIndex(isRequest);
  if (newest > head && newest < tail && weight(history.slice(newest, tail), rules) <= rules.tailTokens) tail = newest;
  tail = outOfToolGroup(history, tail, head);
  return tail > head ? { head, tail } : undefined;
}

/** As `findBoundaries`, with all but the last `exchanges` requests and what follows them summarised. */
export function keepExchanges(
  history: readonly HistoryMessage[],
  exchanges: number,
  protectFirst: number,
): Boundaries | undefined {
  const head = headEnd(history, protectFirst);
  let tail = history.length;
  for (let left = exchanges; left > 0 && tail > 0; left -= 1) {
    const before = history.slice(0, tail).findLastIndex(isRequest);
    if (before === -1) break;
    tail = before;
  }
  return tail > head ? { head, tail } : undefined;
}

function weight(messages: readonly HistoryMessage[], { weigh }: BoundaryRules): number {
  return messages.reduce((sum, message) => sum + weigh(message), 0);
}

/** The protected start, with all results of its last calls. */
function headEnd(history: readonly HistoryMessage[], protectFirst: number): number {
  let end = Math.min(protectFirst, history.length);
  while (end < history.length && end > 0 && history[end]?.role === 'tool') end += 1;
  return end;
}

/** A budget that would protect everything protects the least number of messages instead. */
function tailStart(
  history: readonly HistoryMessage[],
  { protectLast, tailTokens, weigh }: BoundaryRules,
  head: number,
): number {
  const latest = Math.max(0, history.length - protectLast);
  let left = tailTokens;
  for (let at = history.length - 1; at > head; at -= 1) {
    const message = history[at];
    if (message !== undefined) left -= weigh(message);
    if (left < 0 && at < latest) return at + 1;
  }
  return latest;
}

/** A call and its results stay together: a cut among them moves before the message that made the calls. */
function outOfToolGroup(history: readonly HistoryMessage[], tail: number, head: number): number {
  let at = tail;
  while (at > head && history[at]?.role === 'tool') at -= 1;
  return at;
}
