/** The table `async_delegations`, in transactions. */
import { randomUUID } from 'node:crypto';
import { isRunning } from '../../lib/is-running.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type {
  ClaimedDelegation,
  DelegationEnd,
  DelegationRecords,
  NewDelegation,
  WaitingDelegation,
} from '../delegation-records.ts';
import { isDead, ownProcess, type ProcessIdentity, startTicks } from '../process-identity.ts';
import { READING, SAVING } from './attempts.ts';
import { number, numberOrNull, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { type OwnTable, ensureTable, hasTable } from './own-tables.ts';
import { tables } from './schema.ts';

const keptSeconds = 7 * 86_400;
const mostEnded = 50;
const mostWaiting = 1000;
const claimSeconds = 300;

const table: OwnTable = {
  name: 'async_delegations',
  columns: tables.async_delegations,
  indexes: ['idx_async_delegations_delivery ON async_delegations(delivery_state, completed_at)'],
};

const isOpen = "state IN ('running', 'finalizing')";
const isDue = `NOT ${isOpen} AND delivery_state = 'pending' AND event_json IS NOT NULL`;

export class SqliteDelegations implements DelegationRecords {
  readonly #db: Connection;
  readonly #now: () => number;
  #self: ProcessIdentity | undefined;

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  async begin({ id, originSession, parentSessionId, dispatchedAt, task }: NewDelegation): Promise<void> {
    await this.#db.write(SAVING, () => {
      ensureTable(this.#db, table);
      this.#db.run(
        `INSERT INTO async_delegations (delegation_id, origin_session, parent_session_id, state, dispatched_at, updated_at,
           delivery_state, delivery_attempts, owner_pid, owner_started_at, task_json)
         VALUES (?, ?, ?, 'running', ?, ?, 'pending', 0, ?, ?, ?)`,
        id,
        originSession,
        parentSessionId,
        dispatchedAt,
        this.#now(),
        process.pid,
        startTicks(process.pid) ?? null,
        JSON.stringify({ ...task, owner: { ...this.#own } }),
      );
      this.#prune();
    });
  }

  async finish(id: string, { state, completedAt, event, result }: DelegationEnd): Promise<void> {
    await this.#db.write(SAVING, () => {
      this.#db.run(
        `UPDATE async_delegations SET state = ?, completed_at = ?, updated_at = ?, event_json = ?, result_json = ?,
           delivery_state = 'pending' WHERE delegation_id = ? AND ${isOpen}`,
        state,
        completedAt,
        this.#now(),
        JSON.stringify(event),
        JSON.stringify(result),
        id,
      );
    });
  }

  async claim(parentSessionIds: readonly string[], consumer: string): Promise<readonly ClaimedDelegation[]> {
    return await this.#onDue((due) =>
      due.flatMap((row) => {
        const event = parseJson(text(row, 'event_json'));
        const isTheirs = parentSessionIds.includes(text(row, 'parent_session_id'));
        if (!isTheirs || !isJsonObject(event) || this.#isClaimed(row)) return [];
        const id = text(row, 'delegation_id');
        const claim = this.#newClaim(consumer);
        this.#db.run(
          `UPDATE async_delegations SET delivery_claim = ?, delivery_claimed_at = ?, updated_at = ?,
             delivery_attempts = delivery_attempts + 1 WHERE delegation_id = ?`,
          claim,
          this.#now(),
          this.#now(),
          id,
        );
        return [{ id, event, again: number(row, 'delivery_attempts') > 0, claim }];
      }),
    );
  }

  async delivered(id: string, claim: string): Promise<boolean> {
    return await this.#db.write(SAVING, () => {
      const now = this.#now();
      return (
        this.#db.run(
          `UPDATE async_delegations SET delivery_state = 'delivered', delivered_at = ?, updated_at = ?,
             delivery_claim = NULL, delivery_claimed_at = NULL
           WHERE delegation_id = ? AND delivery_state = 'pending' AND delivery_claim = ?`,
          now,
          now,
          id,
          claim,
        ).changes === 1
      );
    });
  }

  async release(id: string, claim: string): Promise<void> {
    await this.#db.write(SAVING, () => {
      this.#db.run(
        `UPDATE async_delegations SET delivery_claim = NULL, delivery_claimed_at = NULL, updated_at = ?
         WHERE delegation_id = ? AND delivery_state = 'pending' AND delivery_claim = ?`,
        this.#now(),
        id,
        claim,
      );
    });
  }

  async waiting(): Promise<readonly WaitingDelegation[]> {
    return await this.#onDue((due) =>
      due.map((row) => ({
        id: text(row, 'delegation_id'),
        originSession: text(row, 'origin_session'),
        parentSessionId: text(row, 'parent_session_id'),
      })),
    );
  }

  get #own(): ProcessIdentity {
    this.#self ??= ownProcess();
    return this.#self;
  }

  /** Nothing is written where nothing is open or due: most sessions never delegate. */
  async #onDue<T>(use: (due: readonly Row[]) => readonly T[]): Promise<readonly T[]> {
    const some = await this.#db.read(
      READING,
      () =>
        hasTable(this.#db, table) &&
        this.#db.get(`SELECT 1 FROM async_delegations WHERE ${isOpen} OR (${isDue}) LIMIT 1`) !== undefined,
    );
    if (!some) return [];
    return await this.#db.write(SAVING, () => {
      this.#endAbandoned();
      return use(
        this.#db.all(`SELECT * FROM async_delegations WHERE ${isDue} ORDER BY completed_at, delegation_id LIMIT 1000`),
      );
    });
  }

  /** Whatever a process that died was at has an unknown outcome: it may have done all of it, and is not done again. */
  #endAbandoned(): void {
    for (const row of this.#db.all(`SELECT * FROM async_delegations WHERE ${isOpen}`)) {
      const task = parseJson(text(row, 'task_json'));
      const { owner, ...asked } = isJsonObject(task) ? task : {};
      if (!this.#hasDied(row, owner)) continue;
      const [id, now] = [text(row, 'delegation_id'), this.#now()];
      const error = 'The program ended before the sub-agents did; what they had done by then is not known.';
      const event: JsonObject = {
        type: 'async_delegation',
        delegation_id: id,
        session_key: text(row, 'origin_session'),
        origin_ui_session_id: text(row, 'origin_ui_session_id'),
        parent_session_id: textOrNull(row, 'parent_session_id'),
        ...asked,
        status: 'unknown',
        summary: null,
        error,
        dispatched_at: number(row, 'dispatched_at'),
        completed_at: now,
      };
      this.#db.run(
        `UPDATE async_delegations SET state = 'unknown', completed_at = ?, updated_at = ?, event_json = ?,
           result_json = ?, delivery_state = 'pending' WHERE delegation_id = ?`,
        now,
        now,
        JSON.stringify(event),
        JSON.stringify({ status: 'unknown', summary: null, error }),
        id,
      );
    }
  }

  /** The original writes down process id and start alone; ours also the machine. */
  #hasDied(row: Row, owner: unknown): boolean {
    const known = identityOf(owner);
    if (known !== undefined) return isDead(known, this.#own);
    const pid = numberOrNull(row, 'owner_pid');
    if (pid === null || !isRunning(pid)) return true;
    const started = numberOrNull(row, 'owner_started_at');
    return started !== null && startTicks(pid) !== started;
  }

  #newClaim(consumer: string): string {
    return `${consumer}:${process.pid}:${randomUUID()} ${JSON.stringify(this.#own)}`;
  }

  #isClaimed(row: Row): boolean {
    const claim = textOrNull(row, 'delivery_claim');
    if (claim === null) return false;
    const claimer = identityOf(parseJson(claim.slice(claim.indexOf(' ') + 1)));
    if (claimer !== undefined && isDead(claimer, this.#own)) return false;
    return number(row, 'delivery_claimed_at') >= this.#now() - claimSeconds;
  }

  #prune(): void {
    const now = this.#now();
    this.#db.run(
      "DELETE FROM async_delegations WHERE delivery_state = 'delivered' AND updated_at < ?",
      now - keptSeconds,
    );
    // What waits is never given up for what has arrived.
    this.#db.run(
      `DELETE FROM async_delegations WHERE delegation_id IN (SELECT delegation_id FROM async_delegations
         WHERE NOT ${isOpen} AND delivery_state = 'delivered' ORDER BY updated_at DESC LIMIT -1 OFFSET ${mostEnded})`,
    );
    this.#db.run(
      `DELETE FROM async_delegations WHERE delegation_id IN (SELECT delegation_id FROM async_delegations
         WHERE NOT ${isOpen} AND delivery_state = 'pending' ORDER BY updated_at DESC LIMIT -1 OFFSET ${mostWaiting})`,
    );
  }
}

function identityOf(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null || !('host' in value) || !('pid' in value)) return undefined;
  const { host, pid } = value;
  const start = 'start' in value && typeof value.start === 'string' ? value.start : null;
  return typeof host === 'string' && typeof pid === 'number' ? { host, pid, start } : undefined;
}
