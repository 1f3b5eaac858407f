/** Where the project of a file begins. Looks at names only. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root of the git work tree that a file lies in. */
export function gitRootOf(path: string): string | undefined {
  return upward(dirname(path), (directory) => existsSync(join(directory, '.git')));
}

/** The nearest directory with one of these files in it, but not above `top`; else `top`. */
export function projectRootOf(path: string, markers: readonly string[], top: string): string {
  const holds = (directory: string): boolean => markers.some((marker) => existsSync(join(directory, marker)));
  return upward(dirname(path), (directory) => directory === top || holds(directory)) ?? top;
}

function upward(start: string, found: (directory: string) => boolean): string | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    if (found(directory)) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}
