/** What git runs or reads as settings in the repositories of a folder: kept from confined commands, since git also runs outside. */
import { type Dirent, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWithin, type SandboxPlaces } from './places.ts';

export interface RepositoryFiles {
  /** Settings, hooks, and the files that say where those are. */
  readonly kept: readonly string[];
  /** Of a linked working tree: where its repository lies, which commits need to write. */
  readonly written: readonly string[];
}

const maxFolders = 3000;
const maxDepth = 6;
const passedOver = new Set([
  'node_modules',
  '.venv',
  'venv',
  'target',
  'dist',
  'build',
  '__pycache__',
  '.cache',
  '.tox',
]);
const maxFileBytes = 256 * 1024;

/** Looks through the folder, within bounds. A missing folder of hooks is made, because it could otherwise be planted. */
export function repositoryFiles(workspace: string): RepositoryFiles {
  const kept: string[] = [];
  const written: string[] = [];
  for (const folder of foldersBelow(workspace)) {
    const git = join(folder, '.git');
    const kind = kindOf(git);
    if (kind === 'directory') kept.push(...keptOf(git, folder));
    if (kind !== 'file') continue;
    kept.push(git);
    const common = folder === workspace ? commonFolder(git) : undefined;
    if (common === undefined) continue;
    written.push(common);
    kept.push(...keptOf(common, folder));
  }
  if (isGitFolder(workspace)) kept.push(...keptOf(workspace, workspace));
  return { kept, written };
}

/**
 * True where the repository around a folder is one that confined commands cannot change, or there is none that they could
 * have made.
 */
export function isKept(folder: string, { writable, readOnly }: Pick<SandboxPlaces, 'writable' | 'readOnly'>): boolean {
  const kept = new Set(readOnly);
  const isSafe = (path: string): boolean => kept.has(path) || !writable.some((place) => isWithin(path, place));
  const isSafeGit = (git: string): boolean =>
    isSafe(join(git, 'config')) &&
    isSafe(join(git, 'hooks')) &&
    (isSafe(git) || kindOf(join(git, 'commondir')) === undefined);
  for (let at = realOrSame(folder); ; at = dirname(at)) {
    const git = join(at, '.git');
    const kind = kindOf(git);
    if (kind === 'directory') return isSafeGit(git);
    if (kind === 'file') return isSafe(git) && isSafeGit(commonFolder(git) ?? git);
    if (isGitFolder(at)) return isSafeGit(at);
    if (at === dirname(at)) return true;
  }
}

function keptOf(git: string, root: string): readonly string[] {
  const config = join(git, 'config');
  const hooks = join(git, 'hooks');
  makeFolder(hooks);
  return [
    git,
    config,
    hooks,
    join(git, 'config.worktree'),
    join(git, 'commondir'),
    ...namedIn(config, root),
    ...childrenOf(join(git, 'worktrees')).flatMap((tree) =>
      ['commondir', 'gitdir', 'config.worktree'].map((name) => join(tree, name)),
    ),
    ...moduleFolders(join(git, 'modules')).flatMap((module) => ['config', 'hooks'].map((name) => join(module, name))),
  ].filter((path) => path !== git);
}

/** Hooks elsewhere and included files, as a configuration names them. */
function namedIn(config: string, root: string): readonly string[] {
  const text = readSmall(config);
  return [...text.matchAll(/^\s*(?:hooksPath|path|excludesFile|attributesFile)\s*=\s*"?([^"\n#;]+)/gim)]
    .map(([, value = '']) => value.trim())
    .filter((value) => value !== '' && !value.startsWith('~'))
    .flatMap((value) => [resolve(root, value), resolve(dirname(config), value)]);
}

function foldersBelow(workspace: string): readonly string[] {
  const found = [{ path: workspace, depth: 0 }];
  for (let at = 0; at < found.length && found.length < maxFolders; at += 1) {
    const folder = found[at];
    if (folder === undefined || folder.depth >= maxDepth) continue;
    for (const entry of entriesOf(folder.path)) {
      if (!entry.isDirectory() || entry.name === '.git' || passedOver.has(entry.name)) continue;
      found.push({ path: join(folder.path, entry.name), depth: folder.depth + 1 });
    }
  }
  return found.slice(0, maxFolders).map(({ path }) => path);
}

/** A working tree may name any folder as its repository; it is believed when that one names the working tree in turn. */
function commonFolder(gitFile: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readSmall(gitFile))?.[1];
  if (named === undefined) return undefined;
  const own = resolve(dirname(gitFile), named.trim());
  const back = readSmall(join(own, 'gitdir')).trim();
  const common = resolve(own, readSmall(join(own, 'commondir')).trim() || '.');
  const isListed = dirname(dirname(own)) === common && resolve(own, back) === gitFile;
  return isListed && isGitFolder(common) ? common : undefined;
}

function isGitFolder(folder: string): boolean {
  return (
    ['HEAD', 'config'].every((name) => kindOf(join(folder, name)) === 'file') &&
    kindOf(join(folder, 'objects')) === 'directory'
  );
}

/** Modules may lie in folders of their own. */
function moduleFolders(folder: string, depth = 0): readonly string[] {
  if (depth > 4) return [];
  return childrenOf(folder).flatMap((child) =>
    isGitFolder(child) ? [child, ...moduleFolders(join(child, 'modules'), depth + 1)] : moduleFolders(child, depth + 1),
  );
}

function childrenOf(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .slice(0, maxFolders)
    .map((entry) => join(folder, entry.name));
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not there, or not ours to read.
    return [];
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What does not exist has no other name.
    return path;
  }
}

function kindOf(path: string): 'file' | 'directory' | undefined {
  try {
    const found = statSync(path);
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : undefined;
  } catch {
    // Nothing there, which is an answer.
    return undefined;
  }
}

function readSmall(path: string): string {
  try {
    return statSync(path).size > maxFileBytes ? '' : readFileSync(path, 'utf8');
  } catch {
    // Not there: it names nothing.
    return '';
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch {
    // It is there already, or the repository cannot be written, which keeps it as well.
  }
}
