/** What the answers come to, and how it is stored once the last of them is given. */
import { join } from 'node:path';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { type Change, updateConfig } from '../../config/edit.ts';
import { refusePackagedInstall, refusePinnedVariable } from '../../config/managed.ts';
import type { TokenSet } from '../../credentials/oauth/login.ts';
import type { ProviderProfile } from '../../llm/provider.ts';
import { storeLogin } from '../auth/login.ts';
import { isPinned } from './pins.ts';
import type { ModelSetting } from './setting.ts';

export interface Plan {
  /** Keys of config.yaml; pinned ones are left out when they are stored. */
  readonly changes: readonly Change[];
  /** Secrets for `.env`. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** A login that was just made. */
  readonly login?: { readonly profile: ProviderProfile; readonly tokens: TokenSet } | undefined;
  /** One line for the person. */
  readonly summary: string;
}

/**
 * The secrets first: a key that nothing speaks of does no harm, settings without their key would. The settings are one
 * atomic write. Throws `UserError`.
 */
export async function storePlan(
  { context, loaded, credentials }: Pick<ModelSetting, 'context' | 'loaded' | 'credentials'>,
  plan: Omit<Plan, 'summary'>,
): Promise<void> {
  const { home, env } = context;
  refusePackagedInstall(home, env);
  for (const [name] of plan.variables) refusePinnedVariable(loaded.managed, name);
  for (const [name, value] of plan.variables) setEnvValue(join(home.path, '.env'), name, value);
  if (plan.login !== undefined) await storeLogin(credentials.store, plan.login.profile, plan.login.tokens, undefined);
  const changes = plan.changes.filter(({ path }) => !isPinned(loaded.managed, path.join('.')));
  if (changes.length > 0) await updateConfig(context, changes);
}
