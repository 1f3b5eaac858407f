/** The messages of one session: appending, setting aside, replacing, reading. */
import { type HistoryMessage, sourcesOf } from '../../llm/message.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import type { StoredMessage } from '../messages.ts';
import { decodeSources, encodeSetAside, growSources } from '../provenance.ts';
import { missingSession } from '../session-references.ts';
import { number, numberOrNull, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { messageColumns, messageValues, readMessage, toolCallCount } from './message-row.ts';

const PAGE = 100;

const insertMessage = `INSERT INTO messages (session_id, timestamp, active, compacted, ${messageColumns.join(', ')})
  VALUES (?, ?, 1, 0, ${messageColumns.map(() => '?').join(', ')})`;

/** Inserts the message and raises the counters; returns its id. Throws `UserError` when there is no such session. */
export function appendMessage(db: Connection, sessionId: string, message: HistoryMessage, now: number): number {
  const newest = db.get('SELECT max(timestamp) AS timestamp FROM messages WHERE session_id = ?', sessionId);
  // Older programs read messages in time order: a clock that was set back must not move this one before its predecessor.
  const timestamp = Math.max(now, newest ? number(newest, 'timestamp') : 0);
  const session = db.get('SELECT provenance FROM sessions WHERE id = ?', sessionId);
  if (session === undefined) throw missingSession(sessionId);
  const known = textOrNull(session, 'provenance');
  // At once: the row is long, for its prompt, and written anew each time.
  db.run(
    `UPDATE sessions SET message_count = COALESCE(message_count, 0) + 1,
       tool_call_count = COALESCE(tool_call_count, 0) + ?, provenance = ? WHERE id = ?`,
    toolCallCount(message),
    growSources(known, sourcesOf(message)) ?? known,
    sessionId,
  );
  return db.run(insertMessage, sessionId, timestamp, ...messageValues(message)).id;
}

/** Marks the newest message when it is one of the user. */
export function setAsideLast(db: Connection, sessionId: string): void {
  const row = db.get('SELECT * FROM messages WHERE session_id = ? AND active = 1 ORDER BY id DESC LIMIT 1', sessionId);
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
  db.run('DELETE FROM messages WHERE session_id = ? AND active = 1', sessionId);
  insertAll(db, sessionId, messages, now);
}

/** Puts a shortened list in the place of the live one, which stays in the database and can be searched. */
export function compactTranscript(
  db: Connection,
  sessionId: string,
  messages: readonly HistoryMessage[],
  now: number,
): void {
  db.run('UPDATE messages SET active = 0, compacted = 1 WHERE session_id = ? AND active = 1', sessionId);
  rewriteTranscript(db, sessionId, messages, now);
}

/** Takes back a live message and all after it; returns how many. What a compaction put away stays as it is. */
export function undoFrom(db: Connection, sessionId: string, messageId: number): number {
  const live = 'session_id = ? AND active = 1';
  // A question that is asked again loses its answer; only one that is taken back counts.
  const first = db.get('SELECT role FROM messages WHERE id = ?', messageId);
  const rewinds = first?.['role'] === 'user' ? 1 : 0;
  const { changes } = db.run(
    `UPDATE messages SET active = 0, compacted = 0 WHERE ${live} AND id >= ?`,
    sessionId,
    messageId,
  );
  if (changes === 0) return 0;
  const rows = db.all(`SELECT * FROM messages WHERE ${live}`, sessionId);
  const calls = readMessages(rows).reduce((sum, { message }) => sum + toolCallCount(message), 0);
  db.run(
    'UPDATE sessions SET rewind_count = COALESCE(rewind_count, 0) + ?, message_count = ?, tool_call_count = ? WHERE id = ?',
    rewinds,
    rows.length,
    calls,
    sessionId,
  );
  return changes;
}

function insertAll(db: Connection, sessionId: string, messages: readonly HistoryMessage[], now: number): void {
  // Each a little later than the one before: older programs read them in time order.
  messages.forEach((message, index) => db.run(insertMessage, sessionId, now + index * 1e-6, ...messageValues(message)));
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
  return readMessages(db.all('SELECT * FROM messages WHERE session_id = ? AND active = 1 ORDER BY id', sessionId));
}

/** Its id, from the index alone: no message is read. */
export function newestMessage(db: Connection, sessionId: string): number | undefined {
  const found = db.get('SELECT max(id) AS id FROM messages WHERE session_id = ? AND active = 1', sessionId);
  return numberOrNull(found ?? {}, 'id') ?? undefined;
}

export function readMessages(rows: readonly Row[]): StoredMessage[] {
  return rows.flatMap((row) => {
    const message = readMessage(row);
    return message ? [{ id: number(row, 'id'), timestamp: number(row, 'timestamp'), message }] : [];
  });
}

/** One page of raw live rows after a given one, so that a long session never is in memory whole. */
export function messagePage(db: Connection, sessionId: string, after?: Row): Row[] {
  return db.all(
    `SELECT * FROM messages WHERE session_id = ? AND active = 1 AND id > ? ORDER BY id LIMIT ${PAGE}`,
    sessionId,
    after ? number(after, 'id') : 0,
  );
}
