/** `hermes curator`: which skills grow old, what was archived, and the way back. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from '../command.ts';
import type { UsageOptions } from '../curator/usage.ts';

export function build(context: CliContext): Command {
  const command = new Command('curator').description('Looks after the skills that the agent made.');
  const actions = async () => await import('../curator/actions.ts');

  command
    .command('status', { isDefault: true })
    .description('when it ran, and which skills grow old')
    .action(async () => (await actions()).showStatus(context));
  command
    .command('usage')
    .description('how often each skill was used, seen and changed')
    .addOption(
      new Option('--sort <order>', 'most used first, newest first, or by name')
        .choices(['activity', 'recent', 'name'])
        .default('activity'),
    )
    .addOption(
      new Option('--provenance <origin>', 'only skills from there').choices(['agent', 'bundled', 'hub', 'user']),
    )
    .option('--json', 'as JSON')
    .action(async (options: UsageOptions) => (await import('../curator/usage.ts')).showUsage(context, options));
  command
    .command('run')
    .description('look through the skills now')
    .addOption(new Option('--sync', 'wait for the end, as it always does').hideHelp())
    .addOption(new Option('--synchronous').hideHelp())
    .option('--dry-run', 'only say what would be done')
    .option('--consolidate', 'also let the model merge skills that belong together')
    .action(async (options: { dryRun?: true; consolidate?: true }) => (await actions()).runNow(context, options));
  command
    .command('backup')
    .description('take a snapshot of the skills')
    .option('--reason <text>', 'what it is for', 'manual')
    .action(async (options: { reason: string }) => (await actions()).takeSnapshot(context, options.reason));
  command
    .command('rollback')
    .description('put the skills back to a snapshot; what is there now is kept as another')
    .option('--list', 'show the snapshots')
    .option('--id <id>', 'which one (default: the newest)')
    .option('-y, --yes', 'do not ask')
    .action(async (options: { list?: true; id?: string; yes?: true }) => (await actions()).goBack(context, options));
  command
    .command('pause')
    .description('do not run by itself any more')
    .action(async () => (await actions()).setPaused(context, true));
  command
    .command('resume')
    .description('run by itself again')
    .action(async () => (await actions()).setPaused(context, false));
  command
    .command('pin')
    .description('never let a skill grow old')
    .argument('<skill>')
    .action(async (name: string) => (await actions()).setPinned(context, name, true));
  command
    .command('unpin')
    .description('let it grow old again')
    .argument('<skill>')
    .action(async (name: string) => (await actions()).setPinned(context, name, false));
  command
    .command('archive')
    .description('move a skill into the archive; it can be restored')
    .argument('<skill>')
    .action(async (name: string) => (await actions()).archive(context, name));
  command
    .command('restore')
    .description('take a skill out of the archive')
    .argument('<skill>')
    .action(async (name: string) => (await actions()).restore(context, name));
  command
    .command('list-archived')
    .description('show the archive')
    .action(async () => (await actions()).listArchived(context));
  command
    .command('prune')
    .description('archive all of the agent’s own skills that were not used for so long')
    .option('--days <days>', 'unused for so many days', days, 90)
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'only say which')
    .action(async (options: { days: number; yes?: true; dryRun?: true }) => (await actions()).prune(context, options));
  return command;
}

function days(value: string): number {
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}
