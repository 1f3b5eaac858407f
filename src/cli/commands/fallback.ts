/** `hermes fallback`: the models that are asked when the main one fails. */
import { Command, Option } from 'commander';
import { updateConfig } from '../../config/edit.ts';
import { API_MODES } from '../../config/schema/model.ts';
import { UserError } from '../../lib/errors.ts';
import type { FallbackEntry } from '../../providers/fallback-entries.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';

interface AddOptions {
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  readonly apiMode?: string;
}

export function build(context: CliContext): Command {
  const command = new Command('fallback').description(
    'Shows and edits the models that are asked when the main one fails.',
  );
  command
    .command('list', { isDefault: true })
    .alias('ls')
    .description('show the chain, in order')
    .action(async () => list(context));
  command
    .command('add')
    .description('add a model at the end of the chain')
    .argument('<provider>')
    .argument('<model>')
    .option('--base-url <url>', 'endpoint, for a server of your own')
    .option('--key-env <variable>', 'variable that holds its key')
    .addOption(new Option('--api-mode <mode>', 'its wire format').choices(API_MODES))
    .action(async (provider: string, model: string, options: AddOptions) =>
      add(context, {
        provider,
        model,
        base_url: options.baseUrl,
        key_env: options.keyEnv,
        api_mode: options.apiMode,
      }),
    );
  command
    .command('remove')
    .alias('rm')
    .description('remove an entry')
    .argument('<number>', 'its number in the list, from 1')
    .action(async (number: string) => remove(context, number));
  command
    .command('clear')
    .description('remove all entries')
    .action(async () => store(context, []));
  return command;
}

async function entriesOf(context: CliContext): Promise<readonly FallbackEntry[]> {
  return (await context.config()).config.fallback_providers;
}

async function list(context: CliContext): Promise<void> {
  const entries = await entriesOf(context);
  const lines = entries.map((entry, index) => `  ${index + 1}. ${describe(entry)}`);
  context.io.stdout.write(
    lines.length === 0
      ? 'No fallback models. Add one with: hermes fallback add <provider> <model>\n'
      : `When the main model fails, these are asked in order:\n${lines.join('\n')}\n`,
  );
}

async function add(context: CliContext, entry: FallbackEntry): Promise<void> {
  const { config } = await context.config();
  const { lookUpProvider } = await import('../../providers/choose-provider.ts');
  const { readProviderSettings } = await import('../model/provider-settings.ts');
  const known = lookUpProvider(entry.provider, await readProviderSettings(context));
  if (known === undefined) {
    throw new UserError(`Unknown provider '${entry.provider}'; nothing was added.`, {
      exitCode: 2,
      hint: 'See `hermes model` for the providers, or save a server of your own with `hermes model`.',
    });
  }
  if (entry.base_url !== undefined && !URL.canParse(entry.base_url)) {
    throw new UserError(`'${entry.base_url}' is not a URL; nothing was added.`, { exitCode: 2 });
  }
  const entries = [...config.fallback_providers, { ...entry, provider: known.id }];
  await store(context, entries);
}

async function remove(context: CliContext, number: string): Promise<void> {
  const entries = await entriesOf(context);
  const index = Number(number) - 1;
  if (!Number.isInteger(index) || entries[index] === undefined) {
    const hint = entries.length === 0 ? 'the chain is empty' : `use a number from 1 to ${entries.length}`;
    throw new UserError(`There is no entry '${number}': ${hint}.`, { exitCode: 2 });
  }
  await store(
    context,
    entries.filter((_, position) => position !== index),
  );
}

/** Writes the chain under today's key; an older `fallback_model` goes with it. */
async function store(context: CliContext, entries: readonly FallbackEntry[]): Promise<void> {
  const value = entries.map(({ provider, model, base_url, api_key, key_env, api_mode }) => ({
    provider,
    model,
    ...(base_url === undefined ? {} : { base_url }),
    ...(api_key === undefined ? {} : { api_key }),
    ...(key_env === undefined ? {} : { key_env }),
    ...(api_mode === undefined ? {} : { api_mode }),
  }));
  await updateConfig(context, [
    { path: ['fallback_providers'], value },
    { path: ['fallback_model'], value: undefined },
  ]);
  const lines = value.map((entry, index) => `  ${index + 1}. ${describe(entry)}`);
  context.io.stdout.write(lines.length === 0 ? 'The fallback chain is empty now.\n' : `Stored:\n${lines.join('\n')}\n`);
}

function describe({ provider, model, base_url }: FallbackEntry): string {
  const line = `${model} (${provider}${base_url === undefined ? '' : ` at ${base_url}`})`;
  return escapeForDisplay(line, { singleLine: true });
}
