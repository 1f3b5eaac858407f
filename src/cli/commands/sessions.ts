/** `hermes sessions`: lists, searches and tends the stored conversations. */
import { Command, Option } from 'commander';
import type { CliContext } from '../command.ts';
import type { ExportOptions } from '../sessions/export.ts';
import type { ListOptions } from '../sessions/list.ts';
import type { RepairOptions } from '../sessions/repair.ts';
import type { SelectOptions } from '../sessions/select.ts';
import { addFilters, whole } from '../sessions/selection.ts';

interface SourceOption {
  readonly source?: string;
}

export function build(context: CliContext): Command {
  const command = new Command('sessions').description('Lists, searches and maintains the stored conversations.');
  addReading(command, context);
  addChanging(command, context);
  addUpkeep(command, context);
  return command;
}

function addReading(command: Command, context: CliContext): void {
  command
    .command('list')
    .description('list sessions, newest first')
    .option('--source <source>', 'only sessions from one surface (cli, telegram, …; tool ones are hidden otherwise)')
    .option('--limit <count>', 'how many; 0 for all', whole, 20)
    .option('--workspace <text>', 'only those of a folder or repository with this in its path')
    .option('--archived', 'those that were archived')
    .action(async (options: ListOptions) => {
      const { listSessions } = await import('../sessions/list.ts');
      await listSessions(context, options);
    });
  command
    .command('show')
    .description('print one conversation')
    .argument('<id>', 'session id, or the beginning of one')
    .action(async (id: string) => {
      const { showSession } = await import('../sessions/show.ts');
      await showSession(context, id);
    });
  command
    .command('search')
    .description('search everything that was said')
    .argument('<query...>', 'words, "phrases", AND, OR, NOT, prefix*')
    .option('--source <source>', 'only sessions from one surface')
    .option('--role <role>', 'only messages of one role: user, assistant or tool')
    .option('--limit <count>', 'how many', whole, 20)
    .action(async (words: string[], options: SourceOption & { role?: string; limit: number }) => {
      const { searchSessions } = await import('../sessions/search.ts');
      await searchSessions(context, words.join(' '), options);
    });
  command
    .command('browse')
    .description('search the conversations and continue one')
    .option('--source <source>', 'only sessions from one surface')
    .option('--limit <count>', 'how many', whole, 500)
    .action(async (options: SourceOption & { limit: number }) => {
      const { browseSessions } = await import('../sessions/browse.ts');
      context.exitCode = await browseSessions(context, options);
    });
  command
    .command('stats')
    .description('count sessions and messages')
    .action(async () => {
      const { showStats } = await import('../sessions/stats.ts');
      await showStats(context);
    });
}

function addChanging(command: Command, context: CliContext): void {
  command
    .command('rename')
    .description('give a session a title')
    .argument('<id>', 'session id, or the beginning of one')
    .argument('<title...>')
    .action(async (id: string, words: string[]) => {
      const { renameSession } = await import('../sessions/change.ts');
      await renameSession(context, id, words.join(' '));
    });
  command
    .command('delete')
    .description('delete a session with its messages')
    .argument('<id>', 'session id, or the beginning of one')
    .option('-y, --yes', 'do not ask')
    .action(async (id: string, options: { yes?: true }) => {
      const { deleteSession } = await import('../sessions/change.ts');
      await deleteSession(context, id, options);
    });
  addFilters(command.command('prune'))
    .description('delete sessions that have ended; without a filter those begun more than 90 days ago')
    .option('--include-archived', 'archived ones too')
    .option('--dry-run', 'show them and change nothing')
    .option('-y, --yes', 'do not ask')
    .action(async (options: SelectOptions) => {
      const { pruneSessions } = await import('../sessions/select.ts');
      await pruneSessions(context, options);
    });
  addFilters(command.command('archive'))
    .description('hide sessions that have ended without deleting them')
    .option('--dry-run', 'show them and change nothing')
    .option('-y, --yes', 'do not ask')
    .action(async (options: SelectOptions) => {
      const { archiveSessions } = await import('../sessions/select.ts');
      await archiveSessions(context, options);
    });
  command
    .command('unarchive')
    .description('bring an archived session back into the lists')
    .argument('<id>', 'session id, or the beginning of one')
    .action(async (id: string) => {
      const { unarchiveSession } = await import('../sessions/change.ts');
      await unarchiveSession(context, id);
    });
}

function addUpkeep(command: Command, context: CliContext): void {
  addFilters(command.command('export'))
    .description('write sessions as JSON lines, Markdown pages, one page for a browser, or traces')
    .argument('[out]', 'a file, - for standard output, or a directory for md and qmd')
    .addOption(new Option('--format <format>').choices(['jsonl', 'md', 'qmd', 'html', 'trace']).default('jsonl'))
    .option('--session-id <id>', 'only this session')
    .addOption(new Option('--only <part>', 'only what the person said').choices(['user-prompts']))
    .addOption(
      new Option('--lineage <which>', 'with md and qmd: the session alone, or with what it was compacted from')
        .choices(['single', 'logical'])
        .default('single'),
    )
    .option('--redact', 'mask secrets')
    .option('--no-redact', 'do not mask secrets in a trace')
    .option('--force', 'write over pages that are there already')
    .option('--delete-after-verified', 'with md, qmd and --session-id: read the page back, then delete the session')
    .option('--dry-run', 'show which sessions and write nothing')
    .option('-y, --yes', 'what --delete-after-verified needs; an export alone asks nothing')
    .action(async (out: string | undefined, options: ExportOptions) => {
      const { exportSessions } = await import('../sessions/export.ts');
      await exportSessions(context, out, options);
    });
  command
    .command('optimize')
    .description('merge the search index and give unused space back')
    .action(async () => {
      const { optimizeStore } = await import('../sessions/change.ts');
      await optimizeStore(context);
    });
  command
    .command('repair')
    .description('check the database, rebuild its indexes, or move a damaged file away')
    .option('--check-only', 'look and change nothing')
    .option('--no-backup', 'for scripts of the original: a damaged file is moved, never rewritten, so no copy is made')
    .option('-y, --yes', 'do not ask before a damaged file is moved')
    .action(async (options: RepairOptions) => {
      const { repairStore } = await import('../sessions/repair.ts');
      await repairStore(context, options);
    });
}
