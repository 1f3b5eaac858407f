/** The Python environment that somebody has switched on in the shell that we were started from. */
import type { Variables } from './variables.ts';

/** Its folder, of `venv` or of conda. */
export function pythonEnvironment(env: Variables): string | undefined {
  return env['VIRTUAL_ENV'] ?? env['CONDA_PREFIX'];
}
