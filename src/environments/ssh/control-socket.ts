/** Where the shared connection to a host has its socket: in a directory that only we can enter. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest path of a socket; `ssh` adds a suffix of 17 characters while it makes one. */
const maxPathLength = 104 - 18;

/**
 * The same path for the same target, so that all our processes share one connection. Undefined where such a path would be
 * too long: each command then connects by itself.
 * @param target `user@host:port`
 */
export function controlSocket(target: string, scratch: string = tmpdir()): string | undefined {
  const name = `${createHash('sha256').update(target).digest('hex').slice(0, 16)}.sock`;
  const path = join(privateDirectory(scratch), name);
  return path.length <= maxPathLength ? path : undefined;
}

/** Whoever could write there could listen to the connection: one that is not ours alone is left for a new one. */
function privateDirectory(scratch: string): string {
  const shared = join(scratch, 'hermes-ssh');
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  const found = lstatSync(shared);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  return isOurs ? shared : mkdtempSync(`${shared}-`);
}
