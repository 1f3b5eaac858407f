/** Takes the bulk out of old tool results. */
import type { HistoryMessage, ToolMessage } from '../../llm/message.ts';

const cleared = '[Old tool output cleared to save context space]';
const shortChars = 200;

/** A copy in which long results before the last `keep` messages are cleared. */
export function pruneOldResults(history: readonly HistoryMessage[], keep: number): HistoryMessage[] {
  const recent = history.length - keep;
  return history.map((message, index) => {
    if (index >= recent || message.role !== 'tool' || lengthOf(message) <= shortChars) return message;
    return { ...message, content: cleared };
  });
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
      const cut = cutResult(message, limit);
      left -= lengthOf(message) - lengthOf(cut);
      result[index] = cut;
    }
  }
  return result;
}

function cutResult(message: ToolMessage, limit: number): ToolMessage {
  const text = typeof message.content === 'string' ? message.content : JSON.stringify(message.content);
  const start = text.slice(0, Math.floor(limit * 0.7)).toWellFormed();
  const end = text.slice(-Math.floor(limit * 0.2)).toWellFormed();
  return { ...message, content: `${start}\n[… ${text.length} characters in all, cut to save context space …]\n${end}` };
}

function lengthOf({ content }: ToolMessage): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 6000), 0);
}
