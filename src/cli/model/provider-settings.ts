/** What commands about providers work on: the settings of models with the profiles of the home. */
import { join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import { allProfiles, type ChosenProvider, lookUpProvider } from '../../providers/choose-provider.ts';
import { storedLogins } from '../../credentials/stored-logins.ts';
import type { ModelSettings } from '../../providers/model-settings.ts';
import { readUserProfiles } from '../../providers/user-profiles.ts';
import { modelSettings } from '../../runtime/model-settings.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';

/** Warnings about profiles of the home go to stderr. */
export async function readProviderSettings(context: CliContext): Promise<ModelSettings> {
  const { config } = await context.config();
  const user = await readUserProfiles(join(context.home.path, 'plugins', 'model-providers'));
  for (const warning of user.warnings) context.io.stderr.write(`${warning}\n`);
  return modelSettings(config, user.profiles, storedLogins(join(context.home.path, 'auth.json')));
}

/** Throws `UserError` with exit code 2 and the names that are known. */
export function requireProvider(name: string, settings: ModelSettings, more: readonly string[] = []): ChosenProvider {
  const found = lookUpProvider(name, settings);
  if (found !== undefined) return found;
  throw unknownProvider(name, settings, more);
}

export function unknownProvider(name: string, settings: ModelSettings, more: readonly string[] = []): UserError {
  const saved = savedProviders(settings).map(({ id }) => id);
  const known = [...new Set([...allProfiles(settings).map(({ id }) => id), ...saved, ...more])];
  return new UserError(`Unknown provider '${escapeForDisplay(name.slice(0, 80), { singleLine: true })}'.`, {
    exitCode: 2,
    hint: `Known providers: ${known.map((id) => escapeForDisplay(id, { singleLine: true })).join(', ')}`,
  });
}

/** The endpoints of the user's own that have a name, as providers. */
export function savedProviders(settings: ModelSettings): readonly ChosenProvider[] {
  const names = (settings.custom_providers ?? []).map(({ name }) => name).filter((name) => name.trim() !== '');
  return names.flatMap((name) => lookUpProvider(`custom:${name}`, settings) ?? []);
}
