/** Which files may go out of this machine into a chat. */
import { realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import type { PathGuard } from '../../safety/paths.ts';

export interface SendableRules {
  /** Folders whose files may always be sent: those of the program's own media, and what the owner names. */
  readonly folders: readonly string[];
  /** The home of the program, absolute: nothing else in it is sent. */
  readonly homePath: string;
  readonly userHome: string;
  /** `gateway.strict`: besides those folders only files that were changed lately. */
  readonly strict: boolean;
  /** Seconds; 0: none are trusted for being new. */
  readonly recentSeconds: number;
  readonly guard: Pick<PathGuard, 'denyRead'>;
  readonly clock: { now(): number };
}

/** Where nothing lies that a person would want to be sent. */
const systemFolders = ['/etc', '/proc', '/sys', '/dev', '/root', '/boot', '/var/log', '/var/lib', '/var/run', '/run'];

/** The real path of a regular file that may be sent; undefined for everything else. Links are followed first. */
export function sendablePath(path: string, rules: SendableRules): string | undefined {
  const found = fileAt(path);
  if (found === undefined) return undefined;
  const { real, changedAt } = found;
  const isIn = (folder: string): boolean => real.startsWith(realOf(folder) + sep);
  if (rules.folders.some(isIn)) return real;
  if (isIn(rules.homePath) || rules.guard.denyRead(real) !== undefined) return undefined;
  if (systemFolders.some((folder) => isIn(folder) && !rules.userHome.startsWith(folder))) return undefined;
  const isRecent = rules.recentSeconds > 0 && rules.clock.now() - changedAt <= rules.recentSeconds * 1000;
  return !rules.strict || isRecent ? real : undefined;
}

export function isFile(path: string): boolean {
  return fileAt(path) !== undefined;
}

function fileAt(path: string): { readonly real: string; readonly changedAt: number } | undefined {
  try {
    const real = realpathSync(path);
    const { mtimeMs } = statSync(real);
    return statSync(real).isFile() ? { real, changedAt: mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
