/** The tables `telegram_dm_topic_…`: what they are made of, and the session of each topic kept true. Call it inside a write. */
import type { RouteEntry } from '../chat-routes.ts';
import { originPart } from '../route-entry.ts';
import { text } from './columns.ts';
import type { Connection } from './connection.ts';
import { ensureFitting, hasTable, type OwnTable } from './own-tables.ts';
import { createTable } from './schema.ts';

const modes: OwnTable = {
  name: 'telegram_dm_topic_mode',
  columns: {
    chat_id: 'TEXT PRIMARY KEY',
    user_id: 'TEXT NOT NULL',
    enabled: 'INTEGER NOT NULL DEFAULT 1',
    activated_at: 'REAL NOT NULL',
    updated_at: 'REAL NOT NULL',
    has_topics_enabled: 'INTEGER',
    allows_users_to_create_topics: 'INTEGER',
    capability_checked_at: 'REAL',
    intro_message_id: 'TEXT',
    pinned_message_id: 'TEXT',
  },
  indexes: [],
};
const bindings: OwnTable = {
  name: 'telegram_dm_topic_bindings',
  columns: {
    chat_id: 'TEXT NOT NULL',
    thread_id: 'TEXT NOT NULL',
    user_id: 'TEXT NOT NULL',
    session_key: 'TEXT NOT NULL',
    session_id: 'TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE',
    managed_mode: "TEXT NOT NULL DEFAULT 'auto'",
    linked_at: 'REAL NOT NULL',
    updated_at: 'REAL NOT NULL',
  },
  indexes: ['idx_telegram_dm_topic_bindings_user ON telegram_dm_topic_bindings(user_id, chat_id)'],
  unique: ['idx_telegram_dm_topic_bindings_session ON telegram_dm_topic_bindings(session_id)'],
};

/** In `state_meta`, as the original has it: 1 had sessions that could not be deleted. */
const VERSION = 'telegram_dm_topic_schema_version';
/** The General topic is the chat itself. */
const GENERAL = '1';

/** A topic of a private chat, and the session that it has. */
export interface Topic {
  readonly chatId: string;
  readonly threadId: string;
  readonly userId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
}

export function hasTopicTables(db: Connection): boolean {
  return hasTable(db, modes) && hasTable(db, bindings);
}

/** Throws `UserError` when a newer version has made tables that take no rows of ours. */
export function ensureTopicTables(db: Connection): void {
  ensureFitting(db, modes);
  ensureFitting(db, bindings);
  const keys = db.all('SELECT "table", on_delete FROM pragma_foreign_key_list(?)', bindings.name);
  if (keys.some((key) => text(key, 'table') === 'sessions' && text(key, 'on_delete') !== 'CASCADE')) rebuild(db);
  db.run("INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, '2')", VERSION);
}

export function isTopicChat(db: Connection, { chatId, userId }: Pick<Topic, 'chatId' | 'userId'>): boolean {
  if (!hasTopicTables(db)) return false;
  const sql = 'SELECT 1 FROM telegram_dm_topic_mode WHERE chat_id = ? AND user_id = ? AND enabled <> 0';
  return db.get(sql, chatId, userId) !== undefined;
}

/** The topic that a chat of the routing index is; undefined for every other chat. */
export function topicOfRoute({ session_key, session_id, platform, chat_type, origin }: RouteEntry): Topic | undefined {
  if (platform !== 'telegram' || chat_type !== 'dm') return undefined;
  const [chatId, threadId, userId] = ['chat_id', 'thread_id', 'user_id'].map((name) => originPart(origin, name));
  if (chatId == null || threadId == null || userId == null || threadId === GENERAL) return undefined;
  return { chatId, threadId, userId, sessionKey: session_key, sessionId: session_id };
}

/**
 * Where each topic is a conversation, this one has its session from now on, and no other has. A session that is not stored
 * yet is bound when it is: until then the topic has none.
 */
export function bindTopic(db: Connection, topic: Topic, now: number, as: 'auto' | 'restored' = 'auto'): void {
  if (!isTopicChat(db, topic)) return;
  const { chatId, threadId, userId, sessionKey, sessionId } = topic;
  const elsewhere =
    'DELETE FROM telegram_dm_topic_bindings WHERE session_id = ? AND NOT (chat_id = ? AND thread_id = ?)';
  db.run(elsewhere, sessionId, chatId, threadId);
  if (db.get('SELECT 1 FROM sessions WHERE id = ?', sessionId) === undefined) {
    const stale = 'DELETE FROM telegram_dm_topic_bindings WHERE chat_id = ? AND thread_id = ? AND session_id <> ?';
    db.run(stale, chatId, threadId, sessionId);
    return;
  }
  db.run(
    `INSERT INTO telegram_dm_topic_bindings
       (chat_id, thread_id, user_id, session_key, session_id, managed_mode, linked_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
     ON CONFLICT(chat_id, thread_id) DO UPDATE SET
       managed_mode = CASE WHEN session_id = ?5 AND ?6 = 'auto' THEN managed_mode ELSE ?6 END,
       user_id = ?3, session_key = ?4, session_id = ?5, updated_at = ?7`,
    chatId,
    threadId,
    userId,
    sessionKey,
    sessionId,
    as,
    now,
  );
}

/** The chat of this key has no session any more. */
export function freeTopic(db: Connection, sessionKey: string): void {
  if (hasTopicTables(db)) db.run('DELETE FROM telegram_dm_topic_bindings WHERE session_key = ?', sessionKey);
}

/** Before sessions are deleted: in the first version of the table that was refused while they had a topic. */
export function freeSession(db: Connection, sessionId: string): void {
  if (hasTopicTables(db)) db.run('DELETE FROM telegram_dm_topic_bindings WHERE session_id = ?', sessionId);
}

/** What a table refers to cannot be changed in place. */
function rebuild(db: Connection): void {
  const { name, columns, indexes, unique = [] } = bindings;
  const names = Object.keys(columns).join(', ');
  db.exec(`ALTER TABLE ${name} RENAME TO ${name}_v1`);
  for (const index of [...indexes, ...unique]) db.exec(`DROP INDEX IF EXISTS ${index.split(' ')[0]}`);
  db.exec(createTable(name, columns));
  db.exec(`INSERT INTO ${name} (${names}) SELECT ${names} FROM ${name}_v1`);
  db.exec(`DROP TABLE ${name}_v1`);
  for (const index of indexes) db.exec(`CREATE INDEX ${index}`);
  for (const index of unique) db.exec(`CREATE UNIQUE INDEX ${index}`);
}
