/** The system's own programs that a sandbox is made of: never what a search path names. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where a system keeps what its administrator installed. */
const folders = [
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/run/current-system/sw/bin',
];

/**
 * A program that only the administrator can replace: it and every folder above it belong to root, and nobody else may
 * write them.
 */
export function findSystemProgram(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find(isTrusted);
}

function isTrusted(path: string): boolean {
  try {
    const real = realpathSync(path);
    accessSync(real, constants.X_OK);
    return statSync(real).isFile() && isRootsOwn(real) && isRootsOwn(path);
  } catch {
    // Not there, or not for us to run.
    return false;
  }
}

const writableByOthers = 0o022;

function isRootsOwn(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const { uid, mode } = statSync(at);
    if (uid !== 0 || (mode & writableByOthers) !== 0) return false;
    if (at === '/') return true;
  }
}
