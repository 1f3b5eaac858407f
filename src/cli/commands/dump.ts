/** `hermes dump`: what somebody who helps needs to know about this installation. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';

export function build(context: CliContext): Command {
  return new Command('dump')
    .description('Prints the facts about this installation as plain text to paste into a request for help.')
    .option('--show-keys', 'with the first and last characters of keys')
    .action(async (options: { showKeys?: true }) => {
      const { dumpText } = await import('../dump/report.ts');
      context.io.stdout.write(await dumpText(context, options.showKeys === true));
    });
}
