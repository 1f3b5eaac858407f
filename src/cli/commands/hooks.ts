/** `hermes hooks`: the shell hooks of `config.yaml`, which of them may run, and how they do. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import type { TestOptions } from '../hooks/test-hooks.ts';

export function build(context: CliContext): Command {
  const command = new Command('hooks').description('The shell hooks of config.yaml.');
  command
    .command('list', { isDefault: true })
    .alias('ls')
    .description('show them, and which may run')
    .action(async () => (await import('../hooks/list-hooks.ts')).listHooks(context));
  command
    .command('test')
    .description('run those of one event with made-up data')
    .argument('<event>', 'such as pre_tool_call')
    .option('--for-tool <tool>', 'only those that match this tool')
    .option('--payload-file <path>', 'a JSON object with data of your own')
    .action(async (event: string, options: TestOptions) =>
      (await import('../hooks/test-hooks.ts')).testHooks(context, event, options),
    );
  command
    .command('revoke')
    .aliases(['remove', 'rm'])
    .description('ask about a command again; what runs now keeps it until its next start')
    .argument('<command>', 'as it stands in config.yaml')
    .action(async (text: string) => (await import('../hooks/list-hooks.ts')).revokeHook(context, text));
  command
    .command('doctor')
    .description('check all of them; those that may run are run with made-up data')
    .action(async () => (await import('../hooks/check-hooks.ts')).checkHooks(context));
  return command;
}
