/** `hermes uninstall`: takes away what the program put on this machine; the home only when asked for. */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { displayPath, listProfiles, userDirectory } from '../../config/home.ts';
import { UserError } from '../../lib/errors.ts';
import { askLine } from '../ask-line.ts';
import type { CliContext } from '../command.ts';
import { gatewayOf } from '../profile/profiles.ts';
import { removeWrapper, wrappersOf } from '../profile/wrapper.ts';
import { projectRoot } from './version.ts';

interface UninstallOptions {
  readonly full?: true;
  readonly yes?: true;
  readonly dryRun?: true;
}

export function build(context: CliContext): Command {
  return new Command('uninstall')
    .description('Removes the commands of profiles, with --full the home as well, and says how to remove the program.')
    .option('--full', 'delete the home too: settings, keys, memories and conversations of all profiles')
    .option('--dry-run', 'only say what would be removed')
    .option('-y, --yes', 'do not ask')
    .action((options: UninstallOptions) => uninstall(context, options));
}

async function uninstall(context: CliContext, { full, yes, dryRun }: UninstallOptions): Promise<void> {
  const { home, env, io } = context;
  const { root } = home;
  const say = (line: string): void => void io.stdout.write(`${line}\n`);
  const profiles = listProfiles(root);
  const wrappers = profiles.flatMap(({ profile }) => wrappersOf(profile, env));
  if (full === true) refuseForeignHome(context);
  const running = profiles.find((profile) => gatewayOf(profile) !== undefined);
  for (const { path } of wrappers) say(`Removes ${displayPath(path, env)}`);
  if (full === true) say(`Deletes ${displayPath(root, env)} with ${profiles.length} profile(s)`);
  else say(`Keeps   ${displayPath(root, env)}, your settings, keys and conversations (--full deletes it)`);
  if (dryRun === true) return;
  if (running !== undefined)
    throw new UserError(`The gateway of profile '${running.profile}' is running; stop it first.`);
  if (yes !== true) {
    if (!io.stdin.isTTY) {
      throw new UserError("'hermes uninstall' requires an interactive terminal.", {
        hint: '--dry-run shows what it would do, --yes does it without a question.',
      });
    }
    if ((await askLine(io, "Type 'yes' to go on: ")) !== 'yes') return say('Cancelled.');
  }
  for (const wrapper of wrappers) removeWrapper(wrapper);
  if (full === true) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  say('✓ Done. The program itself is removed with:');
  const program = projectRoot();
  say(dirname(program).endsWith('node_modules') ? '  npm uninstall -g hermes-agent' : `  rm -r ${program}`);
}

/** A home that was named by mistake must not take a whole directory of something else with it. */
function refuseForeignHome({ home: { root }, env }: CliContext): void {
  const own = resolve(userDirectory(env));
  const isHome = ['config.yaml', '.env', 'state.db', 'SOUL.md'].some((name) => existsSync(join(root, name)));
  if (!isHome || root === dirname(root) || own === resolve(root) || own.startsWith(`${resolve(root)}/`)) {
    throw new UserError(`${root} does not look like a home of this program; it is not deleted.`);
  }
}
