/** The table `compression_locks` and the `compression_…` columns of `sessions`, in transactions. */
import * as z from 'zod';
import type { SummaryFailure } from '../../agent/shared-compactions.ts';
import { UserError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import type { Compactions } from '../compactions.ts';
import { isDead, ownProcess } from '../process-identity.ts';
import { wellFormed } from '../well-formed.ts';
import { READING, SAVING } from './attempts.ts';
import { number, numberOrNull, text } from './columns.ts';
import type { Connection } from './connection.ts';

const CLAIMING = 'begin a compaction';
const MAX_ERROR_CHARS = 500;

const take = `INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT(session_id) DO UPDATE SET holder = excluded.holder, acquired_at = excluded.acquired_at,
    expires_at = excluded.expires_at
  WHERE compression_locks.holder IN (excluded.holder, ?5) OR compression_locks.expires_at <= ?3`;

/** As this program names itself; what another one writes there is not ours to read. */
const ownHolder = z.object({ host: z.string(), pid: z.number(), start: z.string().nullable() });

export class SqliteCompactions implements Compactions {
  readonly #db: Connection;
  readonly #now: () => number;

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  claim(sessionId: string, holder: string, ttlMs: number): Promise<boolean> {
    return this.#db.write(CLAIMING, () => {
      const now = this.#now();
      const there = holderOf(this.#db, sessionId, now);
      const dead = there !== undefined && isOfDeadProcess(there) ? there : holder;
      return this.#db.run(take, sessionId, holder, now, now + ttlMs / 1000, dead).changes > 0;
    });
  }

  renew(sessionId: string, holder: string, ttlMs: number): Promise<boolean> {
    const sql = 'UPDATE compression_locks SET expires_at = ? WHERE session_id = ? AND holder = ?';
    return this.#db.write(CLAIMING, () => {
      return this.#db.run(sql, this.#now() + ttlMs / 1000, sessionId, holder).changes > 0;
    });
  }

  async release(sessionId: string, holder: string): Promise<void> {
    const sql = 'DELETE FROM compression_locks WHERE session_id = ? AND holder = ?';
    await this.#db.write(CLAIMING, () => this.#db.run(sql, sessionId, holder));
  }

  failure(sessionId: string): Promise<SummaryFailure | undefined> {
    const sql = `SELECT compression_failure_cooldown_until AS until, compression_failure_error AS problem,
      compression_fallback_streak AS streak FROM sessions WHERE id = ?`;
    return this.#db.read(READING, () => {
      const row = this.#db.get(sql, sessionId) ?? {};
      const until = numberOrNull(row, 'until');
      const inARow = number(row, 'streak');
      if (until === null && inARow === 0) return undefined;
      return { until: (until ?? 0) * 1000, problem: text(row, 'problem'), inARow };
    });
  }

  async setFailure(sessionId: string, failure: SummaryFailure | undefined): Promise<void> {
    const sql = `UPDATE sessions SET compression_failure_cooldown_until = ?, compression_failure_error = ?,
      compression_fallback_streak = ? WHERE id = ?`;
    const values =
      failure === undefined
        ? ([null, null, 0] as const)
        : ([failure.until / 1000, wellFormed(failure.problem.slice(0, MAX_ERROR_CHARS)), failure.inARow] as const);
    await this.#db.write(SAVING, () => this.#db.run(sql, ...values, sessionId));
  }
}

/** Throws `UserError` when somebody else shortens the session. Call it inside the write that it guards. */
export function refuseShortenedElsewhere(db: Connection, sessionId: string, holder: string, now: number): void {
  const other = holderOf(db, sessionId, now);
  if (other === undefined || other === holder || isOfDeadProcess(other)) return;
  throw new UserError('Another program is shortening this conversation.', {
    hint: 'Nothing was stored. Continue the session here again with `hermes --resume`.',
  });
}

function holderOf(db: Connection, sessionId: string, now: number): string | undefined {
  const sql = 'SELECT holder FROM compression_locks WHERE session_id = ? AND expires_at > ?';
  const row = db.get(sql, sessionId, now);
  return row && text(row, 'holder');
}

function isOfDeadProcess(holder: string): boolean {
  const parsed = ownHolder.safeParse(parseJson(holder));
  return parsed.success && isDead(parsed.data, ownProcess());
}
