/** Whether a path leads to a program. */
import { accessSync, constants, statSync } from 'node:fs';

/** True for a file that this user may run; nothing is run. */
export function isExecutable(path: string): boolean {
  try {
    // Most of what is asked about is not there, and an error costs more than a look.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there or not for us: not the program that was looked for.
    return false;
  }
}
