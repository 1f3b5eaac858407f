/** `hermes update`: brings a checkout to the newest commit of its branch, with a way back when that does not run. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StateSnapshots } from '../../backups/snapshots.ts';
import { refusePackagedInstall } from '../../config/managed.ts';
import { runInteractive } from '../../environments/run-interactive.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import { projectRoot } from '../commands/version.ts';
import { findProgram } from '../find-program.ts';
import { confirm } from '../sessions/confirm.ts';
import { Checkout, type Newer } from './checkout.ts';

export interface UpdateOptions {
  readonly check?: true;
  /** `--backup` true, `--no-backup` false, neither: `updates.pre_update_backup`. */
  readonly backup?: boolean;
  readonly branch?: string;
  readonly yes?: true;
}

/** `folder` is where the program is; tests give their own. */
export async function update(context: CliContext, options: UpdateOptions, folder = projectRoot()): Promise<void> {
  const { io } = context;
  const say = (line: string): void => void io.stdout.write(`${escapeForDisplay(line)}\n`);
  const { found, lines } = await look(context, options, folder);
  for (const line of lines) say(line);
  if (found === undefined) return;
  if (options.check === true) return say('Install them with: hermes update');
  const { checkout, branch, newer } = found;
  const { non_interactive_local_changes: whatOfChanges, refresh_cua_driver: refreshes } = (await context.config())
    .config.updates;
  const { changes, movable } = await changesIn(context, options, found);
  if (options.yes !== true) {
    if (!io.stdin.isTTY)
      throw new UserError('Nobody can be asked here.', { hint: '--yes installs it without a question.', exitCode: 2 });
    if (!(await confirm(io, 'Install them?'))) return say('Cancelled.');
  }
  await backUp(context, options, say);
  const aside = movable ? await checkout.putAside() : undefined;
  try {
    await install(context, { checkout, folder, branch, newer });
  } catch (error) {
    if (aside !== undefined) await bringBack(checkout, aside, say);
    throw error;
  }
  if (aside !== undefined && whatOfChanges === 'discard') {
    await checkout.forget(aside);
    say(`Thrown away, as updates.non_interactive_local_changes says: ${changes.length} changed file(s).`);
  } else if (aside !== undefined) await bringBack(checkout, aside, say);
  if (refreshes) await (await import('../computer-use/install.ts')).refreshDriver(context);
  say(`✓ Updated from ${newer.from.slice(0, 9)} to ${newer.to.slice(0, 9)}.`);
  say('Running conversations keep the old version until they end.');
}

/**
 * For who asks beforehand and from afar: what there is to install, if anything. Throws `UserError` for what would stop
 * `hermes update --yes`.
 */
export async function lookForUpdate(
  context: CliContext,
  folder = projectRoot(),
): Promise<{ readonly isNewer: boolean; readonly words: string }> {
  const { found, lines } = await look(context, {}, folder);
  if (found !== undefined) await changesIn(context, { yes: true }, found);
  return { isNewer: found !== undefined, words: lines.map((line) => escapeForDisplay(line)).join('\n') };
}

interface Found {
  readonly checkout: Checkout;
  readonly branch: string;
  readonly newer: Newer;
}

/** `found` is undefined where there is nothing to install; `lines` say what there is, or why not. */
async function look(
  { env, home }: CliContext,
  options: Pick<UpdateOptions, 'branch'>,
  folder: string,
): Promise<{ readonly found: Found | undefined; readonly lines: readonly string[] }> {
  refusePackagedInstall(home, env);
  if (!existsSync(join(folder, '.git'))) {
    const how = 'It is updated the way it was installed. With npm, for example: npm install -g <the same source>';
    return { found: undefined, lines: [`This installation is not a checkout: ${folder}`, how] };
  }
  if (findProgram('git', env) === undefined) throw new UserError('git is not installed, and an update needs it.');
  const checkout = new Checkout(folder, env);
  const branch = options.branch ?? (await checkout.branch());
  if (branch === undefined) {
    throw new UserError('No branch is checked out here.', {
      hint: 'Name one: hermes update --branch main',
      exitCode: 2,
    });
  }
  const newer = await checkout.newer(branch);
  if (newer.behind === 0) return { found: undefined, lines: [`Up to date (${branch}, ${newer.from.slice(0, 9)}).`] };
  const subjects = newer.subjects.map((subject) => `  ${subject}`);
  return { found: { checkout, branch, newer }, lines: [`${newer.behind} new commit(s) on ${branch}:`, ...subjects] };
}

/** What a person changed, and whether it may be put aside. Throws `UserError` where an update could lose something. */
async function changesIn(
  context: CliContext,
  { yes }: Pick<UpdateOptions, 'yes'>,
  { checkout, newer }: Found,
): Promise<{ readonly changes: readonly string[]; readonly movable: boolean }> {
  const { non_interactive_local_changes: whatOfChanges } = (await context.config()).config.updates;
  const changes = await checkout.changes();
  const movable = changes.length > 0 && yes === true && whatOfChanges !== '';
  refuseUnsafe(newer, movable ? [] : changes);
  return { changes, movable };
}

/** Own commits and changes are never merged, put aside or lost by an update. */
function refuseUnsafe({ ahead }: Newer, changes: readonly string[]): void {
  if (changes.length > 0) {
    throw new UserError(`There are changes in this checkout:\n${changes.slice(0, 10).join('\n')}`, {
      hint: 'Commit them, or put them aside with: git stash',
      exitCode: 2,
    });
  }
  if (ahead > 0) {
    throw new UserError(`This checkout has ${ahead} commit(s) of its own.`, {
      hint: 'Bring both together yourself, with: git pull --rebase',
      exitCode: 2,
    });
  }
}

/** What does not fit any more stays put aside: nothing of a person is lost. */
async function bringBack(checkout: Checkout, aside: string, say: (line: string) => void): Promise<void> {
  try {
    await checkout.bringBack(aside);
    say('Your changes in this checkout are back.');
  } catch (error) {
    say(`Your changes do not fit the new version and stay put aside (${errorMessage(error)}).`);
    say(`Look at them with: git stash show -p ${aside}`);
  }
}

async function backUp(context: CliContext, { backup }: UpdateOptions, say: (line: string) => void): Promise<void> {
  const { home } = context;
  const { config } = await context.config();
  const how = backup === true ? 'full' : backup === false ? 'off' : config.updates.pre_update_backup;
  if (how === 'off') return;
  const snapshots = new StateSnapshots(home.path);
  const taken = await snapshots.create('pre-update');
  if (taken !== undefined) say(`State snapshot: ${taken.id}`);
  snapshots.prune(20);
  if (how === 'quick') return;
  const { writeBackup } = await import('../../backups/write-backup.ts');
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const backups = join(home.root, 'backups');
  const target = join(backups, `pre-update-${stamp}.zip`);
  mkdirSync(backups, { recursive: true });
  await writeBackup(home.root, target);
  say(`Backup: ${target}`);
  const own = readdirSync(backups).filter((name) => /^pre-update-[\dTZ-]+\.zip$/.test(name));
  for (const name of own.sort().slice(0, -Math.max(1, config.updates.backup_keep))) rmSync(join(backups, name));
}

interface Installation {
  readonly checkout: Checkout;
  readonly folder: string;
  readonly branch: string;
  readonly newer: Newer;
}

/** What does not start is taken back, so that there is always a program that runs. */
async function install({ env }: CliContext, { checkout, folder, branch, newer }: Installation): Promise<void> {
  const build = async (): Promise<void> => {
    await npm(['ci', '--prefix', folder], env);
    await npm(['run', 'build', '--prefix', folder, '--if-present'], env);
    const started = await runInteractive(process.execPath, [join(folder, 'bin', 'hermes.mjs'), 'version'], env);
    if (started !== 0) throw new UserError(`The new version does not start (exit code ${started}).`);
  };
  await checkout.advance(branch, newer.to);
  try {
    await build();
  } catch (error) {
    await checkout.goBack(newer.from);
    await npm(['ci', '--prefix', folder], env);
    await npm(['run', 'build', '--prefix', folder, '--if-present'], env);
    throw new UserError(`The update was taken back: ${errorMessage(error)}`, { cause: error });
  }
}

async function npm(args: readonly string[], env: CliContext['env']): Promise<void> {
  const code = await runInteractive('npm', [...args], env);
  if (code !== 0) throw new UserError(`npm ${args[0] ?? ''} failed with exit code ${code}.`);
}
