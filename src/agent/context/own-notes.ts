/** Tells what a person said from the notes that this program puts into user messages. */
import { type HistoryMessage, textOf } from '../../llm/message.ts';

/** How older versions marked a summary. */
export const olderPrefix = '[CONTEXT SUMMARY]:';

export function isSummary(text: string): boolean {
  return text.startsWith('[CONTEXT COMPACTION]') || text.startsWith(olderPrefix);
}

/** Stand between a summary and a kept message of the same role, because strict providers want the roles to alternate. */
export const bridges = {
  user: '[System: the conversation continues from here.]',
  assistant: 'I have read the summary and go on from there.',
} as const;

export function isBridge({ role, content }: HistoryMessage): boolean {
  return role !== 'tool' && textOf(content) === bridges[role];
}

/** True for what a person asked, as against notes that this program puts into user messages. */
export function isRequest(message: HistoryMessage): boolean {
  if (message.role !== 'user') return false;
  const text = textOf(message.content).trimStart();
  return text !== '' && !ownNote.test(text);
}

const ownNote = /^\[(?:CONTEXT COMPACTION\]|CONTEXT SUMMARY\]:|System:|Your active task list was preserved)/;
