/** `hermes gateway migrate-legacy`: takes away units of older installations, which would run a second gateway. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { userUnit } from '../../gateway/service/open-service.ts';
import { askLine } from '../ask-line.ts';
import type { CliContext } from '../command.ts';
import { runProgram } from './home-service.ts';

export interface MigrateOptions {
  readonly dryRun?: true;
  readonly yes?: true;
}

const olderNames = ['hermes.service'];

export async function migrateLegacy(context: CliContext, { dryRun, yes }: MigrateOptions): Promise<void> {
  const { io, env } = context;
  // A unit of that name that runs something else is somebody else's.
  const found = olderNames
    .map((name) => userUnit(env, name))
    .filter((file) => existsSync(file) && /\bgateway\b/.test(readFileSync(file, 'utf8')));
  if (found.length === 0) return void io.stdout.write('There are no units of older installations.\n');
  for (const file of found) io.stdout.write(`${dryRun === true ? 'Would be removed' : 'To be removed'}: ${file}\n`);
  if (dryRun === true) return;
  const answer = yes === true ? 'y' : await askLine(io, 'Remove? [y/N] ');
  if (!/^y(es)?$/i.test(answer ?? '')) return;
  const run = runProgram(env);
  for (const file of found) {
    await run('systemctl', ['--user', 'disable', '--now', basename(file)]);
    rmSync(file, { force: true });
    io.stdout.write(`Removed: ${file}\n`);
  }
  await run('systemctl', ['--user', 'daemon-reload']);
}
