/** `hermes pairing`: who asked in a chat to be let in, and who was. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  const command = new Command('pairing').description('Lets people in who asked for it in a chat.');
  const actions = async () => await import('../gateway/pairing.ts');
  command
    .command('list', { isDefault: true })
    .description('show who asked, and who was let in')
    .action(async () => (await actions()).listPairing(context));
  command
    .command('approve')
    .description('let somebody in by the code that they were told')
    .argument('<platform>', 'such as telegram')
    .argument('<code>', 'the eight characters that the person was told')
    .action(async (platform: string, code: string) => (await actions()).approve(context, platform, code));
  command
    .command('revoke')
    .description('let somebody in no more')
    .argument('<platform>')
    .argument('<user_id>', 'as the list shows it')
    .action(async (platform: string, userId: string) => (await actions()).revoke(context, platform, userId));
  command
    .command('clear-pending')
    .description('forget everybody who asked and was not let in')
    .action(async () => (await actions()).clearPending(context));
  return command;
}
