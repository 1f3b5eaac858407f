/** `hermes mcp`: the tool servers of `config.yaml`. */
import { Command, Option } from 'commander';
import type { CliContext } from '../command.ts';
import type { AddOptions } from '../mcp/add-server.ts';
import type { ServeOptions } from '../mcp/serve/serve.ts';

export function build(context: CliContext): Command {
  const command = new Command('mcp').description('Tool servers (Model Context Protocol).').addOption(acceptHooks());
  command
    .command('picker', { isDefault: true })
    .description('choose one of the catalogue or of your own: install, switch, configure, remove')
    .action(async () => (await import('../mcp/pick-server.ts')).pickServer(context));
  command
    .command('catalog')
    .description('show what can be installed by name')
    .action(async () => (await import('../mcp/show-catalogue.ts')).showCatalogue(context));
  command
    .command('install')
    .description('install one of the catalogue')
    .argument('<name>')
    .action(async (name: string) =>
      stoppable(context, (await import('../mcp/install-server.ts')).installServer(context, name)),
    );
  command
    .command('list')
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
      stoppable(context, (await import('../mcp/add-server.ts')).addServer(context, name, { ...options, args })),
    );
  command
    .command('configure')
    .alias('config')
    .description('choose which of its tools are offered')
    .argument('<name>')
    .action(async (name: string) => (await import('../mcp/configure-server.ts')).configureServer(context, name));
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
    .addOption(acceptHooks())
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

/** The person may stop at a question: then nothing was written. */
async function stoppable({ io }: CliContext, work: Promise<void>): Promise<void> {
  const { Cancelled } = await import('../model/prompts.ts');
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    io.stdout.write('Nothing was changed.\n');
  }
}

/** Clients of the original have it in their settings; no hook runs here. */
function acceptHooks(): Option {
  return new Option('--accept-hooks').hideHelp();
}
