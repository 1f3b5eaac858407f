/** The folder of a session with the git branch and the repository around it, read without starting git. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import type { Workspace } from '../sessions/sessions.ts';

/** Folders above one, at most. */
const MAX_DEPTH = 64;

/** Never throws: what cannot be read is left out. See gitrepository-layout(5) for the files. */
export async function workspaceAt(cwd: string): Promise<Workspace> {
  const repository = await findRepository(cwd);
  if (repository === undefined) return { cwd };
  const head = await readSmall(join(repository.gitDir, 'HEAD'));
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1]?.trim();
  return { cwd, gitRepoRoot: repository.root, ...(branch === undefined ? {} : { gitBranch: branch }) };
}

async function findRepository(cwd: string): Promise<{ readonly root: string; readonly gitDir: string } | undefined> {
  let root = resolve(cwd);
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const path = join(root, '.git');
    const kind = await kindOf(path);
    if (kind === 'directory') return { root, gitDir: path };
    if (kind === 'file') {
      // Worktrees and submodules name their directory in a file.
      const named = /^gitdir: (.+)$/m.exec(await readSmall(path))?.[1];
      return named === undefined ? undefined : { root, gitDir: resolve(root, named.trim()) };
    }
    const parent = dirname(root);
    if (parent === root) return undefined;
    root = parent;
  }
  return undefined;
}

async function kindOf(path: string): Promise<'file' | 'directory' | undefined> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

async function readSmall(path: string): Promise<string> {
  if ((await kindOf(path)) !== 'file') return '';
  try {
    return (await readFile(path, 'utf8')).slice(0, 4096);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  }
}
