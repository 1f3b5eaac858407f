/** What SQLite's errors mean, and how a database of any room gets its write-ahead log. */
import type { SQLOutputValue } from 'node:sqlite';

/** What is needed of a connection. */
export interface Statements {
  exec(sql: string): void;
  get(sql: string): Readonly<Record<string, SQLOutputValue>> | undefined;
}

const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const PROTOCOL = 15;
const AUTH = 23;
const NOT_A_DATABASE = 26;

/** The primary SQLite result code of a thrown error, if it has one. Extended codes keep theirs in the upper bits. */
export function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** True when the file is damaged, or none of SQLite's. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** True when another connection is in the way and a later attempt may succeed. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED;
}

/**
 * True when the database has a write-ahead log now; false where its file system (NFS, SMB, FUSE) refuses one, and it
 * writes without. https://www.sqlite.org/wal.html
 */
export function useWriteAheadLog(db: Statements): boolean {
  try {
    db.exec('PRAGMA journal_mode = WAL');
    return true;
  } catch (error) {
    const code = sqliteCode(error);
    // Where others have one already, writing without it would not be seen by them.
    if ((code !== PROTOCOL && code !== AUTH) || journalMode(db) === 'wal') throw error;
    db.exec('PRAGMA journal_mode = DELETE');
    return false;
  }
}

/** `wal` for a write-ahead log; undefined when it cannot be asked. */
export function journalMode(db: Pick<Statements, 'get'>): unknown {
  try {
    return db.get('PRAGMA journal_mode')?.['journal_mode'];
  } catch {
    // What cannot be asked is not known to have one.
    return undefined;
  }
}
