/** Which files the agent's file tools must not read, write or move, judged on real paths. */
import { posix } from 'node:path';
import { homeFileKind } from './home-files.ts';
import { isProjectRules } from './lasting-files.ts';

export interface PathGuardOptions {
  /** The active home, absolute. */
  readonly homePath: string;
  /** The directory that owns `profiles/`; the homes of all profiles are guarded. */
  readonly root: string;
  /** The user's own directory. */
  readonly userHome: string;
  /** More paths that may be neither read nor written, absolute; a directory stands for all below it. */
  readonly extra?: readonly string[];
  /** Follows symbolic links, so that a guarded file is also guarded where it really lies. Default: paths are real. */
  readonly follow?: (path: string) => string;
}

/**
 * Each answer is the reason as the model is told it, or `undefined` when there is nothing against it.
 *
 * @example
 * const reason = guard.denyRead(await files.realPath(path));
 * if (reason !== undefined) return failure(reason);
 */
export interface PathGuard {
  denyRead(realPath: string): string | undefined;
  denyWrite(realPath: string): string | undefined;
  /** For removing and renaming: a directory must not go when something guarded is in it. */
  denyMove(realPath: string): string | undefined;
  /** True for what later conversations begin with: memory, skills, the agent's character, rules of projects. */
  isLearned(realPath: string): boolean;
}

/** A file or directory, relative to the user's directory when it does not start with `/`. */
const credentialPaths = [
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.azure',
  '.config/gcloud',
  '.config/gh/hosts.yml',
  '.config/git/credentials',
  '.docker/config.json',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.my.cnf',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.modal.toml',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '/etc/shadow',
  '/etc/gshadow',
] as const;
/** Readable, but a write would run code later, give rights or change accounts. */
const writeProtectedPaths = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.profile',
  '.zshrc',
  '.zprofile',
  '.zshenv',
  '.zlogin',
  '.config/fish/config.fish',
  '.config/systemd/user',
  '.config/autostart',
  'library/launchagents',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/systemd',
  '/etc/passwd',
  '/etc/group',
  '/etc/crontab',
  '/etc/cron.d',
  '/etc/profile.d',
  '/etc/ld.so.preload',
  '/var/spool/cron',
  '/proc',
  '/sys',
] as const;
/** What the whole machine runs by, and sockets that give rights over it. */
const systemPaths = [
  '/etc',
  '/boot',
  '/usr/lib/systemd',
  '/lib/systemd',
  '/private/etc',
  '/run/docker.sock',
  '/var/run/docker.sock',
] as const;
/** On macOS all that changes lies here, places for temporary files too. */
const systemFolder = /^\/private\/var\/(?!folders\/|tmp\/)/;
const publicKeyFile = /\/\.ssh\/(?:[^/]+\.pub|known_hosts(?:\.old)?)$/;
/** Where projects keep their keys; a `.env.example` holds none. */
const environmentFile = /\/\.env(?:rc|\.(?:local|development|production|test|staging))?$/;
const processSecret =
  /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/(?:environ|cmdline|maps|smaps|smaps_rollup|numa_maps|mem|auxv|pagemap)$/;
const writableDevice = /^\/dev\/(?:null|zero|full|tty|stdout|stderr|fd\/\d+|shm\/.+)$/;

/**
 * Paths given to the guard must be real (links followed) and absolute. Names are compared without regard to case, since
 * some file systems do not regard it either.
 */
export function createPathGuard(options: PathGuardOptions): PathGuard {
  const follow = options.follow ?? ((path: string) => path);
  const both = (path: string): string[] => [...new Set([comparable(path), comparable(follow(path))])];
  const inUserHome = (path: string): string[] => both(path.startsWith('/') ? path : `${options.userHome}/${path}`);

  const credentials = [...credentialPaths.flatMap(inUserHome), ...(options.extra ?? []).flatMap(both)];
  const writeProtected = writeProtectedPaths.flatMap(inUserHome);
  const system = systemPaths.flatMap(both);
  const homes = [...new Set([options.homePath, options.root, `${options.userHome}/.hermes`].flatMap(both))];
  const linked = ['.env', 'auth.json', 'config.yaml', 'state.db', 'SOUL.md', 'memories', 'skills']
    .map((name) => ({ name, real: comparable(follow(`${options.homePath}/${name}`)) }))
    .filter(({ real }) => !isInside(real, homes));

  function homeKind(path: string) {
    const link = linked.find(({ real }) => isInside(path, [real]));
    const inside = link === undefined ? pathInHome(path, homes) : link.name + path.slice(link.real.length);
    return inside === undefined ? undefined : homeFileKind(inside);
  }

  function denyRead(realPath: string): string | undefined {
    const path = comparable(realPath);
    if (pathInHome(path, homes)?.match(/^skills\/\.hub(?:\/|$)/)) {
      return `Access denied: ${realPath} is a catalogue cache. Use skills_list and skill_view to see skills.`;
    }
    const secret =
      homeKind(path) === 'credential' ||
      isInside(path, credentials) ||
      [processSecret, environmentFile].some((names) => names.test(path));
    if (!secret || publicKeyFile.test(path)) return undefined;
    return `Access denied: ${realPath} holds credentials. Ask the user for what you need from it, or use a program that reads it itself.`;
  }

  function denyWrite(realPath: string): string | undefined {
    const path = comparable(realPath);
    const kind = homeKind(path);
    if ((kind !== undefined && kind !== 'learned') || homes.includes(path)) {
      return `Write denied: ${realPath} belongs to Hermes' own settings, credentials or records. Only the user changes it, for example with \`hermes config\`; tell them what to change.`;
    }
    const device = path.startsWith('/dev/') && !writableDevice.test(path);
    if (device || isInside(path, credentials) || isInside(path, writeProtected)) {
      return `Write denied: ${realPath} is a protected credential, start-up or system file. Ask the user to make this change.`;
    }
    if (!isInside(path, system) && !systemFolder.test(path)) return undefined;
    return `Refusing to write to sensitive system path: ${realPath}. Ask the user to make this change.`;
  }

  function denyMove(realPath: string): string | undefined {
    const denied = denyWrite(realPath);
    if (denied !== undefined) return denied;
    const path = comparable(realPath);
    const within = [...homes, ...credentials, ...writeProtected, ...system, ...linked.map(({ real }) => real)].find(
      (guarded) => guarded.startsWith(path === '/' ? '/' : `${path}/`),
    );
    if (within === undefined) return undefined;
    return `Write denied: ${realPath} contains protected files. Move or remove the files you mean one by one.`;
  }

  function isLearned(realPath: string): boolean {
    const path = comparable(realPath);
    return homeKind(path) === 'learned' || isProjectRules(path);
  }

  return { denyRead, denyWrite, denyMove, isLearned };
}

/** Lower case, composed letters, `/` between parts, nothing that Windows ignores at the end of a name. */
function comparable(path: string): string {
  const slashed = process.platform === 'win32' ? path.replaceAll('\\', '/').replace(/(?:::\$data|[. ]+)$/i, '') : path;
  const normal = posix.normalize(slashed.normalize('NFC').toLowerCase());
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

function isInside(path: string, guarded: readonly string[]): boolean {
  return guarded.some((entry) => path === entry || path.startsWith(`${entry}/`));
}

/** The path inside the home it belongs to; a profile's home counts as a home of its own. */
function pathInHome(path: string, homes: readonly string[]): string | undefined {
  const home = homes
    .filter((entry) => path.startsWith(`${entry}/`))
    .sort((left, right) => right.length - left.length)[0];
  if (home === undefined) return undefined;
  const inside = path.slice(home.length + 1);
  return inside.replace(/^profiles\/[^/]+\//, '');
}
