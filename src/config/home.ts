/** The home directory of the active profile: how it is found, made ready and shown to people. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { errorCode, UserError } from '../lib/errors.ts';
import { makeDirectories } from '../lib/make-directories.ts';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isOn } from './env-values.ts';
import { soulSeed } from './soul.ts';
import { sudoUserDirectory } from './sudo-user.ts';
import type { Variables } from './variables.ts';

export interface Home {
  /** Absolute path of the active home (`HERMES_HOME`). */
  readonly path: string;
  /** The directory that owns `profiles/`. */
  readonly root: string;
  /** `default` or the profile's name. */
  readonly profile: string;
}

export interface ResolvedHome {
  readonly home: Home;
  /** The arguments without `-p`/`--profile` and its value. */
  readonly argv: string[];
  /** Lines for stderr, for example a stale `active_profile`. */
  readonly warnings: readonly string[];
}

export const DEFAULT_PROFILE = 'default';
const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Flags of a conversation whose value may look like a profile flag (`-z -p`). */
const VALUE_FLAGS: ReadonlySet<string> = new Set(
  '-z --oneshot -m --model --provider -t --toolsets -r --resume -s --skills --usage-file'.split(' '),
);
const HOME_DIRECTORIES = ['cron', 'sessions', 'logs', 'memories'] as const;

/**
 * Finds the active home: `-p NAME` anywhere before `--`, then a `HERMES_HOME` that is a profile, then the sticky
 * `active_profile` of the root that `HERMES_HOME` names, or of `~/.hermes`, then that root itself. A profile that root
 * does not have under sudo is looked for with who called sudo (`invoker`: their own directory). Nothing is created. Throws
 * `UserError`: exit 2 for a missing, malformed or contradictory profile flag, exit 1 for a profile that does not exist.
 */
export function resolveHome(
  argv: readonly string[],
  env: Variables,
  invoker: (env: Variables) => string | undefined = sudoUserDirectory,
): ResolvedHome {
  const { profile, rest } = takeProfileFlag(argv);
  const environmentHome = env['HERMES_HOME']?.trim();
  if (profile !== undefined) {
    const home = profileHome(ownerOfProfiles(environmentHome, env), profile);
    if (home.profile === DEFAULT_PROFILE || isDirectory(home.path)) return { home, argv: rest, warnings: [] };
    const own = invoker(env);
    const theirs = own === undefined ? undefined : profileHome(join(own, '.hermes'), profile);
    if (theirs === undefined || !isDirectory(theirs.path)) throw missingProfile(profile);
    return { home: theirs, argv: rest, warnings: [] };
  }
  const named = environmentHome ? homeAt(resolve(expandTilde(environmentHome, env))) : undefined;
  if (named !== undefined && named.profile !== DEFAULT_PROFILE) return { home: named, argv: rest, warnings: [] };

  const root = named?.root ?? defaultRoot(env);
  const sticky = readStickyProfile(root);
  if (sticky === undefined || sticky === DEFAULT_PROFILE) {
    return { home: profileHome(root, DEFAULT_PROFILE), argv: rest, warnings: [] };
  }
  if (PROFILE_NAME.test(sticky) && isDirectory(join(root, 'profiles', sticky))) {
    return { home: profileHome(root, sticky), argv: rest, warnings: [] };
  }
  const shown = JSON.stringify(sticky.slice(0, 80));
  const where = displayPath(join(root, 'active_profile'), env);
  const warning = `Profile ${shown} in ${where} does not exist; using default. Run \`hermes profile use default\` to clear it.`;
  return { home: profileHome(root, DEFAULT_PROFILE), argv: rest, warnings: [warning] };
}

/** True for a name a profile may have: lowercase letters, digits, `-` and `_`, starting alphanumeric, 1–64 long. */
export function isProfileName(name: string): boolean {
  return PROFILE_NAME.test(name);
}

/** The home of a profile that is there, by its name; undefined when there is none. */
export function existingProfile(root: string, profile: string): string | undefined {
  if (!isProfileName(profile)) return undefined;
  const { path } = profileHome(root, profile);
  return isDirectory(path) ? path : undefined;
}

/** `default` first, then the others by name. */
export function listProfiles(root: string): Home[] {
  const folder = join(root, 'profiles');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => isDirectory(join(folder, name))) : [];
  return [DEFAULT_PROFILE, ...names.filter(isProfileName).sort()].map((name) => profileHome(root, name));
}

/** The home of a profile below `root`; `default` is the root itself. Does not look at the disk. */
export function profileHome(root: string, profile: string): Home {
  if (profile === DEFAULT_PROFILE) return { path: root, root, profile };
  return { path: join(root, 'profiles', profile), root, profile };
}

/**
 * Creates what a home lacks (mode 0700) and seeds `SOUL.md` when there is none; what exists is left alone, so a complete
 * home may be read-only, unless `HERMES_HOME_MODE` wants another mode for its folders. Throws `UserError` naming the path that cannot be created or written.
 */
export function ensureHome(home: Home, env: Variables = {}): void {
  const mode = wantedMode(env);
  for (const directory of [home.path, ...HOME_DIRECTORIES.map((name) => join(home.path, name))]) {
    if (!isDirectory(directory)) attempt('create', directory, () => makeDirectories(directory, 0o700));
    if (mode === undefined || (statSync(directory).mode & 0o777) === mode) continue;
    attempt('change the mode of', directory, () => chmodSync(directory, mode));
  }
  const soul = join(home.path, 'SOUL.md');
  if (!existsSync(soul)) attempt('write', soul, () => writeFileAtomic(soul, soulSeed));
}

/** `HERMES_HOME_MODE`, in octal as for chmod; undefined when the folders stay as they are. */
function wantedMode(env: Variables): number | undefined {
  const text = env['HERMES_HOME_MODE']?.trim() ?? '';
  if (isOn(env['HERMES_SKIP_CHMOD']) || !/^0?[0-7]{3}$/.test(text)) return undefined;
  return Number.parseInt(text, 8);
}

/** The path with the user's own directory written as `~`. */
export function displayPath(path: string, env: Variables): string {
  const own = userDirectory(env);
  if (path === own) return '~';
  return path.startsWith(own + sep) ? `~${path.slice(own.length)}` : path;
}

function takeProfileFlag(argv: readonly string[]): { profile: string | undefined; rest: string[] } {
  const rest: string[] = [];
  let profile: string | undefined;
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    if (argument === '--') {
      rest.push(...argv.slice(index));
      break;
    }
    let value: string | undefined;
    if (argument === '-p' || argument === '--profile') value = argv[++index] ?? '';
    else if (argument.startsWith('--profile=')) value = argument.slice('--profile='.length);
    if (value === undefined) {
      rest.push(argument);
      if (VALUE_FLAGS.has(argument) && index + 1 < argv.length) rest.push(argv[++index] ?? '');
      continue;
    }
    checkProfileFlag(value);
    if (profile !== undefined && profile !== value) {
      throw new UserError(`Two different profiles were given: '${profile}' and '${value}'.`, {
        exitCode: 2,
        hint: 'Give -p/--profile once.',
      });
    }
    profile = value;
  }
  return { profile, rest };
}

function checkProfileFlag(value: string): void {
  if (value === '' || value.startsWith('-')) {
    throw new UserError('-p/--profile needs the name of a profile.', {
      exitCode: 2,
      hint: 'Run `hermes profile list` to see the profiles.',
    });
  }
  if (!isProfileName(value)) {
    throw new UserError(`Invalid profile name '${value.slice(0, 80)}'.`, {
      exitCode: 2,
      hint: 'Profile names are 1–64 lowercase letters, digits, `-` and `_`, starting with a letter or digit.',
    });
  }
}

function missingProfile(name: string): UserError {
  return new UserError(`Profile '${name}' does not exist.`, {
    hint: `Run \`hermes profile list\` to see the profiles, or \`hermes profile create ${name}\` to make it.`,
  });
}

/**
 * Where a `-p` name is looked up. A `HERMES_HOME` outside any `profiles/` is its own root when it owns profiles or when
 * the user's default root owns none; otherwise the default root, so that `-p default` reaches it.
 */
function ownerOfProfiles(environmentHome: string | undefined, env: Variables): string {
  const fallback = defaultRoot(env);
  if (!environmentHome) return fallback;
  const { root } = homeAt(resolve(expandTilde(environmentHome, env)));
  if (isDirectory(join(root, 'profiles'))) return root;
  return isDirectory(join(fallback, 'profiles')) ? fallback : root;
}

function homeAt(path: string): Home {
  if (basename(dirname(path)) !== 'profiles') return { path, root: path, profile: DEFAULT_PROFILE };
  return { path, root: dirname(dirname(path)), profile: basename(path) };
}

function defaultRoot(env: Variables): string {
  const localAppData = env['LOCALAPPDATA'];
  if (process.platform === 'win32' && localAppData) return join(localAppData, 'hermes');
  return join(userDirectory(env), '.hermes');
}

function readStickyProfile(root: string): string | undefined {
  try {
    return readFileSync(join(root, 'active_profile'), 'utf8').trim() || undefined;
  } catch {
    // No profile was ever made the standing one.
    return undefined;
  }
}

/** `HOME`, or what the system says. */
export function userDirectory(env: Variables): string {
  return env['HOME'] || homedir();
}

/** With the user’s folder in the place of a leading `~`. */
export function expandTilde(path: string, env: Variables): string {
  if (path === '~') return userDirectory(env);
  return path.startsWith('~/') ? join(userDirectory(env), path.slice(2)) : path;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const REASONS: Readonly<Record<string, string>> = {
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a file of that name is in the way',
};

function attempt(verb: string, path: string, action: () => unknown): void {
  try {
    action();
  } catch (error) {
    throw unwritable(verb, path, error);
  }
}

/** The error for a path of the home that could not be written; names the path and the reason. */
export function unwritable(verb: string, path: string, error: unknown): UserError {
  const code = errorCode(error);
  const reason = (code && REASONS[code]) ?? (error instanceof Error ? error.message : String(error));
  return new UserError(`Cannot ${verb} ${path}: ${reason}.`, {
    hint: 'Make the path writable for this user, free some space, or set HERMES_HOME to another directory.',
    cause: error,
  });
}
