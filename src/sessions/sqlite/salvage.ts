/** Takes over what can still be read of a damaged database. */
import { DatabaseSync } from 'node:sqlite';
import { openSqliteSessionStore } from './open.ts';
import { readable, readableRows } from './readable-rows.ts';
import { canBeAdded, SCHEMA_VERSION } from './schema.ts';
import { isDamage } from '../../lib/sqlite.ts';

export interface Salvaged {
  readonly sessions: number;
  readonly messages: number;
}

/**
 * Copies every readable row of the damaged file `from` into a new store at `to`, also of tables and columns that this
 * build does not know; what is searched is indexed anew.
 * Undefined, with an empty store at `to`, when nothing of it can be read, or it is of a newer version.
 */
export async function salvage(from: string, to: string): Promise<Salvaged | undefined> {
  await (await openSqliteSessionStore(to)).close();
  using target = new DatabaseSync(to, { enableForeignKeyConstraints: false });
  try {
    using source = new DatabaseSync(from, { readOnly: true, timeout: 2000 });
    const version = readable(() => source.prepare('SELECT max(version) AS n FROM schema_version').get());
    if (Number(version?.['n'] ?? 0) > SCHEMA_VERSION) return undefined;
    target.exec('BEGIN');
    for (const table of tablesOf(source)) copyTable(source, target, table);
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

interface Table {
  readonly name: string;
  readonly withoutRowId: boolean;
}

/** All that hold rows of somebody: not the search index, which is made anew, nor what SQLite keeps for itself. */
function tablesOf(db: DatabaseSync): Table[] {
  const rows = db
    .prepare("SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    .all();
  return rows
    .map((row) => ({ name: String(row['name']), withoutRowId: row['wr'] === 1 }))
    .filter(({ name }) => !name.startsWith('sqlite_') && name !== 'schema_version');
}

function copyTable(source: DatabaseSync, target: DatabaseSync, { name, withoutRowId }: Table): void {
  const known = columnsOf(target, name).map((column) => column.name);
  if (known.length === 0) copyDefinitions(source, target, name);
  else
    addColumns(
      target,
      name,
      columnsOf(source, name).filter((column) => !known.includes(column.name)),
    );
  const columns = columnsOf(target, name).filter((column) => has(columnsOf(source, name), column));
  const table = quoted(name);
  const names = columns.map((column) => quoted(column.name));
  const insert = target.prepare(
    `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
  for (const row of readableRows(source, { table, columns: names, withoutRowId })) {
    insert.run(...columns.map((column) => row[column.name] ?? null));
  }
}

/** A table that this build makes later or does not know, with its indexes. */
function copyDefinitions(source: DatabaseSync, target: DatabaseSync, table: string): void {
  const definitions = source
    .prepare("SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type IN ('table', 'index') ORDER BY type DESC")
    .all(table);
  for (const { sql } of definitions) if (typeof sql === 'string') target.exec(sql);
}

function addColumns(db: DatabaseSync, table: string, columns: readonly Column[]): void {
  for (const { name, declaration } of columns) {
    if (canBeAdded(declaration)) db.exec(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(name)} ${declaration}`);
  }
}

interface Column {
  readonly name: string;
  /** Without what it refers to. */
  readonly declaration: string;
}

function columnsOf(db: DatabaseSync, table: string): Column[] {
  const rows = db.prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)').all(table);
  return rows.map((row) => {
    const parts = [String(row['type'])];
    if (Number(row['pk']) > 0) parts.push('PRIMARY KEY');
    if (row['notnull'] === 1) parts.push('NOT NULL');
    if (typeof row['dflt_value'] === 'string') parts.push(`DEFAULT (${row['dflt_value']})`);
    return { name: String(row['name']), declaration: parts.join(' ') };
  });
}

function has(columns: readonly Column[], { name }: Column): boolean {
  return columns.some((column) => column.name === name);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Messages whose session could not be read belong to one that says nothing but where they begin. */
function adoptOrphans(db: DatabaseSync): void {
  db.exec(`INSERT INTO sessions (id, source, started_at, message_count)
    SELECT session_id, 'unknown', min(timestamp), sum(active) FROM messages
    WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id`);
  db.exec('UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id NOT IN (SELECT id FROM sessions)');
  // What is left says something of a session that nothing else is known of.
  const orphans = db.prepare('SELECT "table" AS name, rowid AS at FROM pragma_foreign_key_check').all();
  for (const { name, at } of orphans) {
    if (at !== null) db.prepare(`DELETE FROM ${quoted(String(name))} WHERE rowid = ?`).run(at ?? null);
  }
}
