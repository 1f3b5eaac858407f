/** `hermes gateway`: the agent in chat platforms, in the foreground or as a service. */
import { Command, Option } from 'commander';
import type { CliContext } from '../command.ts';
import type { RunOptions } from '../gateway/run.ts';

export function build(context: CliContext): Command {
  const command = new Command('gateway').description('Connects the agent to chat platforms.');
  command
    .command('run', { isDefault: true })
    .description('run in the foreground (the default)')
    .option('-v, --verbose', 'show the log: once from INFO on, twice all of it', (_word, count: number) => count + 1, 0)
    .option('-q, --quiet', 'say nothing')
    .option('--replace', 'end a gateway that runs in this home, and take its place')
    .addOption(new Option('--external-supervisor', 'something outside starts it again when it ends with exit code 75'))
    .action(async (options: RunOptions) => (await import('../gateway/run.ts')).run(context, options));
  return command;
}
