/** Which shell runs commands on this machine, and the search path it needs. */
import { basename, delimiter, isAbsolute, join } from 'node:path';
import type { Variables } from '../../config/variables.ts';
import { UserError } from '../../lib/errors.ts';
import { isExecutable } from '../../lib/is-executable.ts';

export interface ShellProgram {
  readonly path: string;
  /** `posix` shells lack bash's long options, high file descriptors and `shopt`. */
  readonly dialect: 'bash' | 'posix';
}

const posixShells = new Set(['sh', 'dash', 'ash', 'ksh', 'mksh', 'zsh', 'yash']);
const standardPath =
  '/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * bash from PATH, then from its usual places, then `$SHELL` when it speaks POSIX, then `/bin/sh`.
 * @throws UserError when there is none
 */
export function findShell(env: Variables): ShellProgram {
  const candidates = [...pathCandidates('bash', env['PATH']), '/usr/bin/bash', '/bin/bash', env['SHELL'], '/bin/sh'];
  for (const path of candidates) {
    if (path === undefined || !isExecutable(path)) continue;
    const name = basename(path);
    if (name === 'bash') return { path, dialect: 'bash' };
    if (posixShells.has(name)) return { path, dialect: 'posix' };
  }
  throw new UserError('No shell was found to run commands: neither bash nor /bin/sh exists.', {
    hint: 'Install bash, or choose another terminal.backend.',
  });
}

/** The search path, with the standard directories that are missing from it at its end. */
export function completePath(path: string | undefined): string {
  // An empty entry would be whatever directory a command runs in.
  const own = (path ?? '').split(delimiter).filter((directory) => directory !== '');
  return [...new Set([...own, ...standardPath.split(delimiter)])].join(delimiter);
}

/** The first executable file of that name on a search path. */
export function searchPath(name: string, path: string | undefined): string | undefined {
  return (name.includes('/') ? [name] : pathCandidates(name, path)).find(isExecutable);
}

/** Relative entries are skipped: a program in whatever directory we stand in is never meant. */
function pathCandidates(name: string, path: string | undefined): string[] {
  return (path ?? '')
    .split(delimiter)
    .filter((directory) => isAbsolute(directory))
    .map((directory) => join(directory, name));
}
