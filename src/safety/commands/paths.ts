/** Paths that commands name: where they lead, and what is kept there. */
import { posix } from 'node:path';
import { type HomeFileKind, homeFileKind } from '../home-files.ts';
import { isProjectRules } from '../lasting-files.ts';
import { UNKNOWN } from './fields.ts';

/** The directories that a judgement needs to know, absolute. */
export interface CommandPaths {
  /** The user's own directory. */
  readonly userHome: string;
  /** The active home of the agent. */
  readonly homePath: string;
  /** The directory that owns `profiles/`. */
  readonly root: string;
  /** Where the command starts, when that is known. */
  readonly cwd?: string;
  /** The folder of the work, which commands may change; real. Without it nothing is told about writes outside of it. */
  readonly workspace?: string;
  /** Where the agent's own program lies, real. */
  readonly program?: string;
  /** Folders in which programs are looked for (`PATH`), absolute. */
  readonly searched?: readonly string[];
  /**
   * False for a folder in whose repository confined commands may have set up what git runs: hooks, programs for a transport.
   * Default: no such folder is known.
   */
  readonly isTrustedRepository?: (folder: string) => boolean;
  /** Follows symbolic links as far as the path exists. Default: paths are taken as they are. */
  readonly follow?: (path: string) => string;
}

/** The absolute path without `.` and `..`; `undefined` when it depends on something unknown. */
export function resolvePath(text: string, cwd: string | undefined): string | undefined {
  if (!text.startsWith('/') && cwd === undefined) return undefined;
  const normal = posix
    .normalize(text.startsWith('/') ? text : `${cwd}/${text}`)
    .replace(/^\/proc\/[^/]+\/root(?=\/|$)/, '');
  const trimmed = normal.replace(/^\/{2,}/, '/').replace(/(?<=.)\/+$/, '');
  return trimmed === '' ? '/' : trimmed;
}

/** True for `/` and for patterns that match everything right below it. */
export function isWholeSystem(path: string): boolean {
  if (path === '/') return true;
  return path
    .slice(1)
    .split('/')
    .every((part) => /[*?]/.test(part) && part.replaceAll(/\[[^\]]*\]/g, '').replaceAll(/[*?.!@+()|]/g, '') === '');
}

/** Raw disks and their parts; not `/dev/null` and its like. */
const blockDevice =
  /^\/dev\/(?:[shv]d[a-z]+\d*|xvd[a-z]+\d*|nvme\d+(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+)?|r?disk\d+(?:s\d+)*|dm-\d+|md\d+|nbd\d+|pmem\d+|disk\/.+|mapper\/(?!control).+)$/;

export function isBlockDevice(path: string): boolean {
  return blockDevice.test(path);
}

const systemDirectory =
  /^\/(?:etc|boot|usr|bin|sbin|lib|lib32|lib64|sys|proc|root|var\/spool\/cron|system|library\/launch)(?:\/|$)/i;
const userCredential =
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.azure)(?:\/|$)|\/(?:\.netrc|\.pgpass|\.git-credentials|\.npmrc|\.pypirc|\.modal\.toml)$|^\/etc\/g?shadow-?$/;
const startupFile =
  /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|zlogin)$|\/\.config\/(?:fish\/config\.fish|systemd\/user\/|autostart\/)|\/library\/launchagents\//;

/** The superuser's home lies among the folders of the system, and a workspace may: they are a home and work all the same. */
export function isSystemPath(path: string, { userHome, workspace }: CommandPaths): boolean {
  const isInside = (folder: string | undefined): boolean =>
    folder !== undefined && folder !== '/' && path.toLowerCase().startsWith(`${folder.toLowerCase()}/`);
  return systemDirectory.test(path) && !isInside(userHome) && !isInside(workspace);
}

export type PathKind = HomeFileKind | 'home' | 'user credential' | 'start-up file' | 'system' | undefined;

/**
 * What a path means to a command that reads or writes there. `text` is a field, `cwd` the directory it is relative to. A
 * link means what it leads to.
 */
export function pathKind(text: string, cwd: string | undefined, paths: CommandPaths): PathKind {
  const path = resolvePath(text, cwd);
  const kind = kindOf(path ?? text, paths);
  if (kind !== undefined || path === undefined || paths.follow === undefined) return kind;
  const real = paths.follow(path);
  return real === path ? undefined : kindOf(real, paths);
}

function kindOf(given: string, paths: CommandPaths): PathKind {
  const path = given.toLowerCase();
  const own = ownPathKind(path, paths);
  if (own !== undefined) return own;
  if (userCredential.test(path)) return 'user credential';
  if (startupFile.test(path)) return 'start-up file';
  if (isProjectRules(path)) return 'learned';
  return isSystemPath(path, paths) ? 'system' : undefined;
}

/** `home` for the agent's home itself, a directory that holds it, or a pattern that reaches into it. */
function ownPathKind(path: string, paths: CommandPaths): HomeFileKind | 'home' | undefined {
  const homes = [paths.homePath, paths.root, `${paths.userHome}/.hermes`].map((home) => home.toLowerCase());
  // With an unknown directory in front, the name of the home still tells.
  const inside =
    homes.map((home) => insideOf(path, home)).find((rest) => rest !== undefined) ??
    /(?:^|\/)\.hermes(?:$|\/(.*))/s.exec(path)?.[1] ??
    (/(?:^|\/)\.hermes\/?$/.test(path) ? '' : undefined);
  if (inside === undefined) return undefined;
  const rest = inside.replace(/^profiles\/[^/]+(?:\/|$)/, '');
  if (rest === '' || rest === '.') return 'home';
  const first = rest.split('/')[0] ?? '';
  if (/[*?[{]/.test(first) || first.includes(UNKNOWN)) return 'home';
  return homeFileKind(rest);
}

function insideOf(path: string, home: string): string | undefined {
  if (path === home) return '';
  return path.startsWith(`${home}/`) ? path.slice(home.length + 1) : undefined;
}

/** True when the agent's home lies below the path, so that removing the path removes the home. */
export function holdsHome(text: string, cwd: string | undefined, paths: CommandPaths): boolean {
  const path = resolvePath(text, cwd)?.replace(/\/[*?.]+$/, '');
  if (path === undefined) return false;
  const prefix = path === '' || path === '/' ? '/' : `${path}/`;
  return [paths.homePath, paths.root].some((home) => home.toLowerCase().startsWith(prefix.toLowerCase()));
}
