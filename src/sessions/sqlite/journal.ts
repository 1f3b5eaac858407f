/** How durable the session store writes, and what a person is told where it has no write-ahead log. */

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
