/** Looks a program up on PATH without running anything. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Variables } from '../config/variables.ts';

/** Absolute path of an executable file, or `undefined`. A name with a directory in it is checked as it is. */
export function findProgram(name: string, env: Variables): string | undefined {
  if (isAbsolute(name) || name.includes('/')) return isExecutable(name) ? name : undefined;
  const endings = process.platform === 'win32' ? (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
  for (const directory of (env['PATH'] ?? '').split(delimiter)) {
    if (directory === '') continue;
    const found = endings.map((ending) => join(directory, name + ending)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there or not for us: not the program that was looked for.
    return false;
  }
}
