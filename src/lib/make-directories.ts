import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './errors.ts';

/**
 * Makes the directory at an absolute path, and its parents; returns those that were missing, outermost first. For paths
 * that come from people and models: Node's own `recursive` never comes back below `/proc`, which answers ENOENT although the
 * parent is there, and calls a read-only file system a missing directory.
 *
 * Throws what the system says.
 */
export function makeDirectories(path: string, mode?: number): string[] {
  if (isDirectory(path)) return [];
  const parent = dirname(path);
  const made = parent === path ? [] : makeDirectories(parent, mode);
  try {
    mkdirSync(path, { mode });
    made.push(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (errorCode(error) !== 'EEXIST' || !isDirectory(path)) throw error;
  }
  return made;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
