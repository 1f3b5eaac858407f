/** `hermes backup`: the home as one zip file, or a quick snapshot of its state. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { StateSnapshots } from '../../backups/snapshots.ts';
import { displayPath, userDirectory } from '../../config/home.ts';
import { counted } from '../../lib/counted.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { CliContext } from '../command.ts';
import { confirm } from '../sessions/confirm.ts';

interface BackupOptions {
  readonly output?: string;
  readonly quick?: true;
  readonly label?: string;
}

export function build(context: CliContext): Command {
  const command = new Command('backup')
    .description(
      'Writes the home with all its profiles into a zip file. It holds your keys: keep it where they are safe.',
    )
    .option('-o, --output <path>', 'file or folder (default: ~/hermes-backup-<time>.zip)')
    .option('-q, --quick', 'only a snapshot of the state, kept in the home')
    .option('-l, --label <label>', 'a name for the snapshot')
    .action(async (options: BackupOptions) => {
      if (options.quick === true) await takeSnapshot(context, options.label);
      else await writeZip(context, options);
    });
  command
    .command('restore')
    .description('put a snapshot back; what is there now is kept as another one')
    .requiredOption('--state <id>', 'the id of the snapshot')
    .option('-y, --yes', 'do not ask')
    .action(async ({ state, yes }: { state: string; yes?: true }) => {
      if (yes !== true && !(await confirm(context.io, `Put the state of snapshot ${state} back?`))) {
        return void context.io.stdout.write('\nCancelled.\n');
      }
      const { restored, before } = await new StateSnapshots(context.home.path).restore(state);
      context.io.stdout.write(`✓ ${counted(restored.file_count, 'file')} of ${restored.id} put back.\n`);
      if (before !== undefined) context.io.stdout.write(`  What was there before: ${before.id}\n`);
    });
  return command;
}

async function takeSnapshot({ home, io }: CliContext, label?: string): Promise<void> {
  const snapshots = new StateSnapshots(home.path);
  const taken = await snapshots.create(label);
  if (taken === undefined) return void io.stdout.write('No state files found to snapshot.\n');
  io.stdout.write(
    `State snapshot created: ${taken.id} (${counted(taken.file_count, 'file')}, ${sizeText(taken.total_size)})\n`,
  );
  io.stdout.write(`Put it back with: hermes backup restore --state ${taken.id}, or /snapshot restore ${taken.id}\n`);
}

async function writeZip(context: CliContext, { output }: BackupOptions): Promise<void> {
  const { home, io, env } = context;
  const target = targetOf(context, output);
  if (!existsSync(home.root)) throw new UserError(`There is no home at ${home.root} to back up.`);
  io.stdout.write(`Backing up ${displayPath(home.root, env)} …\n`);
  const { writeBackup } = await import('../../backups/write-backup.ts');
  const write = async () => {
    makeDirectories(dirname(target));
    return await writeBackup(home.root, target);
  };
  const written = await write().catch((error: unknown) => {
    throw new UserError(`The backup could not be written: ${errorMessage(error)}`, { cause: error });
  });
  io.stdout.write(
    `✓ ${target}\n  ${counted(written.files, 'file')}, ${sizeText(written.original)}, compressed ${sizeText(written.compressed)}\n`,
  );
  io.stdout.write(`Bring it back with: hermes import ${target}\n`);
}

function targetOf({ env }: CliContext, output: string | undefined): string {
  const stamp = new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  const name = `hermes-backup-${stamp}.zip`;
  if (output === undefined) return join(userDirectory(env), name);
  const path = resolve(output);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return join(path, name);
  return path.endsWith('.zip') ? path : `${path}.zip`;
}

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
