/** The history as a model reads it that cannot see: a word in the place of each picture. */
import type { Content, HistoryMessage } from '../llm/message.ts';

const word = '[A picture was here; this model cannot see it.]';

/** Messages without pictures stay the same objects. */
export function withoutPictures(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  return history.map((message) => {
    if (message.role === 'assistant' || !hasPictures(message.content)) return message;
    return { ...message, content: inWords(message.content) };
  });
}

function hasPictures(content: Content): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'image_url');
}

function inWords(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : word)).join('\n');
}
