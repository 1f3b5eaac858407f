/** An answer as the messages of a platform: cut where Markdown may be cut, then written in the platform's marks. */
import { measure } from './length.ts';
import { bodyOf, cutText, type Part, type SplitOptions } from './split.ts';

export interface PartFormat<Out> extends SplitOptions {
  readonly format: (markdown: string) => Out;
  /** The text of a message, whose length counts. */
  readonly textOf: (message: Out) => string;
}

/**
 * The messages, in order, each within the limit once it is formatted. Marks make a text longer on some platforms, so
 * it is cut again into shorter pieces until all of them fit.
 */
export function formatParts<Out>(markdown: string, rules: PartFormat<Out>): Out[] {
  const { limit, unit, format, textOf } = rules;
  const whole = format(markdown);
  if (limit <= 0 || measure(textOf(whole), unit) <= limit) return [whole];
  let room = limit;
  for (;;) {
    const messages = cutText(markdown, { limit: room, unit }).map((part) => format(withMark(markdown, part)));
    const longest = Math.max(...messages.map((message) => measure(textOf(message), unit)));
    if (longest <= limit || room <= LEAST_ROOM) return messages;
    room = Math.max(LEAST_ROOM, Math.min(room - 1, Math.floor((room * limit) / longest)));
  }
}

/** Nothing useful fits into less. */
const LEAST_ROOM = 16;

/** Behind a code block the mark gets a line of its own: no reader of Markdown takes "``` (1/3)" for the end of a block. */
function withMark(markdown: string, part: Part): string {
  const body = bodyOf(markdown, part);
  const endsBlock = part.mark !== '' && /(?:^|\n)[ \t]*(?:`{3,}|~{3,})\s*$/.test(body);
  return endsBlock ? `${body.trimEnd()}\n${part.mark.trim()}` : body + part.mark;
}
