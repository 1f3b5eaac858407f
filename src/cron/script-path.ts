/** Where scripts of jobs may live: in `<home>/scripts`, and nowhere else. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { UserError } from '../lib/errors.ts';

/** Throws `UserError` for a name that leads, or could lead, out of the folder. The script need not be there yet. */
export function checkScriptName(name: string): void {
  const isOutside = isAbsolute(name) || /^(?:~|[A-Za-z]:)/.test(name) || name.split(/[/\\]/).includes('..');
  if (isOutside || name.includes('\0')) {
    throw new UserError(`The script '${name}' must be a name inside the folder 'scripts' of the home, without '..'.`);
  }
}

/** The real path of a script; links lead nowhere else. Throws `UserError` when it is not there, or lies outside. */
export function scriptPath(homePath: string, name: string): string {
  checkScriptName(name);
  const folder = join(homePath, 'scripts');
  let path: string;
  let inside: string;
  try {
    path = realpathSync(join(folder, name));
    inside = relative(realpathSync(folder), path);
  } catch (error) {
    throw new UserError(`There is no script '${name}' in ${folder}.`, { cause: error });
  }
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new UserError(`The script '${name}' leads out of ${folder}.`);
  }
  if (!statSync(path).isFile()) throw new UserError(`The script '${name}' in ${folder} is no file.`);
  return path;
}
