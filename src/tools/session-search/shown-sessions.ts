/** What was found in earlier conversations, as a person reads it. */
import * as z from 'zod';
import type { ToolRendering } from '../../agent/tool.ts';
import { counted } from '../../lib/counted.ts';
import { parseJson } from '../../lib/json.ts';

const text = z.string().nullish().catch(null);

const session = z.looseObject({
  session_id: text,
  title: text,
  when: text,
  last_active: text,
  snippet: text,
  preview: text,
});

const result = z.looseObject({
  results: z.array(session).optional(),
  session_id: text,
  session_meta: session.optional(),
  messages: z.array(z.unknown()).optional(),
});

const maxShown = 10;
const maxChars = 100;

/** One line a conversation: when, what it is called, and the words that were found. */
export function shownSessions(answer: string): ToolRendering {
  const { data } = result.safeParse(parseJson(answer));
  if (data?.results !== undefined) {
    const lines = data.results.slice(0, maxShown).map(lineOf);
    return {
      note: data.results.length === 0 ? 'nothing found' : counted(data.results.length, 'conversation'),
      ...(lines.length === 0 ? {} : { blocks: [{ type: 'text', text: lines.join('\n') }] }),
    };
  }
  if (data?.messages === undefined) return {};
  const { session_id, session_meta = {}, messages } = data;
  return {
    note: counted(messages.length, 'message'),
    blocks: [{ type: 'text', text: lineOf({ ...session_meta, session_id }) }],
  };
}

function lineOf({ session_id, title, when, last_active, snippet, preview }: Partial<z.infer<typeof session>>): string {
  const name = title || session_id || '';
  const words = oneLine(snippet || preview || '');
  return [when || last_active || '', oneLine(name), words].filter((part) => part !== '').join('  ');
}

function oneLine(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars).toWellFormed()}…`;
}
