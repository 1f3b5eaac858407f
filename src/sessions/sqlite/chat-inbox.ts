/** The table `gateway_inbox`, in transactions. */
import {
  type Accepted,
  type ChatInbox,
  type ChatMessage,
  type ChatMessageEnd,
  type ChatMessageState,
  InboxFull,
  type MessagePart,
  type NewChatMessage,
  type NewReply,
  type ShownPreview,
} from '../chat-inbox.ts';
import { READING } from './attempts.ts';
import { number, numberOrNull, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import type { DurableWrites } from './durable-writes.ts';
import { replyTables, type SqliteOutbox } from './outbox.ts';
import { hasTable, type OwnTable } from './own-tables.ts';

const MAX_OF_KEY = 1000;
const MAX_IN_ALL = 100_000;
/** Accepted before all that are open are counted anew. */
const COUNTED_EVERY = 1000;
const KEPT_MS = 7 * 86_400_000;
const FORGET_EVERY_MS = 600_000;
const FORGOTTEN_AT_ONCE = 1000;
const PAGE = 1000;

export const inbox: OwnTable = {
  name: 'gateway_inbox',
  columns: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    platform: 'TEXT NOT NULL',
    event_id: 'TEXT NOT NULL',
    session_key: 'TEXT NOT NULL',
    // Empty when it has ended.
    event: 'TEXT NOT NULL',
    received_at: 'INTEGER NOT NULL',
    state: 'TEXT NOT NULL',
    attempts: 'INTEGER NOT NULL DEFAULT 0',
    session_id: 'TEXT',
    turn_after: 'INTEGER',
    // The place of its part in `parts`.
    steered: 'INTEGER NOT NULL DEFAULT 0',
    preview_id: 'TEXT',
    // 1: a preview may stand in the chat whose id nobody knows.
    preview_unknown: 'INTEGER NOT NULL DEFAULT 0',
    // Null while it waits or runs.
    ended_at: 'INTEGER',
  },
  indexes: [
    'idx_gateway_inbox_open ON gateway_inbox(session_key, id) WHERE ended_at IS NULL',
    'idx_gateway_inbox_order ON gateway_inbox(id) WHERE ended_at IS NULL',
    'idx_gateway_inbox_ended ON gateway_inbox(ended_at) WHERE ended_at IS NOT NULL',
  ],
  unique: ['idx_gateway_inbox_event ON gateway_inbox(platform, event_id)'],
};

export class SqliteChatInbox implements ChatInbox {
  readonly #db: Connection;
  readonly #writes: DurableWrites;
  readonly #clock: { now(): number };
  readonly #outbox: SqliteOutbox;
  /** Once there, it stays. */
  #hasTable = false;
  /** How many may be accepted before it has to be looked at how many are open. */
  #room = 0;
  #forgetAt = 0;

  constructor(db: Connection, writes: DurableWrites, clock: { now(): number }, outbox: SqliteOutbox) {
    this.#db = db;
    this.#writes = writes;
    this.#clock = clock;
    this.#outbox = outbox;
  }

  accept(message: NewChatMessage): Promise<Accepted> {
    return this.#writes.write([inbox], () => this.put(message));
  }

  /** Inside a write to `inbox`. */
  put(message: NewChatMessage): Accepted {
    if (this.#isKnown(message.platform, message.eventId)) return 'duplicate';
    this.#refuseFull(message.sessionKey);
    this.#forgetOld();
    this.#db.run(
      `INSERT INTO gateway_inbox (platform, event_id, session_key, event, received_at, state)
         VALUES (?, ?, ?, ?, ?, 'waiting')`,
      message.platform,
      message.eventId,
      message.sessionKey,
      message.event,
      message.receivedAt,
    );
    return 'accepted';
  }

  isKnown(platform: string, eventId: string): Promise<boolean> {
    return this.#read(() => this.#isKnown(platform, eventId), false);
  }

  open({ afterId = 0, limit = PAGE }: { afterId?: number; limit?: number } = {}): Promise<readonly ChatMessage[]> {
    const sql = 'SELECT * FROM gateway_inbox WHERE ended_at IS NULL AND id > ? ORDER BY id LIMIT ?';
    return this.#read(() => this.#db.all(sql, afterId, limit).map(readRow), []);
  }

  waiting(sessionKey: string): Promise<readonly ChatMessage[]> {
    return this.#openOf(sessionKey, 'waiting');
  }

  running(sessionKey: string): Promise<readonly ChatMessage[]> {
    return this.#openOf(sessionKey, 'running');
  }

  begin(
    ids: readonly number[],
    turn: { readonly sessionId: string; readonly turnAfter: number | null; readonly steered?: boolean },
  ): Promise<readonly ChatMessage[]> {
    const sql = `UPDATE gateway_inbox SET state = 'running', attempts = attempts + 1, session_id = ?, turn_after = ?,
        steered = ?
      WHERE id = ? AND ended_at IS NULL RETURNING *`;
    return this.#writes.write([inbox], () => {
      const { sessionId, turnAfter, steered = false } = turn;
      return ids.flatMap((id) =>
        this.#db.all(sql, sessionId, turnAfter, parts.indexOf(steered ? 'steered' : 'own'), id).map(readRow),
      );
    });
  }

  carry(ids: readonly number[]): Promise<void> {
    return this.#writes.write([inbox], () => {
      const sql = "UPDATE gateway_inbox SET state = 'running', steered = ? WHERE id = ? AND ended_at IS NULL";
      for (const id of ids) this.#db.run(sql, parts.indexOf('carried'), id);
    });
  }

  putBack(ids: readonly number[]): Promise<void> {
    return this.#writes.write([inbox], () => {
      const sql = "UPDATE gateway_inbox SET state = 'waiting' WHERE id = ? AND state = 'running'";
      for (const id of ids) this.#db.run(sql, id);
    });
  }

  setPreview(id: number, { messageId, unknown }: ShownPreview): Promise<void> {
    return this.#writes.write([inbox], () => {
      const sql = 'UPDATE gateway_inbox SET preview_id = ?, preview_unknown = ? WHERE id = ? AND ended_at IS NULL';
      this.#db.run(sql, messageId, unknown ? 1 : 0, id);
    });
  }

  end(ids: readonly number[], as: ChatMessageEnd, replies: readonly NewReply[] = []): Promise<readonly string[]> {
    return this.#writes.write([inbox, ...(replies.length > 0 ? replyTables : [])], () => {
      const sql = "UPDATE gateway_inbox SET state = ?, ended_at = ?, event = '' WHERE id = ? AND ended_at IS NULL";
      const now = this.#clock.now();
      const ended = ids.filter((id) => this.#db.run(sql, as, now, id).changes > 0);
      // What had ended before was answered: nobody is told twice.
      if (ids.length === 0 || ended.length > 0) for (const reply of replies) this.#outbox.put(reply);
      return replies.map(({ id }) => id).filter((id) => this.#outbox.has(id));
    });
  }

  count(): Promise<number> {
    return this.#read(() => this.#countOpen(), 0);
  }

  #openOf(sessionKey: string, state: 'waiting' | 'running'): Promise<readonly ChatMessage[]> {
    const sql = 'SELECT * FROM gateway_inbox WHERE session_key = ? AND ended_at IS NULL AND state = ? ORDER BY id';
    return this.#read(() => this.#db.all(sql, sessionKey, state).map(readRow), []);
  }

  /** A store that is only read may have no such table. */
  #read<T>(work: () => T, otherwise: T): Promise<T> {
    return this.#db.read(READING, () => {
      this.#hasTable ||= hasTable(this.#db, inbox);
      return this.#hasTable ? work() : otherwise;
    });
  }

  #isKnown(platform: string, eventId: string): boolean {
    const sql = 'SELECT 1 FROM gateway_inbox WHERE platform = ? AND event_id = ?';
    return this.#db.get(sql, platform, eventId) !== undefined;
  }

  #refuseFull(sessionKey: string): void {
    const sql = `SELECT count(*) AS n FROM
      (SELECT 1 FROM gateway_inbox WHERE session_key = ? AND ended_at IS NULL LIMIT ${MAX_OF_KEY})`;
    if (number(this.#db.get(sql, sessionKey) ?? {}, 'n') >= MAX_OF_KEY) {
      throw new InboxFull(`There are already ${MAX_OF_KEY} messages of this chat that wait for an answer.`, {
        hint: 'Send it again when some of them have been answered.',
      });
    }
    if (this.#room === 0) this.#room = Math.min(COUNTED_EVERY, MAX_IN_ALL - this.#countOpen());
    if (this.#room <= 0) {
      this.#room = 0;
      throw new InboxFull(`There are already ${MAX_IN_ALL} messages that wait for an answer.`, {
        hint: 'Send it again when some of them have been answered.',
      });
    }
    this.#room -= 1;
  }

  #countOpen(): number {
    return number(this.#db.get('SELECT count(*) AS n FROM gateway_inbox WHERE ended_at IS NULL') ?? {}, 'n');
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    if (now < this.#forgetAt) return;
    const { changes } = this.#db.run(
      `DELETE FROM gateway_inbox WHERE id IN
         (SELECT id FROM gateway_inbox WHERE ended_at < ? ORDER BY ended_at LIMIT ${FORGOTTEN_AT_ONCE})`,
      now - KEPT_MS,
    );
    // Many are forgotten little by little, so that nothing waits for it.
    this.#forgetAt = now + (changes < FORGOTTEN_AT_ONCE ? FORGET_EVERY_MS : 1000);
  }
}

const parts: readonly MessagePart[] = ['own', 'steered', 'carried'];

function readRow(row: Row): ChatMessage {
  return {
    id: number(row, 'id'),
    platform: text(row, 'platform'),
    eventId: text(row, 'event_id'),
    sessionKey: text(row, 'session_key'),
    event: text(row, 'event'),
    receivedAt: number(row, 'received_at'),
    state: readState(text(row, 'state')),
    attempts: number(row, 'attempts'),
    sessionId: textOrNull(row, 'session_id'),
    turnAfter: numberOrNull(row, 'turn_after'),
    part: parts[number(row, 'steered')] ?? 'own',
    preview: { messageId: textOrNull(row, 'preview_id'), unknown: number(row, 'preview_unknown') !== 0 },
  };
}

/** Of what has not ended. */
function readState(state: string): ChatMessageState {
  return state === 'running' ? 'running' : 'waiting';
}
