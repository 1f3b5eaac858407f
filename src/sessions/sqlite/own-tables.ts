/** Tables that are made when they are first needed: a database of the original or of a newer version lacks them. */
import { UserError } from '../../lib/errors.ts';
import { number, text } from './columns.ts';
import type { Connection } from './connection.ts';
import { type Columns, createTable } from './schema.ts';

export interface OwnTable {
  readonly name: string;
  readonly columns: Columns;
  /** What `CREATE INDEX IF NOT EXISTS` goes on with. */
  readonly indexes: readonly string[];
  /** What `CREATE UNIQUE INDEX IF NOT EXISTS` goes on with. */
  readonly unique?: readonly string[];
}

export function hasTable(db: Connection, { name }: OwnTable): boolean {
  return db.knows(name, () => {
    return db.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name) !== undefined;
  });
}

/** Call it inside a write. Throws `UserError` when a newer version has made a table that takes no rows of ours. */
export function ensureFitting(db: Connection, table: OwnTable): void {
  ensureTable(db, table);
  const found = db.all('SELECT name, "notnull", dflt_value FROM pragma_table_info(?)', table.name);
  const names = found.map((column) => text(column, 'name'));
  const missing = Object.keys(table.columns).filter((column) => !names.includes(column));
  const required = found
    .filter((column) => number(column, 'notnull') !== 0 && column['dflt_value'] === null)
    .map((column) => text(column, 'name'))
    .filter((column) => !(column in table.columns));
  if (missing.length + required.length === 0) return;
  const lacks = missing.length > 0 ? `lacks ${missing.join(', ')}` : `requires ${required.join(', ')}`;
  throw new UserError(`Cannot write to ${table.name} in ${db.path}: this build does not know that it ${lacks}.`, {
    hint: 'Update Hermes Agent, or set HERMES_HOME to another directory. Nothing was stored.',
  });
}

/** Call it inside a write. */
export function ensureTable(db: Connection, table: OwnTable): void {
  if (hasTable(db, table)) return;
  db.exec(createTable(table.name, table.columns));
  for (const index of table.indexes) db.exec(`CREATE INDEX IF NOT EXISTS ${index}`);
  for (const index of table.unique ?? []) db.exec(`CREATE UNIQUE INDEX IF NOT EXISTS ${index}`);
}
