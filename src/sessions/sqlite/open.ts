/** Opens `state.db`. */
import { accessSync, chmodSync, constants, existsSync } from 'node:fs';
import { errorCode, UserError } from '../../lib/errors.ts';
import type { SessionStore, StoreOptions } from '../session-store.ts';
import { dirname } from 'node:path';
import { noteStore, refuseEmptied } from './emptied.ts';
import { Connection } from './connection.ts';
import { FullTextIndex, presentIndexes, rebuildFullText } from './full-text.ts';
import { withoutLogLine } from './journal.ts';
import { NewerSchemaError, newerLine } from './newer-schema.ts';
import { openForReading } from './open-for-reading.ts';
import { openSchema } from './open-schema.ts';
import { removeUnfinishedBackups } from './upgrade-backup.ts';
import { SqliteSessionStore } from './store.ts';

/** In `state_meta`: the newer version that a person was told of. */
const TOLD = 'newer_schema_told';

/**
 * Opens or creates the store at `path`; its directory must exist. An older database is upgraded after a backup, a
 * newer one is used as it is where its structure proves that it takes what is written, and otherwise only read, where
 * `options` allow that. Throws `UserError` naming the path when the file is locked for long, damaged, emptied, not
 * accessible or too new; the file is then as it was.
 */
export async function openSqliteSessionStore(path: string, options: StoreOptions = {}): Promise<SessionStore> {
  const isNew = !existsSync(path);
  if (!isNew) refuseEmptied(path);
  const { forReading = 'never' } = options;
  if (!isNew && (forReading === 'always' || (forReading === 'if it must be' && !canBeWritten(path)))) {
    return await openForReading(path, options);
  }
  // Asked of the system without opening the file: SQLite would open it for reading only and fail at the first write.
  if (!isNew) requireWritable(path);
  const db = await Connection.open(path, options);
  try {
    if (isNew) restrictToOwner(path);
    removeUnfinishedBackups(path);
    const { fullText, newer, withoutLog } = await openSchema(db);
    if (withoutLog === true) options.tell?.(withoutLogLine(path));
    noteStore(path);
    if (options.forWriting === true) await db.rehearse('write to the session store', () => undefined, 3);
    const index = new FullTextIndex(fullText);
    // The index of a newer version may be another one.
    if (newer === undefined) db.mendWith(() => rebuildIndex(db, index));
    const store = new SqliteSessionStore(db, index, options.clock ?? Date);
    if (newer !== undefined) await tellOnce(store, newer, () => options.tell?.(newerLine(path, newer)));
    return store;
  } catch (error) {
    db.abandon();
    if (!(error instanceof NewerSchemaError) || forReading === 'never') throw error;
    options.tell?.(error.readingLine);
    return await openForReading(path, options, error);
  }
}

/** Every message goes into the search index, so a damaged one would refuse all of them; it is made of them anew. */
function rebuildIndex(db: Connection, index: FullTextIndex): void {
  rebuildFullText(db);
  index.tables = presentIndexes(db.all('SELECT name FROM sqlite_master'));
}

async function tellOnce({ meta }: SessionStore, version: number, tell: () => void): Promise<void> {
  if ((await meta.get(TOLD)) === String(version)) return;
  tell();
  await meta.set(TOLD, String(version));
}

/** False when the file, or the directory that its journal stands in, cannot be written. */
function canBeWritten(path: string): boolean {
  try {
    for (const one of [path, dirname(path)]) accessSync(one, constants.W_OK);
    return true;
  } catch {
    // Whatever the reason is, reading is tried next, and tells of it.
    return false;
  }
}

function requireWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    const reason = errorCode(error) === 'EROFS' ? 'the file system is read-only' : 'permission denied';
    throw new UserError(`Cannot open the session store: ${path} is not readable and writable (${reason}).`, {
      hint: 'Make the file writable for this user, or set HERMES_HOME to another directory.',
      cause: error,
    });
  }
}

/** Conversations are private. SQLite gives the journal files the same mode. */
function restrictToOwner(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // File systems without modes refuse; the home directory itself is private already.
  }
}
