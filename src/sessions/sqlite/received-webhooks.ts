/** The table `webhook_deliveries`, in transactions. */
import type { NewWebhook, ReceivedWebhook, ReceivedWebhooks, WebhookState } from '../received-webhooks.ts';
import { READING } from './attempts.ts';
import { number, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import type { DurableWrites } from './durable-writes.ts';
import { hasTable, type OwnTable } from './own-tables.ts';

const KEPT_MS = 3_600_000;
const MAX_ENDED = 10_000;
const FORGET_EVERY_MS = 60_000;
/** More are not open at the same time: whoever accepts them has a lower limit. */
const MAX_OPEN = 10_000;

const deliveries: OwnTable = {
  name: 'webhook_deliveries',
  columns: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    route: 'TEXT NOT NULL',
    delivery_id: 'TEXT NOT NULL',
    // Empty when it has ended.
    job: 'TEXT NOT NULL',
    received_at: 'INTEGER NOT NULL',
    state: 'TEXT NOT NULL',
    attempts: 'INTEGER NOT NULL DEFAULT 0',
    session_id: 'TEXT',
    answer: 'TEXT',
    // Null while it is open.
    ended_at: 'INTEGER',
  },
  indexes: [
    'idx_webhook_deliveries_open ON webhook_deliveries(id) WHERE ended_at IS NULL',
    'idx_webhook_deliveries_ended ON webhook_deliveries(received_at) WHERE ended_at IS NOT NULL',
  ],
  unique: ['idx_webhook_deliveries_key ON webhook_deliveries(route, delivery_id)'],
};

export class SqliteReceivedWebhooks implements ReceivedWebhooks {
  readonly #db: Connection;
  readonly #writes: DurableWrites;
  readonly #clock: { now(): number };
  #forgetAt = 0;

  constructor(db: Connection, writes: DurableWrites, clock: { now(): number }) {
    this.#db = db;
    this.#writes = writes;
    this.#clock = clock;
  }

  accept({ route, deliveryId, job }: NewWebhook): Promise<number | undefined> {
    return this.#write(() => {
      if (this.#isKnown(route, deliveryId)) return undefined;
      this.#forgetOld();
      this.#db.run('DELETE FROM webhook_deliveries WHERE route = ? AND delivery_id = ?', route, deliveryId);
      const row = this.#db.get(
        `INSERT INTO webhook_deliveries (route, delivery_id, job, received_at, state)
           VALUES (?, ?, ?, ?, 'waiting') RETURNING id`,
        route,
        deliveryId,
        job,
        this.#clock.now(),
      );
      return number(row ?? {}, 'id');
    });
  }

  isKnown({ route, deliveryId }: Pick<NewWebhook, 'route' | 'deliveryId'>): Promise<boolean> {
    return this.#read(() => this.#isKnown(route, deliveryId), false);
  }

  begin(id: number, sessionId: string): Promise<void> {
    return this.#set("state = 'running', attempts = attempts + 1, session_id = ?", sessionId, id);
  }

  answered(id: number, answer: string): Promise<void> {
    return this.#set("state = 'answered', answer = ?", answer, id);
  }

  end(id: number): Promise<void> {
    return this.#set("state = 'ended', job = '', answer = NULL, ended_at = ?", this.#clock.now(), id);
  }

  forget(id: number): Promise<void> {
    return this.#write(() => void this.#db.run('DELETE FROM webhook_deliveries WHERE id = ?', id));
  }

  open(): Promise<readonly ReceivedWebhook[]> {
    const sql = 'SELECT * FROM webhook_deliveries WHERE ended_at IS NULL ORDER BY id LIMIT ?';
    return this.#read(() => this.#db.all(sql, MAX_OPEN).map(readRow), []);
  }

  #set(change: string, value: string | number, id: number): Promise<void> {
    const sql = `UPDATE webhook_deliveries SET ${change} WHERE id = ? AND ended_at IS NULL`;
    return this.#write(() => void this.#db.run(sql, value, id));
  }

  #write<T>(work: () => T): Promise<T> {
    return this.#writes.write([deliveries], work);
  }

  /** A store that is only read may have no such table. */
  #read<T>(work: () => T, otherwise: T): Promise<T> {
    return this.#db.read(READING, () => (hasTable(this.#db, deliveries) ? work() : otherwise));
  }

  #isKnown(route: string, deliveryId: string): boolean {
    const sql = `SELECT 1 FROM webhook_deliveries
      WHERE route = ? AND delivery_id = ? AND (ended_at IS NULL OR received_at > ?)`;
    return this.#db.get(sql, route, deliveryId, this.#clock.now() - KEPT_MS) !== undefined;
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + FORGET_EVERY_MS;
    const ended = 'DELETE FROM webhook_deliveries WHERE ended_at IS NOT NULL AND';
    this.#db.run(`${ended} received_at <= ?`, now - KEPT_MS);
    this.#db.run(
      `${ended} id <= (SELECT id FROM webhook_deliveries WHERE ended_at IS NOT NULL ORDER BY id DESC LIMIT 1 OFFSET ?)`,
      MAX_ENDED,
    );
  }
}

function readRow(row: Row): ReceivedWebhook {
  return {
    id: number(row, 'id'),
    route: text(row, 'route'),
    deliveryId: text(row, 'delivery_id'),
    job: text(row, 'job'),
    state: readState(text(row, 'state')),
    attempts: number(row, 'attempts'),
    sessionId: textOrNull(row, 'session_id'),
    answer: textOrNull(row, 'answer'),
    receivedAt: number(row, 'received_at'),
  };
}

function readState(state: string): WebhookState {
  return state === 'running' || state === 'answered' ? state : 'waiting';
}
