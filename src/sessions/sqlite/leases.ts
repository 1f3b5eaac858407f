/** The table `session_leases`, in transactions. */
import type { LeaseAnswer, LeaseHolder, LeaseTerm, SessionLeases } from '../leases.ts';
import { lostSession } from '../leases.ts';
import { hostName, isDead, ownProcess, type ProcessIdentity } from '../process-identity.ts';
import { number, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { ensureTable, hasTable, type OwnTable } from './own-tables.ts';

const CLAIMING = 'claim the conversation';
const FORGET_AFTER_SECONDS = 30 * 86_400;

const leases: OwnTable = {
  name: 'session_leases',
  columns: {
    session_id: 'TEXT PRIMARY KEY',
    // Null when it was given back.
    holder: 'TEXT',
    host: 'TEXT NOT NULL',
    pid: 'INTEGER NOT NULL',
    process_start: 'TEXT',
    acquired_at: 'REAL NOT NULL',
    renewed_at: 'REAL NOT NULL',
    expires_at: 'REAL NOT NULL',
    fence: 'INTEGER NOT NULL',
  },
  indexes: ['idx_session_leases_expires ON session_leases(expires_at)'],
};

const columns = 'session_id, holder, host, pid, process_start, acquired_at, renewed_at, expires_at, fence';
// The first fence is the time: it stays above those of a lease that was forgotten meanwhile.
const insert = `INSERT INTO session_leases (${columns})
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, CAST(?6 * 1000 AS INTEGER))
  ON CONFLICT(session_id) DO UPDATE SET holder = excluded.holder, host = excluded.host, pid = excluded.pid,
    process_start = excluded.process_start, acquired_at = excluded.acquired_at, renewed_at = excluded.renewed_at,
    expires_at = excluded.expires_at, fence =`;
const isMine = `session_leases.holder = excluded.holder AND session_leases.host = excluded.host
  AND session_leases.pid = excluded.pid AND session_leases.process_start IS excluded.process_start`;
const takeFree = `${insert} session_leases.fence + CASE WHEN ${isMine} THEN 0 ELSE 1 END
  WHERE session_leases.holder IS NULL OR session_leases.expires_at <= ?6 OR session_leases.fence = ?8 OR (${isMine})
  RETURNING fence`;
const takeAny = `${insert} session_leases.fence + 1 RETURNING fence`;

export class SqliteLeases implements SessionLeases {
  readonly #db: Connection;
  readonly #now: () => number;
  #self: ProcessIdentity | undefined;

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  take(sessionId: string, holder: string, term: LeaseTerm): Promise<LeaseAnswer> {
    return this.#db.write(CLAIMING, (): LeaseAnswer => {
      const values = this.#prepare(sessionId, holder, term);
      const taken = this.#db.get(takeFree, ...values, null);
      if (taken !== undefined) return { granted: true, fence: number(taken, 'fence') };
      const row = this.#db.get(`SELECT ${columns} FROM session_leases WHERE session_id = ?`, sessionId) ?? {};
      if (!isDead(processOf(row), this.#me())) return { granted: false, by: holderOf(row) };
      const inherited = this.#db.get(takeFree, ...values, number(row, 'fence')) ?? {};
      return { granted: true, fence: number(inherited, 'fence') };
    });
  }

  renew(sessionId: string, fence: number, { ttlMs }: LeaseTerm): Promise<boolean> {
    return this.#db.write(CLAIMING, () => {
      const sql = 'UPDATE session_leases SET renewed_at = ?, expires_at = ? WHERE session_id = ? AND fence = ?';
      const now = this.#now();
      return hasTable(this.#db, leases) && this.#db.run(sql, now, now + ttlMs / 1000, sessionId, fence).changes > 0;
    });
  }

  async release(sessionId: string, fence: number): Promise<void> {
    await this.#db.write(CLAIMING, () => {
      // The row stays, so that the next fence is higher.
      const sql = 'UPDATE session_leases SET holder = NULL, expires_at = ? WHERE session_id = ? AND fence = ?';
      if (hasTable(this.#db, leases)) this.#db.run(sql, this.#now(), sessionId, fence);
    });
  }

  takeOver(sessionId: string, holder: string, term: LeaseTerm): Promise<number> {
    return this.#db.write(CLAIMING, () => {
      const values = this.#prepare(sessionId, holder, term);
      return number(this.#db.get(takeAny, ...values) ?? {}, 'fence');
    });
  }

  /** What a new lease is made of, and room for it. */
  #prepare(sessionId: string, holder: string, { ttlMs }: LeaseTerm) {
    const now = this.#now();
    const { host, pid, start } = this.#me();
    ensureTable(this.#db, leases);
    this.#db.run('DELETE FROM session_leases WHERE expires_at < ?', now - FORGET_AFTER_SECONDS);
    return [sessionId, holder, host, pid, start, now, now + ttlMs / 1000] as const;
  }

  #me(): ProcessIdentity {
    this.#self ??= ownProcess();
    return this.#self;
  }
}

/** Throws a `UserError` when the session has a higher fence. Call it inside the write that it guards. */
export function refuseLost(db: Connection, sessionId: string, fence: number | undefined): void {
  if (fence === undefined) return;
  const row = db.get(`SELECT ${columns} FROM session_leases WHERE session_id = ? AND fence > ?`, sessionId, fence);
  if (row !== undefined) throw lostSession(holderOf(row));
}

/** True while a living process other than this one holds the session. `now` in Unix seconds. */
export function isHeldElsewhere(db: Connection, sessionId: string, now: number): boolean {
  if (!hasTable(db, leases)) return false;
  const held = `SELECT ${columns} FROM session_leases WHERE session_id = ? AND holder IS NOT NULL AND expires_at > ?`;
  const row = db.get(held, sessionId, now);
  if (row === undefined) return false;
  const me = ownProcess();
  const { host, pid } = processOf(row);
  return !(host === me.host && pid === me.pid) && !isDead(processOf(row), me);
}

/** Whoever holds a session holds its continuation too, with the same fence. */
export function passLease(db: Connection, from: string, to: string, fence: number | undefined): void {
  if (fence === undefined) return;
  const values = columns.replace('session_id', '?');
  db.run(
    `INSERT INTO session_leases (${columns}) SELECT ${values} FROM session_leases WHERE session_id = ? AND fence = ?`,
    to,
    from,
    fence,
  );
}

function processOf(row: Row): ProcessIdentity {
  return { host: text(row, 'host'), pid: number(row, 'pid'), start: textOrNull(row, 'process_start') };
}

function holderOf(row: Row): LeaseHolder {
  return {
    holder: textOrNull(row, 'holder') ?? 'nobody any more',
    host: hostName(processOf(row)),
    pid: number(row, 'pid'),
    since: number(row, 'acquired_at'),
  };
}
