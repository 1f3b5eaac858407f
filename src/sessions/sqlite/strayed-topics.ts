/**
 * Topics whose session is not the one that the routing index has: the original goes by what is bound to a topic, and lets
 * the index follow with the next message only.
 */
import type { RouteEntry } from '../chat-routes.ts';
import { newRoute, readRoute } from '../route-entry.ts';
import { text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { liveSession } from './find-session.ts';
import { findSession } from './session-row.ts';
import { hasTopicTables } from './topic-tables.ts';

/** The entries that the index lacks; `now` in milliseconds since the epoch. */
export function strayedTopics(db: Connection, scope: string, now: number): readonly RouteEntry[] {
  if (!hasTopicTables(db)) return [];
  const rows = db.all(
    `SELECT b.chat_id, b.thread_id, b.user_id, b.session_key, b.session_id, r.entry_json
       FROM telegram_dm_topic_bindings b
       JOIN telegram_dm_topic_mode m ON m.chat_id = b.chat_id AND m.user_id = b.user_id AND m.enabled <> 0
       LEFT JOIN gateway_routing r ON r.scope = ? AND r.session_key = b.session_key
       WHERE r.session_key IS NULL OR (json_valid(r.entry_json)
         AND json_extract(r.entry_json, '$.session_id') IS NOT b.session_id)
       ORDER BY b.chat_id, b.thread_id`,
    scope,
  );
  return rows.flatMap((row) => entryFor(db, row, now) ?? []);
}

/** A session that was compacted meanwhile goes on in another. */
function entryFor(db: Connection, row: Row, now: number): RouteEntry | undefined {
  const bound = findSession(db, text(row, 'session_id'));
  if (bound === undefined) return undefined;
  const { id: session_id, started_at } = liveSession(db, bound);
  const [key, stored] = [text(row, 'session_key'), textOrNull(row, 'entry_json')];
  if (stored !== null) {
    const entry = readRoute(key, stored);
    return entry && { ...entry, session_id };
  }
  const chat = { session_key: key, session_id, display_name: null, platform: 'telegram', chat_type: 'dm' };
  const origin = {
    platform: 'telegram',
    chat_id: text(row, 'chat_id'),
    chat_name: null,
    chat_type: 'dm',
    user_id: text(row, 'user_id'),
    user_name: null,
    thread_id: text(row, 'thread_id'),
    chat_topic: null,
  };
  return newRoute({ ...chat, origin }, { startedAt: started_at * 1000, now });
}
