/** `hermes config`: shows, changes and checks the configuration. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { displayPath } from '../../config/home.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  const command = new Command('config').description('Shows and changes the configuration.');
  const say = (line: string): void => {
    context.io.stdout.write(`${line}\n`);
  };

  command
    .command('show', { isDefault: true })
    .description('show the effective configuration; keys are shortened')
    .action(async () => {
      const { configReport } = await import('../config-report.ts');
      say(configReport(context, await context.config()));
    });
  command
    .command('edit')
    .description('open config.yaml in your editor')
    .action(() => editConfig(context));
  command
    .command('set')
    .description('change one setting: `section.key value`, or `NAME_API_KEY value` for .env')
    .argument('[key-and-value...]')
    .option('--force', 'say nothing about a key that nobody knows')
    .allowUnknownOption()
    .action(async (words: string[], { force = false }: { force?: boolean }) =>
      (await import('../config-values.ts')).setConfig(context, words, { force }),
    );
  command
    .command('get')
    .description('print the value of one setting; keys are hidden')
    .argument('[key]')
    .option('--json', 'as JSON')
    .action(async (key: string | undefined, { json = false }: { json?: boolean }) =>
      (await import('../config-values.ts')).getConfig(context, key, json),
    );
  command
    .command('unset')
    .description('take one setting out of its file')
    .argument('[key]')
    .action(async (key: string | undefined) => (await import('../config-values.ts')).unsetConfig(context, key));
  command
    .command('path')
    .description('print where config.yaml is')
    .action(() => say(configPath(context)));
  command
    .command('env-path')
    .description('print where .env is')
    .action(() => say(join(context.home.path, '.env')));
  command
    .command('check')
    .description('compare the file with what this build knows')
    .action(async () => {
      const { checkReport } = await import('../config-report.ts');
      say(checkReport(context, await context.config(), await leadsToModel(context)));
    });
  command
    .command('migrate')
    .description('bring the file to the current version; values you set stay as they are')
    .action(() => migrate(context));
  return command;
}

/** A login or key of `auth.json`, or of a saved endpoint, that has not ended; or a server that needs none. */
async function leadsToModel(context: CliContext): Promise<boolean> {
  const { isDead } = await import('../../credentials/cool-down.ts');
  const { tryCredentials } = await import('../status/sections.ts');
  const known = await tryCredentials(context);
  if ('text' in known) {
    context.io.stderr.write(`${known.text}\n`);
    return false;
  }
  if (known.ids().some((id) => known.of(id).some(({ entry }) => !isDead(entry)))) return true;
  const { modelThatIsSet } = await import('../model/model-that-is-set.ts');
  return (await modelThatIsSet(context)) !== undefined;
}

async function editConfig(context: CliContext): Promise<void> {
  const { refusePackagedInstall } = await import('../../config/managed.ts');
  refusePackagedInstall(context.home, context.env);
  const path = configPath(context);
  if (!existsSync(path)) {
    const { updateConfig } = await import('../../config/edit.ts');
    const { CONFIG_VERSION } = await import('../../config/schema.ts');
    await updateConfig(context, [{ path: ['_config_version'], value: CONFIG_VERSION }]);
  }
  const { findEditor } = await import('../find-editor.ts');
  const editor = findEditor(context.settings.terminal.editors, context.env);
  if (editor === undefined) {
    context.io.stdout.write(`No editor was found. Set EDITOR, or edit the file yourself:\n${path}\n`);
    return;
  }
  const { runInteractive } = await import('../../environments/run-interactive.ts');
  const [file = '', ...args] = editor;
  const code = await runInteractive(file, [...args, path], context.env);
  if (code !== 0) throw new UserError(`The editor ended with exit code ${code}.`, { hint: `The file is ${path}` });
  await reportProblems(path);
}

/** Tells at once when the edit left a file that cannot be read, rather than at the next start. */
async function reportProblems(path: string): Promise<void> {
  const { readYamlFile } = await import('../../config/yaml-file.ts');
  const file = await readYamlFile(path);
  if (file.state !== 'broken') return;
  throw new UserError(`config: ${file.problem}`, {
    hint: 'Run `hermes config edit` again; until then defaults apply.',
  });
}

async function migrate(context: CliContext): Promise<void> {
  const { refusePackagedInstall } = await import('../../config/managed.ts');
  const { migrateConfig, needsMigration } = await import('../../config/migrate.ts');
  const { CONFIG_VERSION } = await import('../../config/schema.ts');
  refusePackagedInstall(context.home, context.env);
  const loaded = await context.config();
  const { state, version } = loaded.user;
  if (state === 'broken')
    throw new UserError('The configuration does not parse, so it cannot be migrated.', { hint: loaded.path });
  if (!needsMigration(version)) {
    context.io.stdout.write(`The configuration is up to date (version ${version}).\n`);
    return;
  }
  const changed = await migrateConfig(context, loaded);
  context.io.stdout.write(
    `✓ Migrated ${displayPath(loaded.path, context.env)}: version ${version} → ${CONFIG_VERSION}.\n`,
  );
  for (const key of changed) context.io.stdout.write(`  ${key}\n`);
  await offerSecrets(context);
}

/** Asks for keys only where somebody can answer; everything may be skipped. */
async function offerSecrets(context: CliContext): Promise<void> {
  const { io, env } = context;
  if (!io.stdin.isTTY || !io.stdout.isTTY) return;
  const { PROVIDER_KEYS } = await import('../../config/env-names.ts');
  const { firstSet } = await import('../../config/env-values.ts');
  if (PROVIDER_KEYS.some(([, ...names]) => firstSet(env, names) !== undefined)) return;
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: io.stdin, output: io.stdout });
  try {
    if (!/^y(es)?$/i.test((await prompt.question('Configure new keys? [y/N] ')).trim())) return;
  } finally {
    prompt.close();
  }
  const { build: buildSetup } = await import('./setup.ts');
  await buildSetup(context).parseAsync([], { from: 'user' });
}

function configPath(context: CliContext): string {
  return join(context.home.path, 'config.yaml');
}
