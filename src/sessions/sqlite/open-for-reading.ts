/** Opens a store that nobody writes to from here: one that cannot be written, must not be, or is another profile's. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import type { SessionStore, StoreOptions } from '../session-store.ts';
import { OPENING } from './attempts.ts';
import { Connection, type WaitOptions } from './connection.ts';
import { FullTextIndex, type FullText } from './full-text.ts';
import { completeCopy, readSchema } from './open-schema.ts';
import { SqliteSessionStore } from './store.ts';

/**
 * A store of another version that lacks what is read is completed in a temporary copy. `refusal` is what writes end
 * with. Throws `UserError`.
 */
export async function openForReading(path: string, options: StoreOptions, refusal?: UserError): Promise<SessionStore> {
  const { busyTimeoutMs, attempts, clock = Date } = options;
  const wait: WaitOptions = {
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(refusal === undefined ? {} : { refusal }),
  };
  const db = await openUnlocked(path, wait);
  try {
    const fullText = await readSchema(db);
    if (fullText !== undefined) return new SqliteSessionStore(db, new FullTextIndex(fullText), clock);
    const copy = await openCopy(db, { ...wait, refusal: refusal ?? notUpgraded(path) });
    db.abandon();
    return new SqliteSessionStore(copy.db, new FullTextIndex(copy.fullText), clock);
  } catch (error) {
    db.abandon();
    throw error;
  }
}

/**
 * Beside others who may write. That needs the files of the journal, which cannot be made where nothing can be written;
 * without a journal nobody has it open there, so it is read as one that does not change.
 */
async function openUnlocked(path: string, options: WaitOptions): Promise<Connection> {
  try {
    // The first read of a file needs the journal.
    return await Connection.open(path, { ...options, readOnly: 'shared' });
  } catch (error) {
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) throw error;
    return await Connection.open(path, { ...options, readOnly: 'unchanging' });
  }
}

/** The file is gone as soon as it is open, so that no copy of private conversations stays behind. */
async function openCopy(
  source: Connection,
  options: WaitOptions,
): Promise<{ readonly db: Connection; readonly fullText: FullText }> {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-read-'));
  try {
    const path = join(directory, 'state.db');
    await source.backupTo(path);
    const made = await Connection.open(path);
    try {
      // The journal of its own would have to be there for reading.
      await made.outsideTransaction(OPENING, () => made.exec('PRAGMA journal_mode = DELETE'));
      await completeCopy(made, source.path);
    } finally {
      made.abandon();
    }
    const db = await Connection.open(path, { ...options, readOnly: 'unchanging' });
    const fullText = await readSchema(db);
    if (fullText !== undefined) return { db, fullText };
    db.abandon();
    throw new UserError(`Cannot ${OPENING}: ${source.path} lacks what is needed to read it.`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function notUpgraded(path: string): UserError {
  return new UserError(`Cannot write to the session store: ${path} is of an older version and could not be upgraded.`, {
    hint: 'Make the file and its directory writable for this user, and open it once.',
  });
}
