/** The table `outside_runs`, in transactions. */
import type { Source } from '../../llm/source.ts';
import { mergeSources } from '../../llm/source.ts';
import type { OutsideRuns } from '../outside-runs.ts';
import { isDead, ownProcess, type ProcessIdentity } from '../process-identity.ts';
import { decodeSources, growSources } from '../provenance.ts';
import { READING, SAVING } from './attempts.ts';
import { number, text, textOrNull } from './columns.ts';
import type { Connection } from './connection.ts';
import { ensureTable, hasTable, type OwnTable } from './own-tables.ts';

const MAX_RUNS = 5000;
/** Joined in one go when there are more. */
const JOINED = 500;
/** File systems and clocks are not exact. */
const SLACK_SECONDS = 2;
/** Longer windows are few, and have an index of their own: so no lookup goes through all. */
const LONG_SECONDS = 600;

const runs: OwnTable = {
  name: 'outside_runs',
  columns: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    started: 'REAL NOT NULL',
    // Null while it runs.
    ended: 'REAL',
    source: 'TEXT NOT NULL',
    host: 'TEXT NOT NULL',
    pid: 'INTEGER NOT NULL',
    process_start: 'TEXT',
  },
  indexes: [
    'idx_outside_runs_started ON outside_runs(started)',
    'idx_outside_runs_open ON outside_runs(started) WHERE ended IS NULL',
    `idx_outside_runs_long ON outside_runs(started) WHERE ended - started > ${LONG_SECONDS}`,
  ],
};

const find = `
  SELECT source FROM outside_runs WHERE ended IS NULL AND started <= ?2
  UNION ALL
  SELECT source FROM outside_runs WHERE started BETWEEN ?1 - ${LONG_SECONDS} AND ?2 AND ended >= ?1
  UNION ALL
  SELECT source FROM outside_runs WHERE ended - started > ${LONG_SECONDS} AND started <= ?2 AND ended >= ?1
  LIMIT 1`;

export class SqliteOutsideRuns implements OutsideRuns {
  readonly #db: Connection;
  readonly #now: () => number;
  #self: ProcessIdentity | undefined;
  /** Once there, it stays. */
  #hasTable = false;

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  begin(source: Source): Promise<number> {
    return this.#db.write(SAVING, () => {
      this.#self ??= ownProcess();
      ensureTable(this.#db, runs);
      this.#endAbandoned(this.#self);
      this.#joinOldest();
      const { host, pid, start } = this.#self;
      return this.#db.run(
        'INSERT INTO outside_runs (started, source, host, pid, process_start) VALUES (?, ?, ?, ?, ?)',
        this.#now(),
        encode(source),
        host,
        pid,
        start,
      ).id;
    });
  }

  async end(id: number): Promise<void> {
    await this.#db.write(SAVING, () => {
      const now = this.#now();
      const run = this.#db.get('SELECT started, source FROM outside_runs WHERE id = ? AND ended IS NULL', id);
      if (run === undefined) return;
      const before = this.#db.get(
        `SELECT id FROM outside_runs WHERE started BETWEEN ?1 - ${LONG_SECONDS} AND ?1 AND ended >= ?1 - ?2
           AND source = ?3 LIMIT 1`,
        number(run, 'started'),
        2 * SLACK_SECONDS,
        text(run, 'source'),
      );
      if (before === undefined) {
        this.#db.run('UPDATE outside_runs SET ended = ? WHERE id = ?', now, id);
      } else {
        this.#db.run('UPDATE outside_runs SET ended = max(ended, ?) WHERE id = ?', now, number(before, 'id'));
        this.#db.run('DELETE FROM outside_runs WHERE id = ?', id);
      }
    });
  }

  during(changedAtMs: number): Promise<Source | undefined> {
    return this.#db.read(READING, () => {
      this.#hasTable ||= hasTable(this.#db, runs);
      if (!this.#hasTable) return undefined;
      const at = changedAtMs / 1000;
      const row = this.#db.get(find, at - SLACK_SECONDS, at + SLACK_SECONDS);
      return row && (decodeSources(textOrNull(row, 'source'))[0] ?? { from: 'unknown' });
    });
  }

  /** Runs of processes that died end now: until this moment nobody can say that their command had stopped. */
  #endAbandoned(self: ProcessIdentity): void {
    for (const row of this.#db.all('SELECT id, host, pid, process_start FROM outside_runs WHERE ended IS NULL')) {
      const owner = { host: text(row, 'host'), pid: number(row, 'pid'), start: textOrNull(row, 'process_start') };
      if (isDead(owner, self)) {
        this.#db.run('UPDATE outside_runs SET ended = ? WHERE id = ?', this.#now(), number(row, 'id'));
      }
    }
  }

  /** Forgetting a run would make what it wrote look like the person's own. */
  #joinOldest(): void {
    const count = number(this.#db.get('SELECT count(*) AS n FROM outside_runs') ?? {}, 'n');
    if (count < MAX_RUNS) return;
    const oldest = `SELECT id, started, ended FROM outside_runs WHERE ended IS NOT NULL ORDER BY started LIMIT ${JOINED}`;
    const span = this.#db.get(`SELECT min(started) AS started, max(ended) AS ended FROM (${oldest})`) ?? {};
    this.#db.run(`DELETE FROM outside_runs WHERE id IN (SELECT id FROM (${oldest}))`);
    this.#db.run(
      "INSERT INTO outside_runs (started, ended, source, host, pid) VALUES (?, ?, ?, '', 0)",
      number(span, 'started'),
      number(span, 'ended'),
      encode({ from: 'unknown' }),
    );
  }
}

function encode(source: Source): string {
  return growSources(null, mergeSources([source])) ?? '';
}
