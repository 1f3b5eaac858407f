/** `hermes sessions repair`: the one place where a damaged database is touched, and only on request. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../lib/counted.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { CliContext } from '../command.ts';
import { confirm } from './confirm.ts';
import { storePath, withStore } from './with-store.ts';

export interface RepairOptions {
  readonly yes?: true;
  /** Looks and changes nothing. */
  readonly checkOnly?: true;
}

export async function repairStore(context: CliContext, options: RepairOptions): Promise<void> {
  const say = (line: string): void => {
    context.io.stdout.write(`${escapeForDisplay(line, { singleLine: true })}\n`);
  };
  const work = options.checkOnly === true ? check : repair;
  const problems = await withStore(context, (store) => work(store, say)).catch(damageOf);
  if (problems === undefined) say('No sessions found.');
  if (problems === undefined || problems.length === 0) return;
  say(`The session database ${storePath(context)} is damaged:`);
  for (const problem of problems) say(`  ${problem}`);
  if (options.checkOnly === true) {
    throw new UserError('The session database needs repair.', { hint: 'Run `hermes sessions repair`.' });
  }
  await moveAway(context, options, say);
}

async function check(store: SessionStore, say: (line: string) => void): Promise<string[]> {
  const problems = await store.maintenance.checkIntegrity();
  if (problems.length === 0) say('✓ The session database is sound: no repair needed.');
  return problems;
}

/** Rebuilds what can be rebuilt; returns what is still wrong. */
async function repair(store: SessionStore, say: (line: string) => void): Promise<string[]> {
  // Building the indexes anew also repairs them, so the check comes afterwards.
  await store.maintenance.rebuildIndexes();
  const problems = await store.maintenance.checkIntegrity();
  if (problems.length === 0) say('The session database is sound; its indexes were rebuilt.');
  return problems;
}

/** SQLite's codes for a damaged file become a finding; any other error stays one. */
function damageOf(error: unknown): string[] {
  const cause = error instanceof UserError ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'errcode' in cause ? Number(cause.errcode) & 0xff : 0;
  if (code === 11 || code === 26) return [errorMessage(cause)];
  throw error;
}

async function moveAway(context: CliContext, options: RepairOptions, say: (line: string) => void): Promise<void> {
  const path = storePath(context);
  const target = freeName(`${path}.damaged`);
  const question = `Move it to ${target} and go on with what can be read of it?`;
  if (options.yes !== true && !(await confirm(context.io, question))) {
    throw new UserError('The database was left as it is.', {
      hint: 'Nothing is lost yet: the sqlite3 program and its .recover command may save what is readable.',
    });
  }
  const { salvage } = await import('../../sessions/sqlite/salvage.ts');
  const draft = `${path}.salvaged-${process.pid}`;
  mkdirSync(draft, { mode: 0o700 });
  try {
    const found = await salvage(path, join(draft, 'state.db'));
    // The journal belongs to the database; left behind it would be replayed into the new one.
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
    }
    if (found !== undefined) renameSync(join(draft, 'state.db'), path);
    const outcome =
      found === undefined
        ? 'nothing of it could be read, and the next conversation begins a new one'
        : `${counted(found.sessions, 'session')} with ${counted(found.messages, 'message')} could be read, and are in a new one`;
    say(`The damaged database is now ${target}; ${outcome}.`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function freeName(base: string): string {
  if (!existsSync(base)) return base;
  let number = 2;
  while (existsSync(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
