/** What runs something by itself later, by its name alone: a command is judged before anybody looks at the disk. */
import { comparablePath, isInside } from './comparable-path.ts';
import { laterPaths, laterPatterns, personalFolder, writeProtectedPaths } from './guarded-paths.ts';

/** Those of a person without their directory, those of the machine as they are. What the kernel shows lasts no longer than it runs. */
const places: ReadonlySet<string> = new Set(
  [...writeProtectedPaths, ...laterPaths].filter((path) => path !== '/proc' && path !== '/sys'),
);

/** True for start-up files, jobs, settings that name programs, and folders from which programs are started. `path` is absolute. */
export function isStartedLater(path: string, userHome: string): boolean {
  const own = comparablePath(path);
  const home = `${comparablePath(userHome)}/`;
  const inHome = own.startsWith(home) ? own.slice(home.length) : own.replace(personalFolder, '').slice(1);
  return isInside(own, places) || isInside(inHome, places) || laterPatterns.some((pattern) => pattern.test(own));
}
