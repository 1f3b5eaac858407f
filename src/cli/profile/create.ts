/** `hermes profile create`: a new home, empty or after the pattern of another. */
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DEFAULT_PROFILE, ensureHome, type Home } from '../../config/home.ts';
import { isOnPath } from '../../config/shell.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { bringSkills } from '../../runtime/bring-skills.ts';
import { copyTree } from '../../backups/copy-files.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { writeDescription } from './description.ts';
import { countSkills, findProfile, freeProfile } from './profiles.ts';
import { makeWrapper, wrapperFolder } from './wrapper.ts';

export interface CreateOptions {
  readonly clone?: true;
  readonly cloneAll?: true;
  readonly cloneFrom?: string;
  /** False with `--no-alias`. */
  readonly alias: boolean;
  /** False with `--no-skills`. */
  readonly skills: boolean;
  readonly description?: string;
}

const FOLDERS = ['cron', 'home', 'logs', 'memories', 'plans', 'sessions', 'skills', 'skins', 'workspace'];
const CLONED = ['config.yaml', '.env', '.op.env', 'SOUL.md', 'skills', 'memories/MEMORY.md', 'memories/USER.md'];
/** Conversations, what runs, and copies of old states stay with the profile they belong to. */
const NEVER_CLONED =
  /^(?:state\.db.*|audit\.key|logs\/audit\..*|sessions|backups|state-snapshots|checkpoints|gateway\.pid|gateway\.lock|gateway_state\.json|processes\.json|active_profile)$/;
const NEVER_CLONED_FROM_DEFAULT = new Set(['hermes-agent', '.worktrees', 'profiles', 'bin', 'lsp', 'node_modules']);
const NO_SKILLS_NOTE = 'The bundled skills stay away from this profile. Delete this file to let them in.\n';
const EMPTY_ENV = '# Keys and tokens of this profile, one NAME=value a line. Settings belong in config.yaml.\n';

/** Makes the profile as a whole or not at all, then its wrapper and its skills. */
export async function createProfile(context: CliContext, typed: string, options: CreateOptions): Promise<void> {
  const home = freeProfile(context, typed);
  const clones = [
    options.clone && '--clone',
    options.cloneAll && '--clone-all',
    options.cloneFrom !== undefined && '--clone-from',
  ].filter((flag) => typeof flag === 'string');
  if (!options.skills && clones.length > 0) {
    throw new UserError(
      `--no-skills and ${clones.join(', ')} exclude each other: a clone has the skills of its source.`,
    );
  }
  const source =
    clones.length === 0
      ? undefined
      : options.cloneFrom === undefined
        ? context.home
        : findProfile(context, options.cloneFrom);
  await fill(home, source, options);
  const say = (line: string): void => void context.io.stdout.write(`${line}\n`);
  say(`✓ Profile '${home.profile}' created at ${home.path}`);
  if (source !== undefined)
    say(`  Copied from '${source.profile}'${options.cloneAll ? ', all but its conversations' : ''}.`);
  if (options.skills) {
    const { env, io } = context;
    await bringSkills({ home, env, version: readPackage().version }, (line) => io.stderr.write(`${line}\n`));
    say(`  Skills: ${countSkills(home)}`);
  }
  const command = options.alias ? tryWrapper(context, home, say) : undefined;
  const start = command ?? `hermes -p ${home.profile}`;
  say(`\nNext: ${start} setup   choose a model, and set what else matters`);
  say(`      ${start}         start a conversation`);
}

/** Built beside its place and moved there at the end: an interrupted copy is no profile. */
async function fill(home: Home, source: Home | undefined, options: CreateOptions): Promise<void> {
  const parent = dirname(home.path);
  const draft = join(parent, `.new-${home.profile}-${process.pid}`);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  rmSync(draft, { recursive: true, force: true });
  try {
    mkdirSync(draft, { mode: 0o700 });
    if (source !== undefined && options.cloneAll) {
      await copyTree(source.path, draft, (path) => {
        if (source.profile === DEFAULT_PROFILE && NEVER_CLONED_FROM_DEFAULT.has(path)) return false;
        return !NEVER_CLONED.test(path) && !path.startsWith('profiles/.new-');
      });
    } else if (source !== undefined) {
      for (const name of CLONED) {
        const from = join(source.path, name);
        if (existsSync(from)) cpSync(from, join(draft, name), { recursive: true, dereference: true });
      }
    }
    for (const folder of FOLDERS) mkdirSync(join(draft, folder), { recursive: true, mode: 0o700 });
    const env = join(draft, '.env');
    if (existsSync(env)) chmodSync(env, 0o600);
    else writeFileAtomic(env, EMPTY_ENV);
    if (!options.skills) writeFileAtomic(join(draft, '.no-bundled-skills'), NO_SKILLS_NOTE);
    ensureHome({ ...home, path: draft });
    if (options.description !== undefined) await writeDescription(draft, options.description);
    renameSync(draft, home.path);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The profile is there whether or not it can have a command of its own. */
function tryWrapper(context: CliContext, { profile }: Home, say: (line: string) => void): string | undefined {
  const { env, io } = context;
  try {
    const { name, path } = makeWrapper(context, profile);
    say(`  Command '${name}' written to ${path}`);
    if (isOnPath(wrapperFolder(env), env)) return name;
    io.stderr.write(`${wrapperFolder(env)} is not on your PATH; add it there to type '${name}'.\n`);
  } catch (error) {
    const hint = error instanceof UserError && error.hint !== undefined ? ` ${error.hint}` : '';
    io.stderr.write(`${errorMessage(error)}${hint}\n`);
  }
  return undefined;
}
