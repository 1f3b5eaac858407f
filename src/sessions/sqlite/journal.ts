/** How a database writes: with a write-ahead log where the file system can have one, and durable as the system allows. */
import type { SQLOutputValue } from 'node:sqlite';
import { sqliteCode } from './storage-error.ts';

/** What is needed of a connection. */
interface Statements {
  exec(sql: string): void;
  get(sql: string): Readonly<Record<string, SQLOutputValue>> | undefined;
}

const PROTOCOL = 15;
const AUTH = 23;

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

/** One line for a person whose file system takes no write-ahead log. */
export function withoutLogLine(path: string): string {
  return `${path} is written without a write-ahead log, because its file system takes none (NFS, SMB and some FUSE mounts): other programs may have to wait longer. See https://www.sqlite.org/wal.html`;
}

/**
 * With a write-ahead log NORMAL survives a killed process whole, because the system keeps what was written. Only a power
 * cut may take the newest commits, never the file's integrity; FULL would cost an fsync for every message. On macOS a plain
 * fsync keeps no order, so that a cut in a checkpoint could damage the file: https://www.sqlite.org/pragma.html#pragma_checkpoint_fullfsync
 */
export function durability(platform: NodeJS.Platform): string {
  return platform === 'darwin'
    ? 'PRAGMA checkpoint_fullfsync = 1; PRAGMA synchronous = FULL'
    : 'PRAGMA synchronous = NORMAL';
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
