/** `hermes secrets`: values of variables from Bitwarden and 1Password. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import type { BitwardenSetup } from '../secrets/set-up-bitwarden.ts';
import type { OnePasswordSetup } from '../secrets/set-up-one-password.ts';

export function build(context: CliContext): Command {
  const command = new Command('secrets').description(
    'Shows and changes which variables get their values from a secret manager at every start.',
  );
  addBitwarden(command, context);
  addOnePassword(command, context);
  return command;
}

function addBitwarden(parent: Command, context: CliContext): void {
  const command = parent.command('bitwarden').alias('bw').description('Bitwarden Secrets Manager: all of a project');
  command
    .command('setup')
    .description('store the token, choose the project, and switch it on')
    .option('--project-id <id>', 'the project; asked for when there are several')
    .option('--access-token <token>', 'of a machine account; asked for, unseen, when there is none yet')
    .option('--server-url <url>', 'another server, e.g. https://vault.bitwarden.eu or your own')
    .action(async (options: BitwardenSetup) =>
      (await import('../secrets/set-up-bitwarden.ts')).setUpBitwarden(context, options),
    );
  addCommon(command, context, 'bitwarden');
  command
    .command('install')
    .description('download the program bws into the home')
    .option('--force', 'also when it is there')
    .action(async (options: { force?: true }) =>
      (await import('../secrets/set-up-bitwarden.ts')).install(context, options.force === true),
    );
}

function addOnePassword(parent: Command, context: CliContext): void {
  const command = parent
    .command('onepassword')
    .aliases(['op', '1password'])
    .description('1Password: one reference for each variable');
  command
    .command('setup')
    .description('check the program op, and switch it on')
    .option('--account <account>', 'which one, where there are several')
    .option('--token-env <name>', 'the variable that holds the token of a service account')
    .option('--token <token>', 'of a service account; it is stored in .env')
    .option('--binary-path <path>', 'the program op, when it is not on PATH')
    .action(async (options: OnePasswordSetup) =>
      (await import('../secrets/set-up-one-password.ts')).setUpOnePassword(context, options),
    );
  command
    .command('set')
    .description('take the value of a variable from a reference')
    .argument('<env_var>')
    .argument('<reference>', 'op://vault/item/field')
    .action(async (variable: string, reference: string) =>
      (await import('../secrets/change.ts')).setReference(context, variable, reference),
    );
  command
    .command('remove')
    .description('take a reference out')
    .argument('<env_var>')
    .action(async (variable: string) => (await import('../secrets/change.ts')).removeReference(context, variable));
  addCommon(command, context, 'onepassword');
}

function addCommon(command: Command, context: CliContext, name: 'bitwarden' | 'onepassword'): void {
  command
    .command('status')
    .description('show the settings, and what became of the values that were fetched last')
    .action(async () => (await import('../secrets/show.ts')).showSource(context, name));
  command
    .command('sync')
    .description('ask now and show what a start would do')
    .option('--apply', 'the next starts use what was fetched, also while older values are still kept')
    .action(async (options: { apply?: true }) =>
      (await import('../secrets/sync.ts')).syncSource(context, name, options.apply === true),
    );
  command
    .command('disable')
    .description('switch it off and delete the values that were kept')
    .action(async () => (await import('../secrets/change.ts')).disable(context, name));
}
