/** The messages of one session: appending, taking back, replacing, reading. */
import { UserError } from '../../lib/errors.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { StoredMessage } from '../messages.ts';
import { number, text } from './columns.ts';
import type { Connection, Row, Value } from './connection.ts';
import { messageColumns, messageValues, readMessage, readToolCalls, toolCallCount } from './message-row.ts';

const PAGE = 100;

const insertMessage = `INSERT INTO messages (session_id, timestamp, ${messageColumns.join(', ')})
  VALUES (?, ?, ${messageColumns.map(() => '?').join(', ')})`;

/** Inserts the message and raises the counters; returns its id. Throws `UserError` when there is no such session. */
export function appendMessage(db: Connection, sessionId: string, message: HistoryMessage, now: number): number {
  const newest = db.get('SELECT max(timestamp) AS timestamp FROM messages WHERE session_id = ?', sessionId);
  // Messages are read in time order: a clock that was set back must not move this one before its predecessor.
  const timestamp = Math.max(now, newest ? number(newest, 'timestamp') : 0);
  const counted = db.run(
    `UPDATE sessions SET message_count = COALESCE(message_count, 0) + 1,
       tool_call_count = COALESCE(tool_call_count, 0) + ? WHERE id = ?`,
    toolCallCount(message),
    sessionId,
  );
  if (counted.changes === 0) throw missingSession(sessionId);
  return db.run(insertMessage, sessionId, timestamp, ...messageValues(message)).id;
}

export function dropLastMessage(db: Connection, sessionId: string): void {
  const last = db.get(
    'SELECT id, tool_calls FROM messages WHERE session_id = ? ORDER BY timestamp DESC, id DESC LIMIT 1',
    sessionId,
  );
  if (last === undefined) return;
  const calls = readToolCalls(text(last, 'tool_calls') || null).length;
  db.run('DELETE FROM messages WHERE id = ?', number(last, 'id'));
  db.run(
    `UPDATE sessions SET message_count = max(0, message_count - 1),
       tool_call_count = max(0, tool_call_count - ?) WHERE id = ?`,
    calls,
    sessionId,
  );
}

export function rewriteTranscript(
  db: Connection,
  sessionId: string,
  messages: readonly HistoryMessage[],
  now: number,
): void {
  const calls = messages.reduce((sum, message) => sum + toolCallCount(message), 0);
  const counted = db.run(
    'UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?',
    messages.length,
    calls,
    sessionId,
  );
  if (counted.changes === 0) throw missingSession(sessionId);
  db.run('DELETE FROM messages WHERE session_id = ?', sessionId);
  for (const message of messages) db.run(insertMessage, sessionId, now, ...messageValues(message));
}

/** The messages of a history in order; rows of other roles are left out. */
export function storedMessages(db: Connection, sessionId: string): StoredMessage[] {
  const rows = db.all('SELECT * FROM messages WHERE session_id = ? ORDER BY timestamp, id', sessionId);
  return rows.flatMap((row) => {
    const message = readMessage(row);
    return message ? [{ id: number(row, 'id'), timestamp: number(row, 'timestamp'), message }] : [];
  });
}

/** One page of raw rows after a given one, so that a long session never is in memory whole. */
export function messagePage(db: Connection, sessionId: string, after?: Row): Row[] {
  const place: Value[] = after ? [number(after, 'timestamp'), number(after, 'id')] : [];
  const condition = after ? 'AND (timestamp, id) > (?, ?)' : '';
  return db.all(
    `SELECT * FROM messages WHERE session_id = ? ${condition} ORDER BY timestamp, id LIMIT ${PAGE}`,
    sessionId,
    ...place,
  );
}

function missingSession(id: string): UserError {
  return new UserError(`Session '${id}' not found.`, {
    hint: 'It was deleted meanwhile; `hermes sessions list` shows what is there.',
  });
}
