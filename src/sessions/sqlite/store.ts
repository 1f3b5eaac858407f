/** The session store on SQLite: a class for each part, over one connection. */
import type { SessionStore } from '../session-store.ts';
import { SqliteApprovals } from './approvals.ts';
import { SqliteCompactions } from './compactions.ts';
import type { Connection } from './connection.ts';
import type { FullTextIndex } from './full-text.ts';
import { SqliteLeases } from './leases.ts';
import { SqliteMaintenance } from './maintenance.ts';
import { SqliteMessages } from './messages.ts';
import { SqliteMeta } from './meta.ts';
import { SqliteOutsideRuns } from './outside-runs.ts';
import { SqliteSearch } from './search.ts';
import { SqliteSessions } from './sessions.ts';
import { SqliteUsage } from './usage.ts';

export class SqliteSessionStore implements SessionStore {
  readonly sessions: SqliteSessions;
  readonly messages: SqliteMessages;
  readonly search: SqliteSearch;
  readonly usage: SqliteUsage;
  readonly maintenance: SqliteMaintenance;
  readonly meta: SqliteMeta;
  readonly leases: SqliteLeases;
  readonly outsideRuns: SqliteOutsideRuns;
  readonly compactions: SqliteCompactions;
  readonly approvals: SqliteApprovals;
  readonly #db: Connection;

  /** `db` must have been made ready with `openSchema`, which knows `index`. */
  constructor(db: Connection, index: FullTextIndex, clock: { now(): number }) {
    const now = (): number => clock.now() / 1000;
    this.#db = db;
    this.sessions = new SqliteSessions(db, now);
    this.messages = new SqliteMessages(db, now);
    this.search = new SqliteSearch(db, index);
    this.usage = new SqliteUsage(db, now);
    this.maintenance = new SqliteMaintenance(db, index, now);
    this.meta = new SqliteMeta(db);
    this.leases = new SqliteLeases(db, now);
    this.outsideRuns = new SqliteOutsideRuns(db, now);
    this.compactions = new SqliteCompactions(db, now);
    this.approvals = new SqliteApprovals(db, now);
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}
