/** Copies files of a home while the program may be using them. */
import { copyFileSync, type Dirent, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, backup } from 'node:sqlite';

/** Files that SQLite keeps beside a database; a copy made by its backup API needs none of them. */
const JOURNAL = /\.db-(?:wal|shm|journal)$/;

/** A database in use is never copied as bytes: what is in its journal would be missing. */
async function copyLive(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  if (!from.endsWith('.db') || !(await copiedAsDatabase(from, to))) copyFileSync(from, to);
}

/** False for a file that is called `.db` and is no SQLite database. */
async function copiedAsDatabase(from: string, to: string): Promise<boolean> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
    await backup(database, to, { rate: 2000 });
    return true;
  } catch (error) {
    rmSync(to, { force: true });
    // 26 is SQLITE_NOTADB (https://www.sqlite.org/rescode.html).
    if (typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === 26) return false;
    throw error;
  } finally {
    database?.close();
  }
}

/** True for what is kept of a path: it is given the path from the root, with `/`, and what is there. */
export type Keep = (path: string, entry: Dirent) => boolean;

export interface Found {
  /** From the root, with `/`. */
  readonly files: string[];
  readonly directories: string[];
}

/** Every file and folder below `root` that `keep` takes; symbolic links and journals of databases are never taken. */
function findFiles(root: string, keep: Keep): Found {
  const found: Found = { files: [], directories: [] };
  const walk = (directory: string): void => {
    const entries = readdirSync(join(root, directory), { withFileTypes: true });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (!keep(path, entry)) continue;
      if (entry.isDirectory()) {
        found.directories.push(path);
        walk(path);
      } else if (entry.isFile() && !JOURNAL.test(basename(path))) found.files.push(path);
    }
  };
  if (lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true) walk('');
  return found;
}

/** Copies what `keep` takes into another folder. */
export async function copyTree(from: string, to: string, keep: Keep): Promise<void> {
  const { files, directories } = findFiles(from, keep);
  mkdirSync(to, { recursive: true });
  for (const directory of directories) mkdirSync(join(to, directory), { recursive: true });
  for (const file of files) await copyLive(join(from, file), join(to, file));
}
