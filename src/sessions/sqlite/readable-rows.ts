/** Reads a table of a damaged database: only the rows on damaged pages are missing. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { isDamage } from '../../lib/sqlite.ts';

export type ReadableRow = Readonly<Record<string, SQLOutputValue>>;

const PAGE = 200;
/** Nothing makes higher row ids by counting. */
const HIGHEST = 2 ** 52;
/** How many row ids are tried after the last one that is known. */
const BEYOND = 20_000;

/** `table` and `columns` are SQL names, quoted where they need it. */
export function* readableRows(
  db: DatabaseSync,
  { table, columns, withoutRowId }: { table: string; columns: readonly string[]; withoutRowId: boolean },
): Generator<ReadableRow> {
  if (withoutRowId) {
    yield* untilDamage(db, `SELECT ${columns.join(', ')} FROM ${table}`);
    return;
  }
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
    for (const stop = Math.min(at + PAGE, end); at < stop; ) {
      at += 1;
      const row = readable(() => single.get(at));
      if (row !== undefined) yield row;
    }
  }
}

/** What cannot be read is undefined: it is lost, and that the file is damaged is known. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Without row ids there is no way around a damaged page. */
function* untilDamage(db: DatabaseSync, sql: string): Generator<ReadableRow> {
  const rows = db.prepare(sql).iterate();
  for (;;) {
    const next = readable(() => rows.next());
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}

/** An upper bound of the row ids. */
function lastRow(db: DatabaseSync, table: string): number {
  const highest = readable(() => db.prepare(`SELECT max(rowid) AS n FROM ${table}`).get());
  if (highest !== undefined) return Number(highest['n'] ?? 0);
  const ever = readable(() => db.prepare('SELECT seq AS n FROM sqlite_sequence WHERE name = ?').get(table));
  if (ever !== undefined) return Number(ever['n']);
  // The end cannot be read: it is felt for, and some way beyond, because there may be several damaged pages.
  const upTo = db.prepare(`SELECT max(rowid) AS n FROM ${table} WHERE rowid <= ?`);
  let last = 0;
  for (let beyond = HIGHEST; beyond - last > 1; ) {
    const middle = last + Math.floor((beyond - last) / 2);
    if (readable(() => upTo.get(middle)) === undefined) beyond = middle;
    else last = middle;
  }
  return last + BEYOND;
}
