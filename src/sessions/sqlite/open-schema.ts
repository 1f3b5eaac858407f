/** Brings a database to schema version 22 when it is older, and leaves one that is newer exactly as it is. */
import { dirname, join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import { OPENING } from './attempts.ts';
import type { Connection } from './connection.ts';
import { ensureFullText, type FullText, fullTextIsComplete, presentIndexes, rebuildFullText } from './full-text.ts';
import { useWriteAheadLog } from '../../lib/sqlite.ts';
import { hasObject, type Inspection, inspect } from './inspect.ts';
import { dropRepeatedTitles, healActive, migrateData } from './migrate-data.ts';
import { requireFitting } from './newer-schema.ts';
import { type RoutingEntry, readRoutingMirror } from './routing-mirror.ts';
import {
  additions,
  canBeAdded,
  createTable,
  createTitleIndex,
  indexes,
  SCHEMA_VERSION,
  tables,
  TITLE_INDEX,
} from './schema.ts';
import { backUpBefore } from './upgrade-backup.ts';

const UPGRADING = 'upgrade the session store';

export interface OpenedSchema {
  readonly fullText: FullText;
  /** The version of a newer schema, which fits. */
  readonly newer?: number;
  /** Its file system takes no write-ahead log. */
  readonly withoutLog?: true;
}

/**
 * Makes the database ready; returns which search indexes it has. Every change is one transaction, so that a process
 * killed half-way leaves the old version, and the next open repeats the work. A database of an older version is
 * first copied to `<path>.v<version>.backup`. Throws `NewerSchemaError` for a newer one that is not certain to take
 * what this build writes.
 */
export async function openSchema(db: Connection): Promise<OpenedSchema> {
  const found = await db.read(OPENING, () => inspect(db));
  if (found.version !== undefined && found.version > SCHEMA_VERSION) {
    await requireFitting(db, found, found.version);
    const log = await openLog(db);
    if (found.missingOwn.length > 0) await db.write(UPGRADING, () => addColumns(db, inspect(db).missingOwn));
    return { fullText: presentIndexes(found.objects), newer: found.version, ...log };
  }
  // A file made by something else must be refused before the first byte of it changes.
  refuseForeign(db.path, found);
  if (!isCurrent(found)) await backUpOlder(db, found);
  const log = await openLog(db);
  if (isCurrent(found)) return { fullText: presentIndexes(found.objects), ...log };
  const routing = (found.version ?? SCHEMA_VERSION) < 18 ? readRoutingMirror(routingMirror(db.path)) : [];
  return db.write(UPGRADING, () => {
    // Looked at again, now that nobody else can write: another process may have done the work meanwhile.
    migrate(db, inspect(db), routing);
    return { fullText: presentIndexes(inspect(db).objects), ...log };
  });
}

/** What a store that is only read has; undefined when it lacks something that is read. */
export async function readSchema(db: Connection): Promise<FullText | undefined> {
  const { missing, missingOwn, objects } = await db.read(OPENING, () => inspect(db));
  return missing.length + missingOwn.length === 0 ? presentIndexes(objects) : undefined;
}

/** Gives a copy of a store, whatever its version, everything that is read; nobody writes to it. */
export async function completeCopy(db: Connection, of: string): Promise<void> {
  const found = await db.read(OPENING, () => inspect(db));
  refuseForeign(of, found);
  await db.write(OPENING, () => {
    if (found.version === undefined || found.version <= SCHEMA_VERSION) migrate(db, found, []);
    else addMissing(db, found);
  });
}

function routingMirror(path: string): string {
  return join(dirname(path), 'sessions', 'sessions.json');
}

function isCurrent({ version, objects, missing, missingOwn, undecided }: Inspection): boolean {
  if (version !== SCHEMA_VERSION || missing.length + missingOwn.length > 0 || undecided) return false;
  return (
    fullTextIsComplete(objects) && [...Object.keys(indexes), TITLE_INDEX].every((name) => hasObject(objects, name))
  );
}

async function openLog(db: Connection): Promise<Pick<OpenedSchema, 'withoutLog'>> {
  return (await db.outsideTransaction(OPENING, () => useWriteAheadLog(db))) ? {} : { withoutLog: true };
}

function migrate(db: Connection, found: Inspection, routing: readonly RoutingEntry[]): void {
  if (found.version !== undefined && found.version > SCHEMA_VERSION) return;
  db.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
  addMissing(db, found);
  // Rows without a version are of a program that wrote none: they have had no step yet.
  const version = found.version ?? (hasObject(found.objects, 'sessions') ? 0 : SCHEMA_VERSION);
  if (version < SCHEMA_VERSION) migrateData(db, version, routing);
  for (const [name, on] of Object.entries(indexes)) db.exec(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`);
  healActive(db);
  if (!hasObject(found.objects, TITLE_INDEX)) dropRepeatedTitles(db);
  db.exec(createTitleIndex);
  // Versions below 11 indexed the content alone, or had no trigram table.
  if (version < 11) rebuildFullText(db);
  else ensureFullText(db, db.all('SELECT type, name, tbl_name, sql FROM sqlite_master'));
  if (found.version === undefined) db.run('INSERT INTO schema_version (version) VALUES (?)', SCHEMA_VERSION);
  else db.run('UPDATE schema_version SET version = ?', SCHEMA_VERSION);
}

function addMissing(db: Connection, { objects }: Inspection): void {
  for (const [table, columns] of Object.entries(tables)) {
    if (!hasObject(objects, table)) db.exec(createTable(table, { ...columns, ...additions[table] }));
  }
  const { missing, missingOwn } = inspect(db);
  addColumns(db, [...missing, ...missingOwn]);
}

function addColumns(db: Connection, missing: readonly string[]): void {
  for (const qualified of missing) {
    const [table = '', column = ''] = qualified.split('.');
    const declaration = declarationOf(qualified);
    if (canBeAdded(declaration)) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${declaration}`);
  }
}

function declarationOf(qualified: string): string {
  const [table, column = ''] = qualified.split('.');
  const declared = Object.entries(tables).find(([name]) => name === table)?.[1];
  return declared?.[column] ?? additions[table ?? '']?.[column] ?? '';
}

function refuseForeign(path: string, found: Inspection): void {
  const essential = found.missing.filter((qualified) => {
    const [table = ''] = qualified.split('.');
    return hasObject(found.objects, table) && !canBeAdded(declarationOf(qualified));
  });
  if (essential.length === 0) return;
  throw new UserError(`Cannot ${OPENING}: ${path} is not a session database (it lacks ${essential.join(', ')}).`, {
    hint: 'Move the file away, or set HERMES_HOME to another directory. The file was left untouched.',
  });
}

async function backUpOlder(db: Connection, found: Inspection): Promise<void> {
  if (!hasObject(found.objects, 'sessions') || found.version === SCHEMA_VERSION) return;
  const hasRows = await db.read(OPENING, () => db.get('SELECT 1 FROM sessions LIMIT 1') !== undefined);
  if (hasRows) await backUpBefore(db, found.version ?? 0);
}
