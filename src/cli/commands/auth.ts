/** `hermes auth`: the keys and logins of model providers. */
import { Command } from 'commander';
import type { AddOptions } from '../auth/add.ts';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  const command = new Command('auth')
    .description('Shows and changes the keys and logins of model providers.')
    .action(async () => (await import('../auth/wizard.ts')).runAuth(context));
  command
    .command('list')
    .description('show all credentials with their numbers and how they are')
    .argument('[provider]')
    .action(async (provider?: string) => (await import('../auth/show.ts')).listCredentials(context, provider));
  command
    .command('add')
    .description('add a key or log in')
    .argument('<provider>')
    .option('--type <type>', 'api-key or oauth; default: what the provider takes')
    .option('--api-key <key>', 'the key; asked for, unseen, when it is left out')
    .option('--label <label>', 'a name for it')
    .option('--no-browser', 'show the address of a login instead of opening it')
    .option('--manual-paste', 'paste the address that a login led to, for machines without a browser')
    .action(async (provider: string, options: AddOptions) =>
      (await import('../auth/add.ts')).addCredential(context, provider, options),
    );
  command
    .command('remove')
    .description('forget a credential')
    .argument('<provider>')
    .argument('<index>', 'its number in the list, from 1, its label or its id')
    .action(async (provider: string, index: string) =>
      (await import('../auth/change.ts')).removeCredential(context, provider, index),
    );
  command
    .command('reset')
    .description('end the cool-downs of a provider')
    .argument('<provider>')
    .action(async (provider: string) => (await import('../auth/change.ts')).resetCoolDowns(context, provider));
  command
    .command('status')
    .description('show whether you are logged in')
    .argument('[provider]')
    .action(async (provider?: string) => (await import('../auth/show.ts')).showStatus(context, provider));
  command
    .command('logout')
    .description('forget all that is stored for a provider')
    .argument('<provider>')
    .action(async (provider: string) => (await import('../auth/change.ts')).logOut(context, provider));
  return command;
}
