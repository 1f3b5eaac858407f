/** Which Python runs scripts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutable } from '../../lib/is-executable.ts';
import type { ToolServices } from '../services.ts';

/** The module that scripts import needs so much of Python 3. */
const oldestMinor = 8;

/**
 * In project mode that of the virtual environment we were started in, where it is new enough; else the first of the
 * search path. Undefined where there is none.
 */
export function findPython({ paths, config }: Pick<ToolServices, 'paths' | 'config'>): string | undefined {
  const { pythonEnvironment: prefix, searched = [] } = paths;
  if (config.code_execution.mode === 'project' && prefix !== undefined && isNewEnough(prefix)) {
    const python = join(prefix, 'bin', 'python');
    if (isExecutable(python)) return python;
  }
  return ['python3', 'python'].flatMap((name) => searched.map((folder) => join(folder, name))).find(isExecutable);
}

/** Environments of venv and conda alike keep their modules in `lib/python3.N`. */
function isNewEnough(prefix: string): boolean {
  try {
    return readdirSync(join(prefix, 'lib')).some((name) => Number(/^python3\.(\d+)$/.exec(name)?.[1]) >= oldestMinor);
  } catch {
    // Not one of them, or one that is gone.
    return false;
  }
}
