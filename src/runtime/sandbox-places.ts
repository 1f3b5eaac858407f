/** What confined commands of a session see and change: computed from the homes, the workspace and the lists in `safety/`. */
import { mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isWithin, type SandboxPlaces } from '../environments/local/sandbox/places.ts';
import { repositoryFiles } from '../environments/local/sandbox/repositories.ts';
import { projectRuleFiles, projectRuleFolders } from '../safety/lasting-files.ts';
import { privateInHome, privateOnMachine, startedByTools } from '../safety/private-places.ts';

export interface SandboxPlacesOptions {
  /** The active home and the folder that owns `profiles/`. */
  readonly homePath: string;
  readonly root: string;
  /** The person's own directory, and the `HOME` of commands where that is another. */
  readonly userHomes: readonly string[];
  /** Where the session works. */
  readonly cwd: string;
  /** `PATH` of commands. */
  readonly path: string;
}

/** Folders of the machine in which nothing may be written, also when a session works there. */
const systemFolders = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
  '/usr',
  '/var',
];
const workedOnInSystem = ['/var/www', '/var/tmp', '/usr/src', '/usr/local/src', '/run/media'];

/** Caches by the program that fills them: a missing folder is made where the program is there. */
const caches: readonly (readonly [string, readonly string[]])[] = [
  ['npm', ['.npm']],
  ['pip', ['.cache/pip']],
  ['pip3', ['.cache/pip']],
  ['uv', ['.cache/uv']],
  ['poetry', ['.cache/pypoetry']],
  ['go', ['.cache/go-build', 'go/pkg']],
  ['cargo', ['.cargo/registry', '.cargo/git']],
  ['corepack', ['.cache/node']],
  ['yarn', ['.cache/yarn', '.yarn/berry']],
  ['pnpm', ['.local/share/pnpm/store', '.cache/pnpm']],
  ['bun', ['.bun/install/cache']],
  ['deno', ['.cache/deno']],
  ['mvn', ['.m2/repository']],
  ['gradle', ['.gradle/caches', '.gradle/daemon', '.gradle/native', '.gradle/notifications']],
  ['dotnet', ['.nuget/packages']],
  ['composer', ['.cache/composer', '.composer/cache']],
];
/** Caches that are written where they are. */
const otherCaches =
  `.pnpm-store .gradle/wrapper .cabal/packages .ivy2/cache .pub-cache .hex .cache/ccache .cache/sccache .ccache
  .cache/huggingface .cache/torch .cache/matplotlib .cache/fontconfig .cache/node-gyp .cache/typescript .cache/turbo .cache/esbuild
  .cache/bazel .cache/zig .cache/mypy .cache/ruff .cache/black .cache/pytest .cache/bundle .cache/cypress-cache .cache/electron
  .cache/electron-builder .cache/prisma .cache/golangci-lint .cache/gopls .cache/rosetta .cache/coursier .cache/JetBrains
  Library/Caches/pip Library/Caches/go-build Library/Caches/Yarn Library/Caches/pnpm Library/Caches/uv Library/pnpm/store`
    .split(/\s+/)
    .filter((name) => name !== '');

/** Looks at the machine when it is first asked; the answer stays. */
export function createSandboxPlaces(options: SandboxPlacesOptions): () => SandboxPlaces {
  let places: SandboxPlaces | undefined;
  return () => {
    places ??= sandboxPlaces(options);
    return places;
  };
}

function sandboxPlaces(options: SandboxPlacesOptions): SandboxPlaces {
  const { userHomes, homePath, root } = options;
  const homes = [...new Set(userHomes.map(realOrSame))];
  const searched = options.path.split(delimiter).filter((folder) => isAbsolute(folder));
  const work = workspaceOf(realOrSame(options.cwd), homes);
  const made = homes.flatMap((home) => cacheFolders(home, searched));
  const repositories = work.writable.length === 0 ? [] : work.folders.slice(0, 1).map(repositoryFiles);
  const agentHomes = [homePath, root, ...homes.map((home) => join(home, '.hermes'))];
  return {
    writable: [
      ...work.writable,
      ...repositories.flatMap(({ written }) => written),
      '/tmp',
      '/var/tmp',
      tmpdir(),
      ...made,
    ],
    readOnly: [
      // A home may lie in a folder that is written, such as that for temporary files.
      ...homes,
      ...searched,
      ...repositories.flatMap(({ kept }) => kept),
      ...work.folders.flatMap((folder) => startedByTools.map((name) => join(folder, name))),
      ...['bin', 'dist', 'src', 'node_modules', 'package.json'].map((name) => join(programFolder(), name)),
    ],
    rules: work.folders.flatMap((folder) =>
      [...projectRuleFiles, ...projectRuleFolders].map((name) => join(folder, name)),
    ),
    hidden: [
      ...agentHomes,
      ...homes.flatMap((home) => privateInHome.map((name) => join(home, name))),
      ...privateOnMachine,
    ],
    // Skills bring scripts of their own, and a profile may have a home for commands.
    shown: [
      ...agentHomes.map((home) => join(home, 'skills')),
      join(homePath, 'home'),
      programFolder(),
      dirname(process.execPath),
    ],
  };
}

interface Workspace {
  readonly writable: readonly string[];
  /** Where its rule and start files lie. */
  readonly folders: readonly string[];
}

/**
 * The repository around a folder, else the folder. A person's own directory is full of files that programs start with, so
 * there only the folders in it can be written, and nothing that begins with a dot. What lies above it, or belongs to the
 * system, cannot be written at all.
 */
function workspaceOf(cwd: string, homes: readonly string[]): Workspace {
  const isAbove = (folder: string): boolean => homes.some((home) => isWithin(home, folder));
  const repository = repositoryAround(cwd, isAbove);
  const folder = repository ?? cwd;
  if (homes.includes(folder)) return { writable: plainFolders(folder), folders: [] };
  // Some have their home there: /var/lib/jenkins, /var/home/ann.
  const isInHome = homes.some((home) => home !== '/' && isWithin(folder, home));
  const isSystem =
    !isInHome &&
    systemFolders.some((system) => isWithin(folder, system)) &&
    !workedOnInSystem.some((allowed) => isWithin(folder, allowed));
  if (isAbove(folder) || folder === '/' || isSystem) return { writable: [], folders: [] };
  return { writable: [folder], folders: [...new Set([folder, cwd])] };
}

function repositoryAround(cwd: string, isAbove: (folder: string) => boolean): string | undefined {
  for (let folder = cwd; !isAbove(folder) && folder !== '/'; folder = dirname(folder)) {
    if (isThere(join(folder, '.git'))) return folder;
  }
  return undefined;
}

function plainFolders(home: string): readonly string[] {
  try {
    return readdirSync(home, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(?:\.|(?:bin|Library|Applications|snap)$)/.test(entry.name))
      .map((entry) => join(home, entry.name));
  } catch {
    // A home that cannot be read has nothing to write in either.
    return [];
  }
}

function cacheFolders(home: string, searched: readonly string[]): readonly string[] {
  for (const [program, folders] of caches) {
    if (!searched.some((folder) => isThere(join(folder, program)))) continue;
    for (const folder of folders) makeFolder(join(home, folder), home);
  }
  return [...caches.flatMap(([, folders]) => folders), ...otherCaches].map((folder) => join(home, folder));
}

function makeFolder(path: string, home: string): void {
  if (!isThere(home) || isThere(path)) return;
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // A home that cannot be written: then the program runs without its cache, as it does outside.
  }
}

/** Where this program lies, from its sources or from a bundle. */
function programFolder(): string {
  let folder = import.meta.dirname;
  while (folder !== '/' && !isThere(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Not for us to see.
    return false;
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
