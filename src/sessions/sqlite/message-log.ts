/** The messages of one session: appending, setting aside, replacing, reading. */
import { type HistoryMessage, sourcesOf } from '../../llm/message.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import type { StoredMessage } from '../messages.ts';
import { decodeSources, encodeSetAside, growSources } from '../provenance.ts';
import { missingSession } from '../session-references.ts';
import { number, textOrNull } from './columns.ts';
import type { Connection, Row, Value } from './connection.ts';
import { messageColumns, messageValues, readMessage, toolCallCount } from './message-row.ts';

const PAGE = 100;

const insertMessage = `INSERT INTO messages (session_id, timestamp, ${messageColumns.join(', ')})
  VALUES (?, ?, ${messageColumns.map(() => '?').join(', ')})`;

/** Inserts the message and raises the counters; returns its id. Throws `UserError` when there is no such session. */
export function appendMessage(db: Connection, sessionId: string, message: HistoryMessage, now: number): number {
  const newest = db.get('SELECT max(timestamp) AS timestamp FROM messages WHERE session_id = ?', sessionId);
  // Messages are read in time order: a clock that was set back must not move this one before its predecessor.
  const timestamp = Math.max(now, newest ? number(newest, 'timestamp') : 0);
  const session = db.get(
    `UPDATE sessions SET message_count = COALESCE(message_count, 0) + 1,
       tool_call_count = COALESCE(tool_call_count, 0) + ? WHERE id = ? RETURNING provenance`,
    toolCallCount(message),
    sessionId,
  );
  if (session === undefined) throw missingSession(sessionId);
  addSources(db, sessionId, textOrNull(session, 'provenance'), sourcesOf(message));
  return db.run(insertMessage, sessionId, timestamp, ...messageValues(message)).id;
}

/** Marks the newest message when it is one of the user. */
export function setAsideLast(db: Connection, sessionId: string): void {
  const row = db.get('SELECT * FROM messages WHERE session_id = ? ORDER BY timestamp DESC, id DESC LIMIT 1', sessionId);
  const message = row && readMessage(row);
  if (row === undefined || message?.role !== 'user') return;
  const provenance = encodeSetAside(textOrNull(row, 'provenance'), message);
  db.run('UPDATE messages SET provenance = ? WHERE id = ?', provenance, number(row, 'id'));
}

export function rewriteTranscript(
  db: Connection,
  sessionId: string,
  messages: readonly HistoryMessage[],
  now: number,
): void {
  const calls = messages.reduce((sum, message) => sum + toolCallCount(message), 0);
  // What leaves the transcript has entered the conversation all the same.
  const sources = mergeSources(sessionSources(db, sessionId), ...messages.map(sourcesOf));
  const session = db.get(
    'UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ? RETURNING provenance',
    messages.length,
    calls,
    sessionId,
  );
  if (session === undefined) throw missingSession(sessionId);
  addSources(db, sessionId, textOrNull(session, 'provenance'), sources);
  db.run('DELETE FROM messages WHERE session_id = ?', sessionId);
  for (const message of messages) db.run(insertMessage, sessionId, now, ...messageValues(message));
}

/** Everything that entered the session, also what the original or an older build added. */
export function sessionSources(db: Connection, sessionId: string): readonly Source[] {
  const session = db.get('SELECT provenance FROM sessions WHERE id = ?', sessionId) ?? {};
  const silent = db.all(
    'SELECT DISTINCT role, tool_name FROM messages WHERE session_id = ? AND provenance IS NULL',
    sessionId,
  );
  const assumed = silent.map((row) => {
    const message = readMessage(row);
    return message === undefined ? [] : sourcesOf(message);
  });
  return mergeSources(decodeSources(textOrNull(session, 'provenance')), ...assumed);
}

/** Adds to what is known of a session; written only when there is something new. */
export function addSources(db: Connection, sessionId: string, known: string | null, added: readonly Source[]): void {
  const grown = growSources(known, added);
  if (grown !== undefined) db.run('UPDATE sessions SET provenance = ? WHERE id = ?', grown, sessionId);
}

/** The messages of a history in order; rows of other roles are left out. */
export function storedMessages(db: Connection, sessionId: string): StoredMessage[] {
  return readMessages(db.all('SELECT * FROM messages WHERE session_id = ? ORDER BY timestamp, id', sessionId));
}

export function readMessages(rows: readonly Row[]): StoredMessage[] {
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
