/** The original's table `delivery_obligations`, and beside it `gateway_outbox` with what that does not hold. */
import { isRunning } from '../../lib/is-running.ts';
import type { NewReply, Outbox, Reply, ReplyState } from '../chat-inbox.ts';
import { startTicks } from '../process-identity.ts';
import { wellFormed } from '../well-formed.ts';
import { READING } from './attempts.ts';
import { number, numberOrNull, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import type { DurableWrites } from './durable-writes.ts';
import { hasTable, type OwnTable } from './own-tables.ts';

const KEPT_SECONDS = 7 * 86_400;
/** With those that end before it is looked at again there are never more than 500. */
const KEPT = 400;
const FORGET_EVERY = 100;
const MAX_ERROR = 500;

const obligations: OwnTable = {
  name: 'delivery_obligations',
  columns: {
    obligation_id: 'TEXT PRIMARY KEY',
    session_key: 'TEXT NOT NULL',
    platform: 'TEXT NOT NULL',
    chat_id: 'TEXT NOT NULL',
    thread_id: 'TEXT',
    content: 'TEXT NOT NULL',
    state: 'TEXT NOT NULL',
    attempts: 'INTEGER NOT NULL DEFAULT 0',
    created_at: 'REAL NOT NULL',
    updated_at: 'REAL NOT NULL',
    owner_pid: 'INTEGER',
    owner_started_at: 'INTEGER',
    last_error: 'TEXT',
  },
  indexes: [],
};

const details: OwnTable = {
  name: 'gateway_outbox',
  columns: {
    reply_id: 'TEXT PRIMARY KEY',
    details: 'TEXT NOT NULL',
    parts_sent: 'INTEGER NOT NULL DEFAULT 0',
    next_attempt_at: 'INTEGER',
    unknown: 'INTEGER NOT NULL DEFAULT 0',
  },
  indexes: [],
};

/** What a reply is written to. */
export const replyTables = [obligations, details] as const;

const select = `SELECT o.*, d.details, d.parts_sent, d.next_attempt_at, d.unknown
  FROM delivery_obligations o LEFT JOIN gateway_outbox d ON d.reply_id = o.obligation_id`;
export const isOpen = "state IN ('pending', 'attempting', 'failed')";
const hasEnded = "state IN ('delivered', 'abandoned')";

/** What was said in a chat goes with its session, but for what is still to be sent. Call it inside a write. */
export function deleteSent(db: Connection, sessionKey: string): void {
  if (!hasTable(db, obligations)) return;
  db.run(`DELETE FROM delivery_obligations WHERE session_key = ? AND ${hasEnded}`, sessionKey);
  if (hasTable(db, details)) forgetDetails(db);
}

export class SqliteOutbox implements Outbox {
  readonly #db: Connection;
  readonly #writes: DurableWrites;
  readonly #clock: { now(): number };
  readonly #pid = process.pid;
  #started: number | null | undefined;
  /** Once there, they stay. */
  #hasTables = false;
  /** Replies that may end before the old ones are forgotten. */
  #untilForget = 0;

  constructor(db: Connection, writes: DurableWrites, clock: { now(): number }) {
    this.#db = db;
    this.#writes = writes;
    this.#clock = clock;
  }

  add(reply: NewReply): Promise<void> {
    return this.#writes.write(replyTables, () => this.put(reply));
  }

  begin(id: string, { again = false }: { readonly again?: boolean } = {}): Promise<boolean> {
    return this.#writes.write(replyTables, () => {
      const row = this.#db.get(`SELECT * FROM delivery_obligations WHERE obligation_id = ? AND ${isOpen}`, id);
      if (row === undefined || this.#isOthers(row)) return false;
      this.#db.run(
        `UPDATE delivery_obligations SET state = 'attempting', attempts = attempts + ?, updated_at = ?, last_error = NULL,
           owner_pid = ?, owner_started_at = ? WHERE obligation_id = ?`,
        again ? 0 : 1,
        this.#now(),
        this.#pid,
        this.#startedAt(),
        id,
      );
      return true;
    });
  }

  partSent(id: string, partsSent: number): Promise<void> {
    return this.#writes.write(replyTables, () => {
      this.#db.run(
        `INSERT INTO gateway_outbox (reply_id, details, parts_sent)
           SELECT obligation_id, '{}', ?2 FROM delivery_obligations WHERE obligation_id = ?1
           ON CONFLICT(reply_id) DO UPDATE SET parts_sent = max(parts_sent, excluded.parts_sent), unknown = 0`,
        id,
        partsSent,
      );
      this.#db.run('UPDATE delivery_obligations SET attempts = 1 WHERE obligation_id = ?', id);
    });
  }

  delivered(id: string): Promise<void> {
    return this.#writes.write(replyTables, () => {
      this.#forgetOld();
      this.#end(id, 'delivered', null);
    });
  }

  failed(
    id: string,
    {
      error,
      retryAt,
      unknown = false,
    }: { readonly error: string; readonly retryAt: number; readonly unknown?: boolean },
  ): Promise<void> {
    return this.#writes.write(replyTables, () => {
      if (!this.#fail(id, shownError(error))) return;
      this.#db.run(
        `INSERT INTO gateway_outbox (reply_id, details, next_attempt_at, unknown) VALUES (?1, '{}', ?2, ?3)
           ON CONFLICT(reply_id) DO UPDATE SET next_attempt_at = ?2, unknown = unknown + ?3`,
        id,
        retryAt,
        unknown ? 1 : 0,
      );
    });
  }

  abandon(id: string, error: string, notices: readonly NewReply[] = []): Promise<void> {
    return this.#writes.write(replyTables, () => {
      this.#forgetOld();
      if (this.#end(id, 'abandoned', shownError(error))) for (const notice of notices) this.put(notice);
    });
  }

  claimOpen(platforms: readonly string[], except: ReadonlySet<string> = new Set()): Promise<readonly Reply[]> {
    return this.#writes.write(replyTables, () => {
      const rows = this.#db.all(
        `${select} WHERE ${isOpen} AND platform IN (SELECT value FROM json_each(?)) ORDER BY created_at, o.rowid`,
        JSON.stringify(platforms),
      );
      const free = rows.filter((row) => !this.#isOthers(row) && !except.has(text(row, 'obligation_id')));
      return free.map((row) => this.#claim(readRow(row)));
    });
  }

  get(id: string): Promise<Reply | undefined> {
    return this.#db.read(READING, () => {
      this.#hasTables ||= replyTables.every((table) => hasTable(this.#db, table));
      const row = this.#hasTables ? this.#db.get(`${select} WHERE obligation_id = ?`, id) : undefined;
      return row && readRow(row);
    });
  }

  /** Whether it is written down. Call it inside a write. */
  has(id: string): boolean {
    return this.#db.get('SELECT 1 FROM delivery_obligations WHERE obligation_id = ?', id) !== undefined;
  }

  /** Writes it down unless it is. Call it inside a write. */
  put(reply: NewReply): void {
    const now = this.#now();
    const { changes } = this.#db.run(
      `INSERT INTO delivery_obligations (obligation_id, session_key, platform, chat_id, thread_id, content, state,
         attempts, created_at, updated_at, owner_pid, owner_started_at) VALUES (?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?, ?, ?)
         ON CONFLICT(obligation_id) DO NOTHING`,
      reply.id,
      reply.sessionKey,
      reply.platform,
      reply.chatId,
      reply.threadId,
      reply.content,
      now,
      now,
      this.#pid,
      this.#startedAt(),
    );
    if (changes === 0) return;
    this.#db.run('INSERT OR REPLACE INTO gateway_outbox (reply_id, details) VALUES (?, ?)', reply.id, reply.details);
  }

  /** It is ours; whether what was being sent has arrived is not known. */
  #claim(reply: Reply): Reply {
    this.#db.run(
      'UPDATE delivery_obligations SET owner_pid = ?, owner_started_at = ?, updated_at = ? WHERE obligation_id = ?',
      this.#pid,
      this.#startedAt(),
      this.#now(),
      reply.id,
    );
    if (reply.state !== 'attempting') return reply;
    const lastError = 'the program ended while it was being sent';
    this.#fail(reply.id, lastError);
    this.#db.run(
      `INSERT INTO gateway_outbox (reply_id, details, unknown) VALUES (?, '{}', 1)
         ON CONFLICT(reply_id) DO UPDATE SET unknown = unknown + 1, next_attempt_at = NULL`,
      reply.id,
    );
    return { ...reply, state: 'failed', lastError, unknown: reply.unknown + 1, nextAttemptAt: null };
  }

  /** False when it is not open. */
  #fail(id: string, error: string): boolean {
    const { changes } = this.#db.run(
      `UPDATE delivery_obligations SET state = 'failed', updated_at = ?, last_error = ?
         WHERE obligation_id = ? AND ${isOpen}`,
      this.#now(),
      error,
      id,
    );
    return changes > 0;
  }

  /** False when it is there already, or had been delivered. */
  #end(id: string, state: 'delivered' | 'abandoned', error: string | null): boolean {
    const { changes } = this.#db.run(
      `UPDATE delivery_obligations SET state = ?1, updated_at = ?2, last_error = ?3
         WHERE obligation_id = ?4 AND state NOT IN ('delivered', ?1)`,
      state,
      this.#now(),
      error,
      id,
    );
    return changes > 0;
  }

  /** True when another process has it that lives. What the original wrote has no start where that is not known. */
  #isOthers(row: Row): boolean {
    const pid = number(row, 'owner_pid');
    const started = numberOrNull(row, 'owner_started_at');
    if (pid === this.#pid && (started === null || started === this.#startedAt())) return false;
    if (pid <= 0 || !isRunning(pid)) return false;
    const current = startTicks(pid);
    return started === null || current === undefined || current === started;
  }

  #forgetOld(): void {
    this.#untilForget -= 1;
    if (this.#untilForget > 0) return;
    this.#untilForget = FORGET_EVERY;
    this.#db.run(`DELETE FROM delivery_obligations WHERE ${hasEnded} AND updated_at < ?`, this.#now() - KEPT_SECONDS);
    this.#db.run(
      `DELETE FROM delivery_obligations WHERE obligation_id IN (SELECT obligation_id FROM delivery_obligations
         WHERE ${hasEnded} ORDER BY updated_at DESC LIMIT -1 OFFSET ${KEPT})`,
    );
    forgetDetails(this.#db);
  }

  #startedAt(): number | null {
    if (this.#started === undefined) this.#started = startTicks(this.#pid) ?? null;
    return this.#started;
  }

  #now(): number {
    return this.#clock.now() / 1000;
  }
}

function shownError(error: string): string {
  return wellFormed(error.slice(0, MAX_ERROR));
}

/** The original forgets rows of its table alone. */
function forgetDetails(db: Connection): void {
  db.run('DELETE FROM gateway_outbox WHERE reply_id NOT IN (SELECT obligation_id FROM delivery_obligations)');
}

function readRow(row: Row): Reply {
  const state = readState(text(row, 'state'));
  const known = numberOrNull(row, 'unknown');
  return {
    id: text(row, 'obligation_id'),
    sessionKey: text(row, 'session_key'),
    platform: text(row, 'platform'),
    chatId: text(row, 'chat_id'),
    threadId: textOrNull(row, 'thread_id'),
    content: text(row, 'content'),
    details: textOrNull(row, 'details') ?? '{}',
    state,
    attempts: number(row, 'attempts'),
    partsSent: number(row, 'parts_sent'),
    // The original does not write down whether what failed may have arrived.
    unknown: known ?? (state === 'failed' ? 1 : 0),
    createdAt: Math.round(number(row, 'created_at') * 1000),
    nextAttemptAt: state === 'failed' ? numberOrNull(row, 'next_attempt_at') : null,
    lastError: textOrNull(row, 'last_error'),
  };
}

const states: readonly ReplyState[] = ['pending', 'attempting', 'delivered', 'failed', 'abandoned'];

/** A state that a newer version may have is nothing to be sent. */
function readState(state: string): ReplyState {
  return states.find((known) => known === state) ?? 'abandoned';
}
