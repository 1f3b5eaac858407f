/** `hermes checkpoints`: the store of file checkpoints, and its upkeep. */
import { existsSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { Command } from 'commander';
import { CheckpointStore } from '../../checkpoints/checkpoint-store.ts';
import { checkpointLimits } from '../../checkpoints/limits.ts';
import { legacyFolders, prune, sizeOf } from '../../checkpoints/upkeep.ts';
import { displayPath } from '../../config/home.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { confirm } from '../sessions/confirm.ts';

export function build(context: CliContext): Command {
  const command = new Command('checkpoints').description('Files as they were before the agent changed them.');
  command
    .command('status', { isDefault: true })
    .description('size of the store, and its projects')
    .option('--limit <n>', 'projects shown', wholeNumber, 20)
    .action(async ({ limit }: { limit: number }) => status(context, limit));
  command
    .command('list')
    .description('the same')
    .option('--limit <n>', 'projects shown', wholeNumber, 20)
    .action(async ({ limit }: { limit: number }) => status(context, limit));
  command
    .command('prune')
    .description('delete what is old, orphaned or too much')
    .option('--retention-days <n>', 'days that an unused project keeps its checkpoints', wholeNumber, 7)
    .option('--max-size-mb <n>', 'size of the whole store', wholeNumber, 500)
    .option('--keep-orphans', 'also keep checkpoints of directories that are gone')
    .action(async (options: PruneOptions) => pruneNow(context, options));
  command
    .command('clear')
    .description('delete all checkpoints')
    .option('-f, --force', 'do not ask')
    .action(async ({ force }: { force?: true }) => {
      const store = await storeOf(context);
      await clear(context, [store.base], { what: 'all checkpoints', force });
    });
  command
    .command('clear-legacy')
    .description('delete checkpoints of older layouts')
    .option('-f, --force', 'do not ask')
    .action(async ({ force }: { force?: true }) => {
      const store = await storeOf(context);
      await clear(context, legacyFolders(store), { what: 'the checkpoints of older layouts', force });
    });
  return command;
}

interface PruneOptions {
  readonly retentionDays: number;
  readonly maxSizeMb: number;
  readonly keepOrphans?: true;
}

async function storeOf({ home, env, config }: CliContext): Promise<CheckpointStore> {
  return new CheckpointStore({ homePath: home.path, env, ...checkpointLimits(await config()) });
}

async function status(context: CliContext, limit: number): Promise<void> {
  const store = await storeOf(context);
  const { io, env } = context;
  const projects = [...store.projects()].sort((a, b) => b.lastTouch - a.lastTouch);
  const lines = [
    `Checkpoints: ${displayPath(store.base, env)}`,
    `Total size:  ${sizeText(sizeOf(store.base))}`,
    `  store/     ${sizeText(sizeOf(store.path))}`,
    ...legacyFolders(store).map((path) => `  ${basename(path)}/ ${sizeText(sizeOf(path))}`),
    `Projects:    ${projects.length}`,
  ];
  for (const { directory, lastTouch } of projects.slice(0, limit)) {
    const gone = existsSync(directory);
    const count = gone ? (await store.list(directory)).length : 0;
    const day = new Date(lastTouch * 1000).toISOString().slice(0, 16).replace('T', ' ');
    const state = gone ? counted(count, 'checkpoint') : 'the directory is gone';
    lines.push(`  ${day}  ${displayPath(directory, env)}  (${state})`);
  }
  if (projects.length > limit) lines.push(`  … and ${projects.length - limit} more (--limit)`);
  io.stdout.write(`${lines.join('\n')}\n`);
}

async function pruneNow(context: CliContext, { retentionDays, maxSizeMb, keepOrphans }: PruneOptions): Promise<void> {
  const limits = { retentionDays, maxTotalBytes: maxSizeMb * 1024 * 1024, deleteOrphans: keepOrphans !== true };
  const { removed, bytesBefore, bytesAfter } = await prune(await storeOf(context), limits, new Date());
  const freed = sizeText(Math.max(0, bytesBefore - bytesAfter));
  context.io.stdout.write(`Removed ${counted(removed, 'project')}, freed ${freed}.\n`);
}

async function clear(
  { io }: CliContext,
  paths: readonly string[],
  { what, force }: { readonly what: string; readonly force: true | undefined },
): Promise<void> {
  const there = paths.filter((path) => existsSync(path));
  if (there.length === 0) return void io.stdout.write('There is nothing to delete.\n');
  const size = sizeText(there.reduce((sum, path) => sum + sizeOf(path), 0));
  if (force !== true && !(await confirm(io, `Delete ${what} (${size})?`))) {
    return void io.stdout.write('\nCancelled.\n');
  }
  for (const path of there) rmSync(path, { recursive: true, force: true });
  io.stdout.write(`Deleted ${what} (${size}).\n`);
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UserError(`'${text}' must be a whole number from 0 on.`, { exitCode: 2 });
}

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
