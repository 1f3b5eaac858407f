/** Everything that stands under the id of a chat, put under another one. Call it inside a write to `movedTables`. */
import type { ChatMove } from '../chat-move.ts';
import { readRoute, writeRoute } from '../route-entry.ts';
import { inbox } from './chat-inbox.ts';
import { questions } from './chat-questions.ts';
import { text, textOrNull } from './columns.ts';
import type { Connection } from './connection.ts';
import { isOpen, replyTables } from './outbox.ts';

export const movedTables = [inbox, questions, ...replyTables] as const;

/** Returns the new keys of conversations with messages that have not ended. What is not there any more does no harm. */
export function moveChat(db: Connection, scope: string, move: ChatMove, now: number): readonly string[] {
  moveRoutes(db, scope, move, now);
  moveSessions(db, move);
  moveQuestions(db, move);
  moveReplies(db, move, now);
  return moveMessages(db, move);
}

/** A conversation that has begun under the new id already goes on there; the other one stays in the store. */
function moveRoutes(db: Connection, scope: string, { to, rekey }: ChatMove, now: number): void {
  const rows = db.all('SELECT session_key, entry_json FROM gateway_routing WHERE scope = ?', scope);
  for (const row of rows) {
    const key = text(row, 'session_key');
    const next = rekey(key);
    const stored = text(row, 'entry_json');
    const entry = next === undefined ? undefined : readRoute(next, stored);
    if (next === undefined || entry === undefined) continue;
    const moved = { ...entry, ...(entry.origin === undefined ? {} : { origin: { ...entry.origin, chat_id: to } }) };
    db.run(
      `INSERT INTO gateway_routing (scope, session_key, entry_json, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT(scope, session_key) DO NOTHING`,
      scope,
      next,
      writeRoute(moved, stored),
      now / 1000,
    );
    db.run('DELETE FROM gateway_routing WHERE scope = ? AND session_key = ?', scope, key);
  }
}

function moveSessions(db: Connection, { platform, from, to, rekey }: ChatMove): void {
  const sql = 'SELECT id, session_key FROM sessions WHERE source = ? AND chat_id = ?';
  for (const row of db.all(sql, platform, from)) {
    const key = textOrNull(row, 'session_key');
    db.run(
      `UPDATE sessions SET chat_id = ?1, session_key = ?2,
         origin_json = CASE WHEN json_valid(origin_json) THEN json_set(origin_json, '$.chat_id', ?1) ELSE origin_json END
         WHERE id = ?3`,
      to,
      key === null ? null : (rekey(key) ?? key),
      text(row, 'id'),
    );
  }
}

function moveQuestions(db: Connection, { platform, from, to, rekey }: ChatMove): void {
  const sql = 'SELECT id, session_key FROM chat_questions WHERE platform = ? AND chat_id = ?';
  for (const row of db.all(sql, platform, from)) {
    const key = text(row, 'session_key');
    db.run(
      'UPDATE chat_questions SET chat_id = ?, session_key = ?, message_id = NULL WHERE id = ?',
      to,
      rekey(key) ?? key,
      text(row, 'id'),
    );
  }
}

function moveReplies(db: Connection, { platform, from, to, rekey, details }: ChatMove, now: number): void {
  const rows = db.all(
    `SELECT o.obligation_id, o.session_key, d.details FROM delivery_obligations o
       LEFT JOIN gateway_outbox d ON d.reply_id = o.obligation_id WHERE ${isOpen} AND o.platform = ? AND o.chat_id = ?`,
    platform,
    from,
  );
  for (const row of rows) {
    const id = text(row, 'obligation_id');
    const key = text(row, 'session_key');
    db.run(
      'UPDATE delivery_obligations SET chat_id = ?, session_key = ?, updated_at = ? WHERE obligation_id = ?',
      to,
      rekey(key) ?? key,
      now / 1000,
      id,
    );
    const said = textOrNull(row, 'details');
    if (said !== null) db.run('UPDATE gateway_outbox SET details = ? WHERE reply_id = ?', details(said), id);
  }
}

function moveMessages(db: Connection, { platform, rekey, event }: ChatMove): readonly string[] {
  const moved = new Set<string>();
  const sql = 'SELECT id, session_key, event FROM gateway_inbox WHERE ended_at IS NULL AND platform = ? ORDER BY id';
  for (const row of db.all(sql, platform)) {
    const next = rekey(text(row, 'session_key'));
    if (next === undefined) continue;
    moved.add(next);
    db.run(
      'UPDATE gateway_inbox SET session_key = ?, event = ?, preview_id = NULL, preview_unknown = 0 WHERE id = ?',
      next,
      event(text(row, 'event')),
      Number(row['id']),
    );
  }
  return [...moved];
}
