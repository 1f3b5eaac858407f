/** `hermes import`: brings a backup back into the home. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { displayPath, listProfiles } from '../../config/home.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { CliContext } from '../command.ts';
import { gatewayOf } from '../profile/profiles.ts';
import { makeWrapper } from '../profile/wrapper.ts';
import { confirm } from '../sessions/confirm.ts';

export function build(context: CliContext): Command {
  return new Command('import')
    .description('Brings a backup back. Files of the home that it replaces are kept in backups/.')
    .argument('<zipfile>')
    .option('-f, --force', 'do not ask, even when the home is in use')
    .action(async (file: string, options: { force?: true }) => bringBack(context, resolve(file), options));
}

async function bringBack(context: CliContext, file: string, { force }: { force?: true }): Promise<void> {
  const { home, io, env } = context;
  if (!existsSync(file)) throw new UserError(`There is no file ${file}.`);
  // A pipe or a device may never end.
  if (!statSync(file).isFile()) throw new UserError(`${file} is not a file.`);
  const { inspectBackup, restoreBackup } = await import('../../backups/read-backup.ts');
  const contents = await inspectBackup(file);
  const running = listProfiles(home.root).find((profile) => gatewayOf(profile) !== undefined);
  if (running !== undefined) {
    throw new UserError(
      `The gateway of profile '${running.profile}' is running and would write into what is brought back.`,
      {
        hint: 'Stop it, then try again.',
      },
    );
  }
  io.stdout.write(`${counted(contents.paths.length, 'file')} for ${displayPath(home.root, env)}\n`);
  const inUse = ['config.yaml', '.env', 'state.db'].some((name) => existsSync(join(home.root, name)));
  if (
    inUse &&
    force !== true &&
    !(await confirm(io, 'The home has a configuration; files of the same name are replaced. Go on?'))
  ) {
    io.stdout.write('\nCancelled.\n');
    context.exitCode = 1;
    return;
  }
  const kept = await restoreBackup(contents, home.root);
  io.stdout.write(`✓ ${counted(contents.paths.length, 'file')} put back.\n`);
  if (kept !== undefined) io.stdout.write(`  Those they replaced: ${displayPath(kept, env)}\n`);
  if (contents.skipped.length > 0) io.stdout.write(`  Left out: ${contents.skipped.join(', ')}\n`);
  restoreWrappers(context);
}

function restoreWrappers(context: CliContext): void {
  for (const { profile } of listProfiles(context.home.root).slice(1)) {
    try {
      makeWrapper(context, profile);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      context.io.stderr.write(`${error.message}\n`);
    }
  }
}
