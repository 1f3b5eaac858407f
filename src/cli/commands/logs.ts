/** `hermes logs`: what the program wrote down about itself. */
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { relativeTime } from '../sessions/times.ts';

/** What a log is called, and its file below `logs/`. */
const logFiles: ReadonlyMap<string, string> = new Map([
  ['agent', 'agent.log'],
  ['errors', 'errors.log'],
  ['gateway', 'gateway.log'],
  ['gui', 'gui.log'],
  ['desktop', 'desktop.log'],
  ['mcp', 'mcp-stderr.log'],
]);

interface Flags {
  readonly lines: number;
  readonly follow?: boolean;
  readonly level?: string;
  readonly session?: string;
  readonly since?: string;
  readonly component?: string;
}

export function build(context: CliContext): Command {
  return new Command('logs')
    .description('Shows the last lines of a log.')
    .argument('[name]', `${[...logFiles.keys()].join(', ')}, or list for what there is`, 'agent')
    .option('-n, --lines <count>', 'how many lines', wholeNumber, 50)
    .option('-f, --follow', 'go on showing what is written, until Ctrl+C')
    .option('--level <level>', 'only entries of this level or above: DEBUG, INFO, WARNING, ERROR, CRITICAL')
    .option('--session <text>', 'only entries of sessions whose id contains this')
    .option('--since <time>', 'only entries of the last 30s, 30m, 1h, 2d')
    .option('--component <name>', 'only gateway, agent, tools, cli, cron or gui')
    .action(async (name: string, flags: Flags) => {
      try {
        if (name === 'list') list(context);
        else await show(context, name, flags);
      } catch (error) {
        // As in the original, a question that cannot be answered is an answer on stdout.
        if (!(error instanceof UserError)) throw error;
        context.io.stdout.write(`${error.message}\n`);
        context.exitCode = 1;
      }
    });
}

async function show({ io, home }: CliContext, name: string, flags: Flags): Promise<void> {
  const file = logFiles.get(name);
  if (file === undefined) {
    throw new UserError(
      `Unknown log '${name}'. Known: ${[...logFiles.keys()].join(', ')}; 'hermes logs list' shows what there is.`,
    );
  }
  const { LogLines, readFilter } = await import('../logs/filter.ts');
  const { LogFollower, readTail } = await import('../logs/read-log.ts');
  const { escapeForDisplay } = await import('../../safety/display.ts');
  const lines = new LogLines(readFilter(flags, Date.now()));
  const path = join(home.path, 'logs', file);
  if (!existsSync(path)) throw new UserError(`There is no log at ${path} yet.`);
  // Programs of others write into some of these files.
  const print = (line: string): void => void io.stdout.write(`${escapeForDisplay(line)}\n`);
  const { tail, position } = await readTail(path, lines, flags.lines);
  for (const line of tail) print(line);
  if (flags.follow !== true) return;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  await new LogFollower(path, { lines, position }, print).run(stop.signal);
}

function list({ io, home }: CliContext): void {
  const directory = join(home.path, 'logs');
  const files = globSync('*.log*', { cwd: directory }).sort();
  if (files.length === 0) io.stdout.write(`There are no logs in ${directory} yet.\n`);
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(directory, file));
    io.stdout.write(
      `${file.padEnd(20)} ${sizeText(size).padStart(9)}   ${relativeTime(mtimeMs / 1000, Date.now() / 1000)}\n`,
    );
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
