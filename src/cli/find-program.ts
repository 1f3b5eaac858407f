/** Looks a program up on PATH without running anything. */
import { delimiter, isAbsolute, join } from 'node:path';
import type { Variables } from '../config/variables.ts';
import { isExecutable } from '../lib/is-executable.ts';

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
