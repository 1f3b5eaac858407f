/** Brings a database to schema version 22 when it is older, and leaves one that is newer exactly as it is. */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { OPENING } from './attempts.ts';
import { numberOrNull, text } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { ensureFullText, type FullText, fullTextIsComplete, presentIndexes, rebuildFullText } from './full-text.ts';
import { dropRepeatedTitles, healActive, migrateData } from './migrate-data.ts';
import { type RoutingEntry, readRoutingMirror } from './routing-mirror.ts';
import {
  additions,
  canBeAdded,
  type Columns,
  createTable,
  createTitleIndex,
  indexes,
  SCHEMA_VERSION,
  tables,
  TITLE_INDEX,
} from './schema.ts';
import { isBusy, sqliteCode } from './storage-error.ts';

const CONSTRAINT = 19;
const UPGRADING = 'upgrade the session store';

/** What a look at the file tells, without changing it. */
interface Inspection {
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

/**
 * Makes the database ready; returns which search indexes it has. Every change is one transaction, so that a process
 * killed half-way leaves the old version, and the next open repeats the work. A database of an older version is
 * first copied to `<path>.v<version>.backup`. Throws `UserError` for a newer one that this build cannot write to.
 */
export async function openSchema(db: Connection): Promise<FullText> {
  const found = await db.read(OPENING, () => inspect(db));
  if (found.version !== undefined && found.version > SCHEMA_VERSION) {
    await checkNewer(db, found, found.version);
    await useWriteAheadLog(db);
    if (found.missingOwn.length > 0) await db.write(UPGRADING, () => addColumns(db, inspect(db).missingOwn));
    return presentIndexes(found.objects);
  }
  // A file made by something else must be refused before the first byte of it changes.
  refuseForeign(db.path, found);
  if (!isCurrent(found)) await backUpOlder(db, found);
  await useWriteAheadLog(db);
  if (isCurrent(found)) return presentIndexes(found.objects);
  const routing = (found.version ?? SCHEMA_VERSION) < 18 ? readRoutingMirror(routingMirror(db.path)) : [];
  return db.write(UPGRADING, () => {
    // Looked at again, now that nobody else can write: another process may have done the work meanwhile.
    migrate(db, inspect(db), routing);
    return presentIndexes(inspect(db).objects);
  });
}

/** What a store that cannot be changed has. Throws `UserError` when it would have to be upgraded first. */
export async function readSchema(db: Connection): Promise<FullText> {
  const { missing, objects, version, missingOwn } = await db.read(OPENING, () => inspect(db));
  if (missing.length + missingOwn.length === 0) return presentIndexes(objects);
  throw new UserError(
    `Cannot ${OPENING}: ${db.path} has schema version ${version ?? 0} and must be upgraded to ${SCHEMA_VERSION}, but it cannot be written.`,
    { hint: 'Make the file and its directory writable for this user, and open it once.' },
  );
}

function inspect(db: Connection): Inspection {
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

function routingMirror(path: string): string {
  return join(dirname(path), 'sessions', 'sessions.json');
}

/** As `table.column`. */
function missingColumns(db: Connection, wanted: Readonly<Record<string, Columns>>): string[] {
  return Object.entries(wanted).flatMap(([table, columns]) => {
    const live = new Set(db.all('SELECT name FROM pragma_table_info(?)', table).map((row) => text(row, 'name')));
    return Object.keys(columns).flatMap((column) => (live.has(column) ? [] : [`${table}.${column}`]));
  });
}

function isCurrent({ version, objects, missing, missingOwn, undecided }: Inspection): boolean {
  if (version !== SCHEMA_VERSION || missing.length + missingOwn.length > 0 || undecided) return false;
  return (
    fullTextIsComplete(objects) && [...Object.keys(indexes), TITLE_INDEX].every((name) => hasObject(objects, name))
  );
}

function hasObject(objects: readonly Row[], name: string): boolean {
  return objects.some((row) => text(row, 'name') === name);
}

async function useWriteAheadLog(db: Connection): Promise<void> {
  await db.outsideTransaction(OPENING, () => db.exec('PRAGMA journal_mode = WAL'));
}

function migrate(db: Connection, found: Inspection, routing: readonly RoutingEntry[]): void {
  if (found.version !== undefined && found.version > SCHEMA_VERSION) return;
  db.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)');
  for (const [table, columns] of Object.entries(tables)) {
    if (!hasObject(found.objects, table)) db.exec(createTable(table, { ...columns, ...additions[table] }));
  }
  const { missing, missingOwn } = inspect(db);
  addColumns(db, [...missing, ...missingOwn]);
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

/** A newer schema is fine as long as what we read exists and what we write is accepted. */
async function checkNewer(db: Connection, found: Inspection, version: number): Promise<void> {
  const problem = found.missing.length > 0 ? `it lacks ${found.missing.join(', ')}` : await rehearseWrites(db);
  if (problem === undefined) return;
  throw new UserError(
    `Cannot ${OPENING}: ${db.path} has schema version ${version}, this build knows up to ${SCHEMA_VERSION}, and ${problem}.`,
    { hint: 'Update Hermes Agent, or set HERMES_HOME to another directory. The file was left untouched.' },
  );
}

async function rehearseWrites(db: Connection): Promise<string | undefined> {
  try {
    await db.rehearse(OPENING, () => {
      const id = ' rehearsal';
      db.run('INSERT INTO sessions (id, source, started_at) VALUES (?, ?, ?)', id, 'cli', 0);
      db.run(
        'INSERT INTO messages (session_id, role, timestamp, observed, active, compacted) VALUES (?, ?, ?, 0, 1, 0)',
        id,
        'user',
        0,
      );
      db.run('UPDATE messages SET active = 0, compacted = 1 WHERE session_id = ?', id);
      db.run('UPDATE sessions SET message_count = message_count + 1, ended_at = NULL WHERE id = ?', id);
      db.run('INSERT INTO session_model_usage (session_id, model) VALUES (?, ?)', id, 'rehearsal');
      db.run('DELETE FROM session_model_usage WHERE session_id = ?', id);
      db.run('DELETE FROM messages WHERE session_id = ?', id);
      db.run('DELETE FROM sessions WHERE id = ?', id);
    });
    return undefined;
  } catch (error) {
    if (error instanceof UserError || isBusy(error)) throw error;
    const code = sqliteCode(error);
    if (code === 1 || code === CONSTRAINT) return `refuses what it would write (${errorMessage(error)})`;
    throw error;
  }
}

async function backUpOlder(db: Connection, found: Inspection): Promise<void> {
  if (!hasObject(found.objects, 'sessions') || found.version === SCHEMA_VERSION) return;
  const hasRows = await db.read(OPENING, () => db.get('SELECT 1 FROM sessions LIMIT 1') !== undefined);
  const target = `${db.path}.v${found.version ?? 0}.backup`;
  if (!hasRows || existsSync(target)) return;
  const partial = `${target}.${randomBytes(4).toString('hex')}.partial`;
  try {
    await db.backupTo(partial);
    // Another process that upgrades at the same time has finished its copy before it changed anything.
    if (!existsSync(target)) renameSync(partial, target);
  } finally {
    rmSync(partial, { force: true });
  }
}
