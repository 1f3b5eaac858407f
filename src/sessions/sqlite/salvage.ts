/** Takes over what can still be read of a damaged database. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { openSqliteSessionStore } from './open.ts';
import { SCHEMA_VERSION, tables } from './schema.ts';
import { sqliteCode } from './storage-error.ts';

export interface Salvaged {
  readonly sessions: number;
  readonly messages: number;
}

type SalvagedRow = Readonly<Record<string, SQLInputValue>>;

const CORRUPT = 11;
const NOT_A_DATABASE = 26;
const PAGE = 200;

/**
 * Copies every readable row of the damaged file `from` into a new store at `to`; what is searched is indexed anew.
 * Undefined, with an empty store at `to`, when nothing of it can be read, or it is of a newer version.
 */
export async function salvage(from: string, to: string): Promise<Salvaged | undefined> {
  await (await openSqliteSessionStore(to)).close();
  using target = new DatabaseSync(to, { enableForeignKeyConstraints: false });
  try {
    using source = new DatabaseSync(from, { readOnly: true, timeout: 2000 });
    const { version } = source.prepare('SELECT max(version) AS version FROM schema_version').get() ?? {};
    if (Number(version ?? 0) > SCHEMA_VERSION) return undefined;
    target.exec('BEGIN');
    for (const table of Object.keys(tables)) copyTable(source, target, table);
    adoptOrphans(target);
    target.exec('COMMIT');
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (target.isTransaction) target.exec('ROLLBACK');
    return undefined;
  }
  const count = (table: string): number =>
    Number(target.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'] ?? 0);
  const salvaged = { sessions: count('sessions'), messages: count('messages') };
  target.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return salvaged.sessions === 0 ? undefined : salvaged;
}

function copyTable(source: DatabaseSync, target: DatabaseSync, table: string): void {
  const known = columnsOf(target, table);
  const columns = columnsOf(source, table).filter((name) => known.includes(name));
  if (columns.length === 0) return;
  const places = columns.map(() => '?').join(', ');
  const insert = target.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
  for (const row of readableRows(source, table, columns)) insert.run(...columns.map((name) => row[name] ?? null));
}

function columnsOf(db: DatabaseSync, table: string): string[] {
  return db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map((row) => String(row['name']));
}

/** Page by page; where a page is damaged, row by row, so that only the rows on it are missing. */
function* readableRows(db: DatabaseSync, table: string, columns: readonly string[]): Generator<SalvagedRow> {
  const wanted = `rowid AS _at, ${columns.join(', ')}`;
  const page = db.prepare(`SELECT ${wanted} FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`);
  const single = db.prepare(`SELECT ${wanted} FROM ${table} WHERE rowid = ?`);
  const end = lastRow(db, table);
  for (let at = 0; at < end; ) {
    const rows = readable(() => page.all(at));
    if (rows?.length === 0) return;
    if (rows !== undefined) {
      yield* rows;
      at = Number(rows.at(-1)?.['_at'] ?? end);
      continue;
    }
    for (const stop = at + PAGE; at < stop; ) {
      at += 1;
      const row = readable(() => single.get(at));
      if (row !== undefined) yield row;
    }
  }
}

function lastRow(db: DatabaseSync, table: string): number {
  const highest = readable(() => db.prepare(`SELECT max(rowid) AS n FROM ${table}`).get());
  if (highest !== undefined) return Number(highest['n'] ?? 0);
  const ever = readable(() => db.prepare('SELECT seq AS n FROM sqlite_sequence WHERE name = ?').get(table));
  return Number(ever?.['n'] ?? 0);
}

/** Messages whose session could not be read belong to one that says nothing but where they begin. */
function adoptOrphans(db: DatabaseSync): void {
  db.exec(`INSERT INTO sessions (id, source, started_at, message_count)
    SELECT session_id, 'unknown', min(timestamp), sum(active) FROM messages
    WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id`);
  db.exec('UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id NOT IN (SELECT id FROM sessions)');
  db.exec('DELETE FROM session_model_usage WHERE session_id NOT IN (SELECT id FROM sessions)');
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // What stands there is lost; that it is damaged is why this runs.
    if (isDamage(error)) return undefined;
    throw error;
  }
}

function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}
