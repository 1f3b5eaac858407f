/** The tables `telegram_dm_topic_…`, in transactions. */
import type { RouteEntry } from '../chat-routes.ts';
import type { ChatTopics, TopicAbilities, TopicBinding, TopicChat } from '../chat-topics.ts';
import { readRoute } from '../route-entry.ts';
import { READING } from './attempts.ts';
import { routing, type SqliteChatRoutes } from './chat-routes.ts';
import { text } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import type { DurableWrites } from './durable-writes.ts';
import { routingScope } from './routing-scope.ts';
import { goesOn, reopenSession } from './session-row.ts';
import { bindTopic, ensureTopicTables, hasTopicTables, isTopicChat, topicOfRoute } from './topic-tables.ts';

const selected = 'SELECT chat_id, thread_id, user_id, session_key, session_id FROM telegram_dm_topic_bindings';

export class SqliteChatTopics implements ChatTopics {
  readonly #db: Connection;
  readonly #writes: DurableWrites;
  readonly #routes: SqliteChatRoutes;
  readonly #now: () => number;
  readonly #scope: string;

  /** `now` in Unix seconds. */
  constructor(db: Connection, writes: DurableWrites, routes: SqliteChatRoutes, now: () => number) {
    this.#db = db;
    this.#writes = writes;
    this.#routes = routes;
    this.#now = now;
    this.#scope = routingScope(db.path);
  }

  isOn(chat: TopicChat): Promise<boolean> {
    return this.#db.read(READING, () => isTopicChat(this.#db, chat));
  }

  turnOn({ chatId, userId }: TopicChat, { enabled, peopleMayCreate }: TopicAbilities): Promise<void> {
    return this.#writes.write([routing], () => {
      ensureTopicTables(this.#db);
      this.#db.run(
        `INSERT INTO telegram_dm_topic_mode (chat_id, user_id, enabled, activated_at, updated_at, has_topics_enabled,
           allows_users_to_create_topics, capability_checked_at) VALUES (?1, ?2, 1, ?3, ?3, ?4, ?5, ?3)
         ON CONFLICT(chat_id) DO UPDATE SET user_id = ?2, enabled = 1, updated_at = ?3, has_topics_enabled = ?4,
           allows_users_to_create_topics = ?5, capability_checked_at = ?3`,
        chatId,
        userId,
        this.#now(),
        flag(enabled),
        flag(peopleMayCreate),
      );
      for (const route of this.#routesOf(chatId)) {
        const topic = topicOfRoute(route);
        if (topic !== undefined && this.#read('session_id', topic.sessionId) === undefined)
          bindTopic(this.#db, topic, this.#now());
      }
    });
  }

  turnOff(chat: TopicChat): Promise<boolean> {
    return this.#writes.write([], () => {
      if (!isTopicChat(this.#db, chat)) return false;
      this.#end(chat.chatId);
      this.#db.run('DELETE FROM telegram_dm_topic_bindings WHERE chat_id = ?', chat.chatId);
      return true;
    });
  }

  at(chatId: string, threadId: string): Promise<TopicBinding | undefined> {
    return this.#db.read(READING, () => this.#at(chatId, threadId));
  }

  ofSession(sessionId: string): Promise<TopicBinding | undefined> {
    return this.#db.read(READING, () => this.#read('session_id', sessionId));
  }

  ofPerson(userId: string): Promise<readonly TopicBinding[]> {
    return this.#db.read(READING, () => {
      if (!hasTopicTables(this.#db)) return [];
      return this.#db.all(`${selected} WHERE user_id = ? ORDER BY updated_at DESC`, userId).map(read);
    });
  }

  restore(route: RouteEntry, before: string | undefined): Promise<boolean> {
    const topic = topicOfRoute(route);
    if (topic === undefined) return Promise.resolve(false);
    const { sessionId, chatId, threadId } = topic;
    const switched = `UPDATE sessions SET ended_at = ?, end_reason = 'session_switch' WHERE id = ? AND ${goesOn}`;
    return this.#writes.write([routing], () => {
      const other = this.#read('session_id', sessionId);
      const isStored = this.#db.get('SELECT 1 FROM sessions WHERE id = ?', sessionId) !== undefined;
      if (!isStored || (other !== undefined && (other.chatId !== chatId || other.threadId !== threadId))) return false;
      if (before !== undefined && before !== sessionId) this.#db.run(switched, this.#now(), before);
      reopenSession(this.#db, sessionId);
      this.#routes.put(route);
      bindTopic(this.#db, topic, this.#now(), 'restored');
      return true;
    });
  }

  gone(chatId: string, threadId: string): Promise<void> {
    return this.#writes.write([], () => {
      if (this.#at(chatId, threadId) === undefined) return;
      this.#db.run('DELETE FROM telegram_dm_topic_bindings WHERE chat_id = ? AND thread_id = ?', chatId, threadId);
      if (this.#read('chat_id', chatId) === undefined) this.#end(chatId);
    });
  }

  #end(chatId: string): void {
    const sql = 'UPDATE telegram_dm_topic_mode SET enabled = 0, updated_at = ? WHERE chat_id = ?';
    this.#db.run(sql, this.#now(), chatId);
  }

  #at(chatId: string, threadId: string): TopicBinding | undefined {
    if (!hasTopicTables(this.#db)) return undefined;
    const row = this.#db.get(`${selected} WHERE chat_id = ? AND thread_id = ?`, chatId, threadId);
    return row && read(row);
  }

  #read(column: 'chat_id' | 'session_id', value: string): TopicBinding | undefined {
    if (!hasTopicTables(this.#db)) return undefined;
    const row = this.#db.get(`${selected} WHERE ${column} = ?`, value);
    return row && read(row);
  }

  #routesOf(chatId: string): readonly RouteEntry[] {
    const rows = this.#db.all(
      `SELECT session_key, entry_json FROM gateway_routing WHERE scope = ?
         AND CASE WHEN json_valid(entry_json) THEN CAST(json_extract(entry_json, '$.origin.chat_id') AS TEXT) END = ?`,
      this.#scope,
      chatId,
    );
    return rows.flatMap((row) => readRoute(text(row, 'session_key'), text(row, 'entry_json')) ?? []);
  }
}

function read(row: Row): TopicBinding {
  return {
    chatId: text(row, 'chat_id'),
    threadId: text(row, 'thread_id'),
    userId: text(row, 'user_id'),
    sessionKey: text(row, 'session_key'),
    sessionId: text(row, 'session_id'),
  };
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}
