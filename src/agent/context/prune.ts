/** Takes the bulk out of old tool results. */
import type { HistoryMessage, ToolMessage } from '../../llm/message.ts';

/** What stays of an old result: enough to know what it was. */
const kept = { start: 600, end: 200 } as const;

/**
 * A copy in which long results before `tail` are cut to their start and end. A result that nobody knows stays as it is.
 * The same array when there is nothing to cut.
 */
export function pruneOldResults(history: readonly HistoryMessage[], tail: number): readonly HistoryMessage[] {
  const isLong = (message: HistoryMessage, index: number): message is ToolMessage =>
    index < tail &&
    message.role === 'tool' &&
    message.kind !== 'unknown' &&
    lengthOf(message) > 2 * (kept.start + kept.end);
  if (!history.some(isLong)) return history;
  return history.map((message, index) => (isLong(message, index) ? cutResult(message, kept.start, kept.end) : message));
}

/**
 * A history in which the longest tool results are cut to their start and end until `excess` tokens are saved, oldest
 * first; for the case that even what must stay does not fit. Cuts nothing below 2,000 characters; returns the same
 * array when there is nothing to cut.
 */
export function cutLongResults(history: readonly HistoryMessage[], excess: number): readonly HistoryMessage[] {
  let left = excess * 4;
  if (!history.some((message) => message.role === 'tool' && lengthOf(message) > 2000)) return history;
  const result = [...history];
  for (const limit of [20_000, 8000, 2000]) {
    for (const [index, message] of result.entries()) {
      if (left <= 0) return result;
      if (message.role !== 'tool' || lengthOf(message) <= limit) continue;
      const cut = cutResult(message, Math.floor(limit * 0.7), Math.floor(limit * 0.2));
      left -= lengthOf(message) - lengthOf(cut);
      result[index] = cut;
    }
  }
  return result;
}

function cutResult(message: ToolMessage, startChars: number, endChars: number): ToolMessage {
  const text = typeof message.content === 'string' ? message.content : JSON.stringify(message.content);
  const start = text.slice(0, startChars).toWellFormed();
  const end = text.slice(-endChars).toWellFormed();
  return { ...message, content: `${start}\n[… ${text.length} characters in all, cut to save context space …]\n${end}` };
}

function lengthOf({ content }: ToolMessage): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 6400), 0);
}
