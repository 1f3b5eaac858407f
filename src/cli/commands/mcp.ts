/** `hermes mcp`: the tool servers of `config.yaml`. */
import { Command, Option } from 'commander';
import type { CliContext } from '../command.ts';
import type { AddOptions } from '../mcp/add-server.ts';
import type { ServeOptions } from '../mcp/serve/serve.ts';

export function build(context: CliContext): Command {
  const command = new Command('mcp').description('Tool servers (Model Context Protocol).');
  command
    .command('list', { isDefault: true })
    .alias('ls')
    .description('show them; nothing is started')
    .action(async () => (await import('../mcp/list-servers.ts')).listServers(context));
  command
    .command('test')
    .description('connect to one and show what it offers')
    .argument('<name>')
    .action(async (name: string) => (await import('../mcp/test-server.ts')).testServer(context, name));
  command
    .command('add')
    .description('connect to one and write it down')
    .argument('<name>', 'letters, digits, - and _')
    .argument('[args...]', 'of its program, behind -- or --args')
    .option('--url <url>', 'its address')
    .option('--command <program>', 'its program')
    .option('--auth <kind>', 'oauth: log in; header: ask for a token, which is sent as Authorization: Bearer')
    .option('--preset <name>', 'codex')
    .option('--connect-timeout <seconds>', 'for the first connection')
    .option('--env <KEY=VALUE...>', 'what its program sees besides; secrets go to .env')
    .option('--args <words...>', 'the rest of the line is for its program')
    .action(async (name: string, args: string[], options: AddOptions) =>
      (await import('../mcp/add-server.ts')).addServer(context, name, { ...options, args }),
    );
  command
    .command('remove')
    .alias('rm')
    .description('forget one')
    .argument('<name>')
    .action(async (name: string) => (await import('../mcp/remove-server.ts')).removeServer(context, name));
  command
    .command('serve')
    .description('offer the conversations in chats to another agent, over standard input and output')
    .option('-v, --verbose', 'show the log on standard error')
    // Clients of the original have it in their settings; no hook runs here.
    .addOption(new Option('--accept-hooks').hideHelp())
    .action(async (options: ServeOptions) => (await import('../mcp/serve/serve.ts')).serve(context, options));
  command
    .command('login')
    .description('log in to one with auth: oauth')
    .argument('<name>')
    .action(async (name: string) => (await import('../mcp/log-in.ts')).logInServer(context, name));
  command
    .command('reauth')
    .description('log in anew, to one or to all of them')
    .argument('[name]')
    .option('--all', 'every server with auth: oauth, one after another')
    .action(async (name: string | undefined, options: { all?: boolean }) =>
      (await import('../mcp/log-in.ts')).logInAgain(context, name, options),
    );
  return command;
}
