/**
 * Tells what a message of an older database is from its words. Rows that the original or an older build wrote say
 * nothing else about it; no row that has its kind stored is looked at here, and nothing else reads words for this.
 */
import { type HistoryMessage, type MessageKind, textOf } from '../llm/message.ts';

/** How the original and earlier builds began a stored summary; the original goes on in several ways. */
const summaryMarks = ['[CONTEXT COMPACTION', '[CONTEXT SUMMARY]:'];
/** What a program said to the model, here and in the original. */
const noteMarks = ['[System: ', '[IMPORTANT: Background process '];
const recapMark = '[Your active task list was preserved across context compression]';

/** Undefined when the message is of its role's usual kind. */
export function kindOfOldRow({ role, content }: HistoryMessage): MessageKind | undefined {
  if (role === 'tool') return undefined;
  const text = textOf(content);
  if (summaryMarks.some((mark) => text.startsWith(mark))) return 'summary';
  if (role === 'assistant') return undefined;
  if (text.startsWith(recapMark)) return 'recap';
  return noteMarks.some((mark) => text.startsWith(mark)) && text.trimEnd().endsWith(']') ? 'note' : undefined;
}
