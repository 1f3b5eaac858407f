/** One session as a line of JSON, produced piece by piece so that memory stays flat. */
import { type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { number, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { decodeContent } from '../content.ts';
import { messagePage } from './message-log.ts';
import { jsonColumns } from './message-row.ts';

/**
 * Yields pieces of text that together are one line: all columns of the session, unknown ones too, and `messages`.
 * Yields nothing when there is no such session.
 */
export async function* exportSession(db: Connection, id: string): AsyncGenerator<string> {
  const attempted = 'export the session';
  const session = await db.read(attempted, () => db.get('SELECT * FROM sessions WHERE id = ?', id));
  if (session === undefined) return;
  yield `${JSON.stringify(plainColumns(session)).slice(0, -1)},"messages":[`;
  let last: Row | undefined;
  for (;;) {
    const page: Row[] = await db.read(attempted, () => messagePage(db, id, last));
    for (const row of page) {
      yield `${last === undefined ? '' : ','}${JSON.stringify(messageColumns(row))}`;
      last = row;
    }
    if (page.length === 0) break;
  }
  yield ']}\n';
}

function plainColumns(row: Row): JsonObject {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plainValue(row, column, value)]));
}

/** JSON columns parsed; one that cannot be parsed keeps its raw text. */
function messageColumns(row: Row): JsonObject {
  const columns = plainColumns(row);
  const content = textOrNull(row, 'content');
  if (content !== null) columns['content'] = readContent(content);
  for (const column of jsonColumns) {
    const stored = textOrNull(row, column);
    if (stored !== null) columns[column] = parseJson(stored) ?? stored;
  }
  return columns;
}

function readContent(stored: string): JsonValue {
  const content = decodeContent(stored);
  return typeof content === 'string' ? content : (parseJson(JSON.stringify(content)) ?? stored);
}

function plainValue(row: Row, column: string, value: Row[string] | undefined): JsonValue {
  if (typeof value === 'string') return text(row, column);
  if (typeof value === 'number' || typeof value === 'bigint') return number(row, column);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : null;
}
