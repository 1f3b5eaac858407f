/** Conversations of chats, for those who look on. */
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { type AssistantMessage, type HistoryMessage, kindOf, type UserMessage } from '../../llm/message.ts';
import type { ChatConversation, ChatReading, SaidInChat, SaidPage } from '../chat-reading.ts';
import { readRoute } from '../route-entry.ts';
import { READING } from './attempts.ts';
import { number, numberOrNull, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { readMessage } from './message-row.ts';
import { routingScope } from './routing-scope.ts';
import { goesOn } from './session-row.ts';

const MAX_CONVERSATIONS = 10_000;

const sessionOf = "CASE WHEN json_valid(entry_json) THEN json_extract(entry_json, '$.session_id') END";

/**
 * A chat goes on in the session that its route names; where it has none, as in homes of older versions, in the newest
 * session of its own that has not ended.
 */
const conversations = `WITH live AS (
    SELECT session_key AS chat, ${sessionOf} AS session, entry_json AS entry FROM gateway_routing WHERE scope = ?1
    UNION ALL
    SELECT session_key, id, NULL FROM sessions WHERE session_key IS NOT NULL
      AND started_at = (SELECT max(started_at) FROM sessions newer WHERE newer.session_key = sessions.session_key)
      AND NOT EXISTS (SELECT 1 FROM gateway_routing r WHERE r.scope = ?1 AND r.session_key = sessions.session_key))
  SELECT live.chat, live.entry, sessions.id, source, chat_id, chat_type, thread_id, display_name, origin_json, started_at,
    input_tokens, output_tokens,
    COALESCE((SELECT max(timestamp) FROM messages WHERE session_id = sessions.id), started_at) AS last_active
  FROM live JOIN sessions ON sessions.id = live.session WHERE ${goesOn}`;
const said = `SELECT messages.*, sessions.session_key, sessions.parent_session_id FROM messages
  JOIN sessions ON sessions.id = messages.session_id
  WHERE messages.id > ? AND messages.active = 1 AND messages.role IN ('user', 'assistant') ORDER BY messages.id LIMIT ?`;

export class SqliteChatReading implements ChatReading {
  readonly #db: Connection;
  readonly #scope: string;

  constructor(db: Connection) {
    this.#db = db;
    this.#scope = routingScope(db.path);
  }

  conversations(): Promise<readonly ChatConversation[]> {
    const sql = `${conversations} ORDER BY last_active DESC LIMIT ${MAX_CONVERSATIONS}`;
    return this.#db.read(READING, () => this.#db.all(sql, this.#scope).map(readConversation));
  }

  conversation(sessionKey: string): Promise<ChatConversation | undefined> {
    return this.#db.read(READING, () => {
      const row = this.#db.get(`${conversations} AND live.chat = ?2`, this.#scope, sessionKey);
      return row && readConversation(row);
    });
  }

  newest(): Promise<number> {
    return this.#db.read(READING, () => number(this.#db.get('SELECT max(id) AS id FROM messages') ?? {}, 'id'));
  }

  saidAfter(id: number, limit: number): Promise<SaidPage> {
    return this.#db.read(READING, () => {
      const rows = this.#db.all(said, id, limit);
      const keys = new Map<string, string | null>();
      const begun = new Map<string, boolean>();
      const messages: SaidInChat[] = [];
      for (const row of rows) {
        const message = readMessage(row);
        const session = text(row, 'session_id');
        const sessionKey = keys.get(session) ?? textOrNull(row, 'session_key') ?? this.#routedTo(session);
        keys.set(session, sessionKey);
        // What a list that was put in the place of another begins with was said before.
        const isAnew = begun.get(session) ?? !this.#hasBefore(session, id);
        const isNew = !isAnew || (message !== undefined && isSpoken(message) && !this.#wasSaid(row, id));
        begun.set(session, !isNew);
        if (!isNew || sessionKey === null || message === undefined || !isSpoken(message)) continue;
        messages.push({ id: number(row, 'id'), sessionKey, timestamp: number(row, 'timestamp'), message });
      }
      return { messages, upTo: numberOrNull(rows.at(-1) ?? {}, 'id') ?? undefined };
    });
  }

  /** A branch, or a conversation of the terminal that a chat goes on in, has no key of its own. */
  #routedTo(sessionId: string): string | null {
    const sql = `SELECT session_key FROM gateway_routing WHERE scope = ? AND ${sessionOf} = ? LIMIT 1`;
    return textOrNull(this.#db.get(sql, this.#scope, sessionId) ?? {}, 'session_key');
  }

  #hasBefore(sessionId: string, id: number): boolean {
    const sql = 'SELECT 1 FROM messages WHERE session_id = ? AND active = 1 AND id <= ? LIMIT 1';
    return this.#db.get(sql, sessionId, id) !== undefined;
  }

  /** The same words stand further up, in this session or in the one it comes of. */
  #wasSaid(row: Row, before: number): boolean {
    const sql = `SELECT 1 FROM messages WHERE session_id IN (?, ?) AND id <= ? AND role = ? AND content IS ? LIMIT 1`;
    const session = text(row, 'session_id');
    const parent = textOrNull(row, 'parent_session_id') ?? session;
    return this.#db.get(sql, session, parent, before, text(row, 'role'), textOrNull(row, 'content')) !== undefined;
  }
}

const spoken: Readonly<Record<string, ReadonlySet<string>>> = {
  user: new Set(['said', 'steer']),
  // A note of the agent stands in the chat as well.
  assistant: new Set(['answer', 'interrupted', 'note']),
};

function isSpoken(message: HistoryMessage): message is UserMessage | AssistantMessage {
  return spoken[message.role]?.has(kindOf(message)) === true;
}

function readConversation(row: Row): ChatConversation {
  const sessionKey = text(row, 'chat');
  const route = readRoute(sessionKey, text(row, 'entry'));
  const own = parseJson(text(row, 'origin_json'));
  const origin = route?.origin ?? (isJsonObject(own) ? own : undefined);
  const ofOrigin = (name: string): string | null => {
    const value = origin?.[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  };
  return {
    sessionKey,
    sessionId: text(row, 'id'),
    platform: route?.platform ?? ofOrigin('platform') ?? text(row, 'source'),
    chatId: ofOrigin('chat_id') ?? textOrNull(row, 'chat_id'),
    chatType: route?.chat_type ?? textOrNull(row, 'chat_type'),
    threadId: ofOrigin('thread_id') ?? textOrNull(row, 'thread_id'),
    displayName: route?.display_name ?? textOrNull(row, 'display_name'),
    origin,
    startedAt: number(row, 'started_at'),
    lastActive: number(row, 'last_active'),
    inputTokens: number(row, 'input_tokens'),
    outputTokens: number(row, 'output_tokens'),
  };
}
