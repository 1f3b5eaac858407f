/** The text of stored messages as a person would read it. */
import { textOf } from '../../llm/message.ts';
import { text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { decodeContent } from '../content.ts';

/** The text of a column that holds content; images are left out. */
export function contentText(row: Row, column: string): string {
  return textOf(decodeContent(textOrNull(row, column) ?? ''));
}

/** What can be found in a message, without the JSON around its parts. */
export function messageText(db: Connection, id: number): string {
  const row = db.get('SELECT content, tool_name, tool_calls FROM messages WHERE id = ?', id);
  if (row === undefined) return '';
  return [contentText(row, 'content'), text(row, 'tool_name'), text(row, 'tool_calls')].join(' ').trim();
}

/** SQL for the beginning of a message's content; part lists stay whole, because half of one cannot be read. */
export function shortContent(row: string, characters: number): string {
  // Less than U+0001 and not empty: it begins with NUL, which `substr` cannot see.
  return `CASE WHEN substr(${row}.content, 1, 2) = '[' || char(9) OR (${row}.content <> '' AND ${row}.content < char(1))
    THEN ${row}.content ELSE substr(${row}.content, 1, ${characters}) END`;
}
