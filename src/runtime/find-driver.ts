/** Where the program is that sees and operates the desktop. */
import { delimiter, isAbsolute, join } from 'node:path';
import { computerVariables } from '../config/computer-variables.ts';
import type { Variables } from '../config/variables.ts';
import { searchPathOf } from '../environments/local/search-path.ts';
import { isExecutable } from '../lib/is-executable.ts';

/** Absolute; undefined where it is not installed. Its own installer puts it where not every service looks. */
export function findDriver(env: Variables): string | undefined {
  const { driver, userHome } = computerVariables(env);
  const named = driver.startsWith('~/') ? join(userHome, driver.slice(2)) : driver;
  if (isAbsolute(named)) return isExecutable(named) ? named : undefined;
  if (named.includes('/')) return undefined;
  const folders = [...searchPathOf(env).split(delimiter), join(userHome, '.local', 'bin')];
  const names = process.platform === 'win32' && !/\.exe$/i.test(named) ? [`${named}.exe`, named] : [named];
  return folders
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
}
