/** `hermes secrets`: references of 1Password, and switching a secret manager off. */
import { updateConfig } from '../../config/edit.ts';
import { UserError } from '../../lib/errors.ts';
import { SourceCache } from '../../secret-sources/cache.ts';
import { complaintAbout } from '../../secret-sources/one-password.ts';
import { allSources } from '../../secret-sources/open-sources.ts';
import type { SourceName } from '../../secret-sources/source.ts';
import { plain } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';

export async function setReference(context: CliContext, variable: string, reference: string): Promise<void> {
  const complaint = complaintAbout(variable, reference);
  if (complaint !== undefined) {
    throw new UserError(`${plain(variable.slice(0, 80))}: ${complaint}; nothing was changed.`, {
      exitCode: 2,
      hint: 'Write: hermes secrets onepassword set OPENAI_API_KEY "op://Private/OpenAI/api key"',
    });
  }
  await updateConfig(context, [{ path: ['secrets', 'onepassword', 'env', variable], value: reference.trim() }]);
  context.io.stdout.write(`✓ ${variable} comes from ${plain(reference.trim())}\n`);
  const { config } = await context.config();
  if (!config.secrets.onepassword.enabled) {
    context.io.stdout.write('  1Password is switched off: hermes secrets onepassword setup\n');
  }
}

export async function removeReference(context: CliContext, variable: string): Promise<void> {
  const { config } = await context.config();
  if (!Object.hasOwn(config.secrets.onepassword.env, variable)) {
    throw new UserError(`${plain(variable.slice(0, 80))} has no reference.`, {
      hint: 'See them with: hermes secrets onepassword status',
    });
  }
  await updateConfig(context, [{ path: ['secrets', 'onepassword', 'env', variable], value: undefined }]);
  context.io.stdout.write(`✓ ${plain(variable)} no longer comes from 1Password\n`);
}

/** The token stays where it is: another program may use it. */
export async function disable(context: CliContext, name: SourceName): Promise<void> {
  const { config } = await context.config();
  const { home, env, io } = context;
  await updateConfig(context, [{ path: ['secrets', name, 'enabled'], value: false }]);
  const source = allSources({ homePath: home.path, env, config }).find((one) => one.name === name);
  if (source === undefined) return;
  new SourceCache(home.path, source.cacheFile).remove();
  const { onepassword, bitwarden } = config.secrets;
  const token = name === 'onepassword' ? onepassword.service_account_token_env : bitwarden.access_token_env;
  io.stdout.write(`✓ ${source.label} is off, and its kept values are deleted. ${token} was left where it is.\n`);
}
