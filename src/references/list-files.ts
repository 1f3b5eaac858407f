/** Lists what lies below a folder, as references and pickers of them see it. */
import { join, relative, sep } from 'node:path';
import type { Environment, FileSystem } from '../environments/environment.ts';

export interface Listing {
  readonly files: FileSystem;
  readonly programs: Pick<Environment, 'runProgram' | 'findProgram'>;
  /** Absolute. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** Characters of the whole list; what is beyond is left out. */
  readonly maxChars: number;
  /** Files of a walk, where there is no ripgrep. */
  readonly maxWalked: number;
  readonly signal: AbortSignal;
}

export interface Entry {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly folder: boolean;
}

const maxDepth = 20;

/**
 * Paths relative to the folder, with `/`, sorted by path. Hidden entries are left out, and with ripgrep what git ignores
 * too. Rejects when `signal` aborts.
 */
export async function listFiles(listing: Listing): Promise<string[]> {
  return (await listed(listing)) ?? (await walked(listing));
}

/** Each folder before what lies in it. */
export function withFolders(paths: readonly string[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      entries.set(folder, entries.get(folder) ?? { path: folder, folder: true });
    }
    entries.set(path, { path, folder: false });
  }
  return [...entries.values()];
}

/** The files as ripgrep lists them, or `undefined` where it cannot. */
async function listed({ programs, folder, timeoutMs, maxChars, signal }: Listing): Promise<string[] | undefined> {
  const program = await programs.findProgram('rg');
  if (program === undefined) return undefined;
  const { output, exitCode, truncated } = await programs.runProgram(
    [program, '--no-config', '--files', '--sort', 'path', '.'],
    { cwd: folder, timeoutMs, signal, maxOutput: maxChars },
  );
  signal.throwIfAborted();
  // 1 = nothing found, 2 = something could not be read; the rest of the list is good.
  if (exitCode > 2) return undefined;
  const lines = output.split('\n').filter((line) => line !== '');
  return (truncated ? lines.slice(0, -1) : lines).map((line) => line.replace(/^\.[/\\]/, '').replaceAll('\\', '/'));
}

/** Links are named and not followed. */
async function walked({ files, folder, timeoutMs, maxWalked, signal }: Listing): Promise<string[]> {
  const end = Date.now() + timeoutMs;
  const found: string[] = [];
  const visit = async (directory: string, depth: number): Promise<void> => {
    // A folder or an entry that cannot be looked at is listed by its name alone.
    const names = await files.list(directory).catch(() => []);
    for (const name of [...names].sort()) {
      if (found.length > maxWalked || Date.now() > end) return;
      signal.throwIfAborted();
      if (name.startsWith('.')) continue;
      const path = join(directory, name);
      if (depth < maxDepth && (await isOwnFolder(path, files))) await visit(path, depth + 1);
      else found.push(relative(folder, path).replaceAll(sep, '/'));
    }
  };
  await visit(folder, 0);
  return found;
}

async function isOwnFolder(path: string, files: FileSystem): Promise<boolean> {
  // What cannot be looked at is no folder to walk into.
  const direct = (await files.realPath(path).catch(() => '')) === path;
  return direct && (await files.stat(path).catch(() => undefined))?.kind === 'directory';
}
