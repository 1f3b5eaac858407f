/** The line that stands for a session in a list. */
import type { HistoryMessage } from '../llm/message.ts';
import { kindOf, textOf } from '../llm/message.ts';

const PREVIEW_LENGTH = 60;

/** How much of a message is enough to make its preview, in characters. */
export const PREVIEW_SOURCE_LENGTH = 400;

/** True for the message that a preview is made of: the first that the person said. */
export function isPreviewed(message: HistoryMessage): boolean {
  return kindOf(message) === 'said';
}

/** One line of at most 60 characters. */
export function previewOf({ content }: HistoryMessage): string {
  const line = Array.from(
    textOf(content)
      .replace(/[\r\n]+/g, ' ')
      .trim(),
  );
  return line.length > PREVIEW_LENGTH ? `${line.slice(0, PREVIEW_LENGTH).join('')}...` : line.join('');
}
