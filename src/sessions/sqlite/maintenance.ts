/** What keeps a database small and sound. */
import { UserError } from '../../lib/errors.ts';
import { removeSessionFiles } from '../session-files.ts';
import type { SessionSelection } from '../session-selection.ts';
import type { SessionRow } from '../sessions.ts';
import type { StoreMaintenance, StoreStats } from '../store-maintenance.ts';
import { DELETING, READING } from './attempts.ts';
import { number, text } from './columns.ts';
import type { Connection } from './connection.ts';
import { exportSession } from './export.ts';
import { type FullTextIndex, mergeFullText, presentIndexes, rebuildFullText } from './full-text.ts';
import { integrityProblems } from './integrity.ts';
import { deleteGhosts, endOrphans } from './leftovers.ts';
import { compactionsOf } from './lineage.ts';
import { sessionIds, storeStats } from './listing.ts';
import { SCHEMA_VERSION, tables } from './schema.ts';
import { whereSelected } from './selection.ts';
import { deleteSession, readSession } from './session-row.ts';

/** Everything but the system prompt, which is long and which nobody selects by. */
const COLUMNS = Object.keys(tables.sessions)
  .map((column) => (column === 'system_prompt' ? 'NULL AS system_prompt' : `s.${column}`))
  .join(', ');
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

  async deleteSession(id: string): Promise<boolean> {
    return (await this.#delete([id])) > 0;
  }

  async prune(selection: SessionSelection): Promise<number> {
    const selected = await this.select({ ...selection, ended: true });
    let pruned = 0;
    for (let start = 0; start < selected.length; start += PRUNE_BATCH) {
      pruned += await this.#delete(selected.slice(start, start + PRUNE_BATCH).map((row) => row.id));
    }
    return pruned;
  }

  select(selection: SessionSelection): Promise<SessionRow[]> {
    const { sql, values } = whereSelected(selection);
    const order = 'ORDER BY s.started_at DESC, s.rowid DESC';
    return this.#db.read(READING, () =>
      this.#db.all(`SELECT ${COLUMNS} FROM sessions s WHERE ${sql} ${order}`, ...values).map(readSession),
    );
  }

  archive(id: string, archived: boolean): Promise<number> {
    return this.#db.write('archive sessions', () => {
      const ids = JSON.stringify(compactionsOf(this.#db, id));
      const sql = 'UPDATE sessions SET archived = ?1 WHERE archived <> ?1 AND id IN (SELECT value FROM json_each(?2))';
      return this.#db.run(sql, archived ? 1 : 0, ids).changes;
    });
  }

  async deleteGhosts(): Promise<number> {
    const gone = await this.#db.write(DELETING, () => deleteGhosts(this.#db, this.#now()));
    removeSessionFiles(this.#db.path, gone);
    return gone.length;
  }

  endOrphans(): Promise<number> {
    return this.#db.write('end sessions', () => endOrphans(this.#db, this.#now()));
  }

  async vacuum(): Promise<void> {
    const attempted = 'compact the session store';
    // The search indexes keep deleted text until they are merged.
    await this.#db.write(attempted, () => mergeFullText(this.#db, this.#index.tables));
    await this.#db.outsideTransaction(attempted, () => {
      this.#db.checkpoint();
      this.#db.exec('VACUUM');
    });
  }

  checkIntegrity(): Promise<string[]> {
    return this.#db.read('check the session store', () => {
      const pages = integrityProblems((sql) => this.#db.all(sql));
      // A damaged page would end the other check with an error that says less.
      if (pages.length > 0) return pages;
      const orphans = this.#db.all('PRAGMA foreign_key_check');
      return orphans.map((row) => `row without its session in ${text(row, 'table')}`);
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

  /** Returns how many of the ids there were. */
  async #delete(ids: readonly string[]): Promise<number> {
    const gone = await this.#db.write(DELETING, () => ids.flatMap((id) => deleteSession(this.#db, id)));
    // Afterwards: a file without its session is litter, a session without its file would be a loss.
    removeSessionFiles(this.#db.path, gone);
    return ids.filter((id) => gone.includes(id)).length;
  }
}
