/** Which messages of a history stay as they are, and which are summarised. */
import { type HistoryMessage, isSaid } from '../../llm/message.ts';

export interface BoundaryRules {
  /** Messages at the start that stay. */
  readonly protectFirst: number;
  /** Messages at the end that stay, if they weigh no more than `tailTokens`. */
  readonly protectLast: number;
  /** Tokens of the end that stay anyway. */
  readonly usualTokens: number;
  /** Tokens of the end that stay at most. */
  readonly tailTokens: number;
  readonly weigh: (message: HistoryMessage) => number;
}

/** `history.slice(head, tail)` is summarised. */
export interface Boundaries {
  readonly head: number;
  readonly tail: number;
}

/** At least so many messages stay at the end. */
const minTail = 3;

/** Undefined when there is nothing between the two ends. */
export function findBoundaries(history: readonly HistoryMessage[], rules: BoundaryRules): Boundaries | undefined {
  const head = headEnd(history, rules.protectFirst);
  const tail = outOfToolGroup(history, tailStart(history, rules, head), head);
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
    const before = history.slice(0, tail).findLastIndex(isSaid);
    if (before === -1) break;
    tail = before;
  }
  return tail > head ? { head, tail } : undefined;
}

/** The protected start, with all results of its last calls. A summary at the start is not protected. */
function headEnd(history: readonly HistoryMessage[], protectFirst: number): number {
  const summary = history.findIndex(({ kind }) => kind === 'summary');
  let end = Math.min(protectFirst, summary === -1 ? history.length : summary);
  while (end < history.length && end > 0 && history[end]?.role === 'tool') end += 1;
  return end;
}

function tailStart(
  history: readonly HistoryMessage[],
  { protectLast, usualTokens, tailTokens, weigh }: BoundaryRules,
  head: number,
): number {
  let weight = 0;
  for (let at = history.length - 1; at > head; at -= 1) {
    const message = history[at];
    if (message !== undefined) weight += weigh(message);
    const count = history.length - at;
    const wanted = count <= protectLast || weight <= usualTokens;
    if (count > minTail && (!wanted || weight > tailTokens)) return at + 1;
  }
  return Math.max(head, history.length - Math.max(minTail, protectLast));
}

/** A call and its results stay together: a cut among them moves before the message that made the calls. */
function outOfToolGroup(history: readonly HistoryMessage[], tail: number, head: number): number {
  let at = tail;
  while (at > head && history[at]?.role === 'tool') at -= 1;
  return at;
}
