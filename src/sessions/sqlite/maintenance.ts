/** What keeps a database small and sound. */
import { UserError } from '../../lib/errors.ts';
import type { StoreMaintenance, StoreStats } from '../store-maintenance.ts';
import { DELETING, READING } from './attempts.ts';
import { number, text } from './columns.ts';
import type { Connection } from './connection.ts';
import { exportSession } from './export.ts';
import { type FullTextIndex, mergeFullText, presentIndexes, rebuildFullText } from './full-text.ts';
import { sessionIds, storeStats } from './listing.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { deleteSession } from './session-row.ts';

const SECONDS_PER_DAY = 86_400;
/** Sessions deleted in one transaction, so that other writers get their turn during a long prune. */
const PRUNE_BATCH = 50;

export class SqliteMaintenance implements StoreMaintenance {
  readonly #db: Connection;
  readonly #index: FullTextIndex;
  readonly #now: () => number;

  /** `now` in Unix seconds. */
  constructor(db: Connection, index: FullTextIndex, now: () => number) {
    this.#db = db;
    this.#index = index;
    this.#now = now;
  }

  stats(): Promise<StoreStats> {
    return this.#db.read(READING, () => storeStats(this.#db));
  }

  sessionIds(options: { source?: string } = {}): Promise<string[]> {
    return this.#db.read(READING, () => sessionIds(this.#db, options.source));
  }

  exportSession(id: string): AsyncIterable<string> {
    return exportSession(this.#db, id);
  }

  deleteSession(id: string): Promise<boolean> {
    return this.#db.write(DELETING, () => deleteSession(this.#db, id));
  }

  async prune(options: { olderThanDays: number; source?: string }): Promise<number> {
    const before = this.#now() - options.olderThanDays * SECONDS_PER_DAY;
    let pruned = 0;
    for (;;) {
      const batch = await this.#db.write(DELETING, () => this.#pruneBatch(before, options.source));
      pruned += batch;
      if (batch < PRUNE_BATCH) return pruned;
    }
  }

  async vacuum(): Promise<void> {
    const attempted = 'compact the session store';
    // The search indexes keep deleted text until they are merged.
    await this.#db.write(attempted, () => mergeFullText(this.#db, this.#index.tables));
    await this.#db.outsideTransaction(attempted, () => this.#db.exec('VACUUM'));
  }

  checkIntegrity(): Promise<string[]> {
    return this.#db.read('check the session store', () => {
      const found = [
        ...this.#db.all('PRAGMA integrity_check(20)').map((row) => text(row, 'integrity_check')),
        ...this.#db.all('PRAGMA foreign_key_check').map((row) => `row without its session in ${text(row, 'table')}`),
      ];
      return found.filter((problem) => problem !== 'ok');
    });
  }

  async rebuildIndexes(): Promise<void> {
    const rebuilt = await this.#db.write('rebuild the indexes of the session store', () => {
      const version = number(this.#db.get('SELECT max(version) AS v FROM schema_version') ?? {}, 'v');
      if (version > SCHEMA_VERSION) {
        throw new UserError(`The search index of ${this.#db.path} belongs to the newer schema version ${version}.`, {
          hint: 'Rebuild it with the program that made it.',
        });
      }
      this.#db.exec('REINDEX');
      rebuildFullText(this.#db);
      return presentIndexes(this.#db.all('SELECT name FROM sqlite_master'));
    });
    this.#index.tables = rebuilt;
  }

  #pruneBatch(before: number, source: string | undefined): number {
    const rows = this.#db.all(
      `SELECT id FROM sessions WHERE ended_at IS NOT NULL AND started_at < ? AND (?2 IS NULL OR source = ?2)
       LIMIT ${PRUNE_BATCH}`,
      before,
      source ?? null,
    );
    for (const row of rows) deleteSession(this.#db, text(row, 'id'));
    return rows.length;
  }
}
