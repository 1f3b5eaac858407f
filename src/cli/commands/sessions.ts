/** `hermes sessions`: lists, searches and tends the stored conversations. */
import { Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../command.ts';

interface SourceOption {
  readonly source?: string;
}

export function build(context: CliContext): Command {
  const command = new Command('sessions').description('Lists, searches and maintains the stored conversations.');

  command
    .command('list')
    .description('list sessions, newest first')
    .option('--source <source>', 'only sessions from one surface (cli, telegram, …; tool ones are hidden otherwise)')
    .option('--limit <count>', 'how many', count, 20)
    .action(async (options: SourceOption & { limit: number }) => {
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
    .option('--limit <count>', 'how many', count, 20)
    .action(async (words: string[], options: SourceOption & { role?: string; limit: number }) => {
      const { searchSessions } = await import('../sessions/search.ts');
      await searchSessions(context, words.join(' '), options);
    });
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
  command
    .command('prune')
    .description('delete old sessions that have ended')
    .option('--older-than <days>', 'begun more than so many days ago', count, 90)
    .option('--source <source>', 'only sessions from one surface')
    .option('-y, --yes', 'do not ask')
    .action(async (options: SourceOption & { olderThan: number; yes?: true }) => {
      const { pruneSessions } = await import('../sessions/change.ts');
      await pruneSessions(context, options);
    });
  command
    .command('export')
    .description('write sessions as JSON lines')
    .argument('<out>', 'a file, or - for standard output')
    .option('--source <source>', 'only sessions from one surface')
    .option('--session-id <id>', 'only this session')
    .action(async (out: string, options: SourceOption & { sessionId?: string }) => {
      const { exportSessions } = await import('../sessions/export.ts');
      await exportSessions(context, out, options);
    });
  command
    .command('stats')
    .description('count sessions and messages')
    .action(async () => {
      const { showStats } = await import('../sessions/stats.ts');
      await showStats(context);
    });
  command
    .command('repair')
    .description('check the database, rebuild its indexes, or move a damaged file away')
    .option('-y, --yes', 'do not ask before a damaged file is moved')
    .action(async (options: { yes?: true }) => {
      const { repairStore } = await import('../sessions/repair.ts');
      await repairStore(context, options);
    });
  return command;
}

function count(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number, 0 or more.');
}
