/** What the path guard asks the disk of this machine. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import type { Disk } from '../safety/same-file.ts';

/** Where a path leads when all its links are followed. */
export function realPathOrSame(path: string): string {
  try {
    // Most of what is asked about is not there, and an error costs more than a look.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return path;
    return realpathSync.native(path);
  } catch {
    // What does not exist has no other place.
    return path;
  }
}

export const thisDisk: Disk = {
  identify(path) {
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      return { id: `${found.dev}:${found.ino}`, names: found.isFile() ? found.nlink : 1 };
    } catch {
      // What cannot be looked at has no name that leads there either.
      return undefined;
    }
  },
  list(directory) {
    try {
      return readdirSync(directory);
    } catch {
      // A folder that is not there, or closed to us, holds nothing that we could reach.
      return [];
    }
  },
};
