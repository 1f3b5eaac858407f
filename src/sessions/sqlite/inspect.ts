/** A look at a database file that changes nothing: its version, its objects, and what it lacks. */
import { numberOrNull, text } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { additions, type Columns, tables } from './schema.ts';

export interface Inspection {
  /** Undefined when no version is written. */
  readonly version: number | undefined;
  /** Rows of `sqlite_master`. */
  readonly objects: readonly Row[];
  /** Columns that the schema declares and the file lacks, as `table.column`. */
  readonly missing: readonly string[];
  /** The same of the columns that only this program has. */
  readonly missingOwn: readonly string[];
  /** Messages that do not say whether they are part of the conversation. */
  readonly undecided: boolean;
}

export function inspect(db: Connection): Inspection {
  const objects = db.all('SELECT type, name, tbl_name, sql FROM sqlite_master');
  const versioned = hasObject(objects, 'schema_version');
  const row = versioned ? db.get('SELECT max(version) AS version FROM schema_version') : undefined;
  const missing = missingColumns(db, tables);
  return {
    version: row && (numberOrNull(row, 'version') ?? undefined),
    objects,
    missing,
    missingOwn: missingColumns(db, additions),
    undecided:
      !missing.includes('messages.active') &&
      db.get('SELECT 1 FROM messages WHERE active IS NULL LIMIT 1') !== undefined,
  };
}

export function hasObject(objects: readonly Row[], name: string): boolean {
  return objects.some((row) => text(row, 'name') === name);
}

/** As `table.column`. */
function missingColumns(db: Connection, wanted: Readonly<Record<string, Columns>>): string[] {
  return Object.entries(wanted).flatMap(([table, columns]) => {
    const live = new Set(db.all('SELECT name FROM pragma_table_info(?)', table).map((row) => text(row, 'name')));
    return Object.keys(columns).flatMap((column) => (live.has(column) ? [] : [`${table}.${column}`]));
  });
}
