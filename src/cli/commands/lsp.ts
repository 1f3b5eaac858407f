/** `hermes lsp`: the language servers that look at edits, and their installation. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  const command = new Command('lsp').description('Language servers, which say what an edit has broken.');
  command
    .command('status', { isDefault: true })
    .description('what is set, and which servers are here')
    .option('--json', 'for programs')
    .action(async ({ json }: { json?: true }) => (await actions()).status(context, json === true));
  command
    .command('list')
    .description('all servers that are known')
    .option('--installed-only', 'those that are here')
    .action(async ({ installedOnly }: { installedOnly?: true }) =>
      (await actions()).list(context, installedOnly === true),
    );
  command
    .command('install')
    .description('install a server into the home')
    .argument('<server>', 'its id')
    .action(async (id: string) => (await actions()).install(context, id));
  command
    .command('install-all')
    .description('install all that npm and go can bring')
    .option('--include-manual', 'also say how to install the others')
    .action(async ({ includeManual }: { includeManual?: true }) =>
      (await actions()).installAll(context, includeManual === true),
    );
  command
    .command('restart')
    .description('end the servers of all running sessions; those that failed are tried again')
    .action(async () => (await actions()).restart(context));
  command
    .command('which')
    .description('the program of a server')
    .argument('<server>', 'its id')
    .action(async (id: string) => (await actions()).which(context, id));
  return command;
}

function actions() {
  return import('../lsp/actions.ts');
}
