/** Which Python runs scripts. */
import { join } from 'node:path';
import { isExecutable } from '../../lib/is-executable.ts';
import type { ToolServices } from '../services.ts';

/** The first of the search path; undefined where there is none. */
export function findPython({ paths }: Pick<ToolServices, 'paths'>): string | undefined {
  const candidates = ['python3', 'python'].flatMap((name) =>
    (paths.searched ?? []).map((folder) => join(folder, name)),
  );
  return candidates.find(isExecutable);
}
