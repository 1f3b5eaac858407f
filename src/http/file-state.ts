/** Whether a file is another one than it was. */
import { statSync } from 'node:fs';
import { errorCode } from '../lib/errors.ts';

/** Its size, time and number as one word. Never throws: what cannot be looked at is told when it is read. */
export function fileState(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
  } catch (error) {
    return errorCode(error) ?? '?';
  }
}
