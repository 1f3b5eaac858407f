/** Which files may go out of this machine into a chat. */
import { realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { PathGuard } from '../../safety/paths.ts';

export interface SendableRules {
  /** Folders whose files may always be sent: those of the program's own media. */
  readonly folders: readonly string[];
  /** Folders that the owner names: their files may be sent however old they are, but for what is private in them. */
  readonly allowed: readonly string[];
  /** Homes of the program, absolute: nothing else in them is sent. */
  readonly homes: readonly string[];
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
  const isIn = (folder: string): boolean => real.startsWith(below(realOf(folder)));
  if (rules.folders.some(isIn)) return real;
  if (rules.guard.denyRead(real) !== undefined) return undefined;
  const allowed = rules.allowed.filter(isIn);
  // A folder that is named opens no private place that lies in it, only what it is itself a part of: by its name, for
  // whoever may write beside it could put a link in its place.
  const opens = (place: string): boolean =>
    [place, realOf(place)].some((name) => allowed.some((folder) => resolve(folder).startsWith(below(name))));
  const closed = [...rules.homes, ...systemFolders.filter((folder) => !rules.userHome.startsWith(folder))];
  if (closed.some((place) => isIn(place) && !opens(place))) return undefined;
  if (allowed.length > 0) return real;
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

/** How everything in a folder begins; the root ends in a separator already. */
function below(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
