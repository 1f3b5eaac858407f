/** Whether a directory is a place where code is worked on, and where its root is. Looks at names only, never at content. */
import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface Workspace {
  /** The directory that holds the marker, else the root of the git tree. Absolute. */
  readonly root: string;
  /** The root of the git tree that it lies in; absent outside of one. */
  readonly gitRoot?: string;
}

export const contextFiles = ['AGENTS.md', 'CLAUDE.md', '.cursorrules'] as const;

export const manifests = [
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'requirements.txt',
  'package.json',
  'tsconfig.json',
  'deno.json',
  'Cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'Gemfile',
  'composer.json',
  'mix.exs',
  'pubspec.yaml',
  'CMakeLists.txt',
  'Makefile',
  'Dockerfile',
] as const;

const markers = new Set<string>([...manifests, ...contextFiles]);
const parents = 6;
const maxEntries = 500;
const skipped = new Set([
  '.git',
  'node_modules',
  'venv',
  '.venv',
  '__pycache__',
  'dist',
  'build',
  'target',
  '.next',
  '.turbo',
  'vendor',
]);
const sourceFile =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|scala|swift|c|h|cc|cpp|hpp|cs|php|ex|exs|erl|hs|ml|clj|dart|lua|jl|pl|sh|sql|vue|svelte|zig|nim|r|m|mm)$/i;

/** The nearest directory upward that reads like code; undefined where nothing does. `userHome` itself never counts. */
export function findWorkspace(directory: string, userHome: string): Workspace | undefined {
  const never = new Set([userHome, tmpdir()].flatMap((path) => [resolve(path), realPathOrSame(path)]));
  let marked: string | undefined;
  let gitRoot: string | undefined;
  let at = resolve(directory);
  for (let level = 0; ; level += 1) {
    const names = never.has(at) ? [] : namesIn(at).map(({ name }) => name);
    if (level <= parents && marked === undefined && names.some((name) => markers.has(name))) marked = at;
    if (names.includes('.git')) gitRoot = at;
    const parent = dirname(at);
    if (gitRoot !== undefined || parent === at || (level >= parents && marked === undefined && level > 30)) break;
    at = parent;
  }
  const inGit = gitRoot === undefined ? {} : { gitRoot };
  if (marked !== undefined) return { root: marked, ...inGit };
  return gitRoot !== undefined && holdsSource(gitRoot) ? { root: gitRoot, gitRoot } : undefined;
}

/** In the first two levels. */
function holdsSource(root: string): boolean {
  let left = maxEntries;
  const folders: string[] = [];
  const look = (directory: string): boolean => {
    for (const entry of namesIn(directory)) {
      left -= 1;
      if (left < 0) return false;
      if (entry.isFile() && sourceFile.test(entry.name)) return true;
      if (entry.isDirectory() && directory === root && !skipped.has(entry.name)) folders.push(entry.name);
    }
    return false;
  };
  return look(root) || folders.some((name) => left > 0 && look(join(root, name)));
}

function namesIn(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // What cannot be read says nothing about itself.
    return [];
  }
}

function realPathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What does not exist has no other place.
    return path;
  }
}
