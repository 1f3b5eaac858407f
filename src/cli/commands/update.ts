/** `hermes update`: a newer version of the program. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import type { UpdateOptions } from '../update/update.ts';

export function build(context: CliContext): Command {
  return new Command('update')
    .description('Brings a checkout of this program to the newest commit of its branch, and builds it.')
    .option('--check', 'only look whether there is a newer one')
    .option('--backup', 'copy the whole home into a zip file before')
    .option('--no-backup', 'take no snapshot of the state before')
    .option('--branch <name>', 'this branch instead of the one that is checked out')
    .option('-y, --yes', 'do not ask')
    .action(async (options: UpdateOptions) => (await import('../update/update.ts')).update(context, options));
}
