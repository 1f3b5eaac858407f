/** Whether a path leads to a program. */
import { accessSync, constants, statSync } from 'node:fs';

/** True for a file that this user may run; nothing is run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there or not for us: not the program that was looked for.
    return false;
  }
}
