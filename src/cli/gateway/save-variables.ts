/** Variables that a chat sets, in the `.env` of a home. */
import { join } from 'node:path';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { loadManagedScope, refusePackagedInstall, refusePinnedVariable } from '../../config/managed.ts';
import type { CliContext } from '../command.ts';

/** As `hermes config set` would; an empty value takes the variable out. */
export async function saveVariables(
  { home, env }: Pick<CliContext, 'home' | 'env'>,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  refusePackagedInstall(home, env);
  const managed = await loadManagedScope(env);
  for (const name of Object.keys(variables)) refusePinnedVariable(managed, name);
  for (const [name, value] of Object.entries(variables)) {
    setEnvValue(join(home.path, '.env'), name, value === '' ? undefined : value);
  }
}
