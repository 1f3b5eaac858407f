/** Tables that are made when they are first needed: a database of the original or of a newer version lacks them. */
import type { Connection } from './connection.ts';
import { type Columns, createTable } from './schema.ts';

export interface OwnTable {
  readonly name: string;
  readonly columns: Columns;
  /** What `CREATE INDEX IF NOT EXISTS` goes on with. */
  readonly indexes: readonly string[];
}

export function hasTable(db: Connection, { name }: OwnTable): boolean {
  return db.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name) !== undefined;
}

/** Call it inside a write. */
export function ensureTable(db: Connection, table: OwnTable): void {
  if (hasTable(db, table)) return;
  db.exec(createTable(table.name, table.columns));
  for (const index of table.indexes) db.exec(`CREATE INDEX IF NOT EXISTS ${index}`);
}
