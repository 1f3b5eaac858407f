/** Copies files of a home while the program may be using them. */
import { copyFileSync, type Dirent, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync, backup } from 'node:sqlite';

/** Files that SQLite keeps beside a database; a copy made by its backup API needs none of them. */
const JOURNAL = /\.db-(?:wal|shm|journal)$/;

/** A database in use is never copied as bytes: what is in its journal would be missing. */
export async function copyLive(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  if (!from.endsWith('.db') || !(await copiedAsDatabase(from, to))) copyFileSync(from, to);
}

/** False for a file that is called `.db` and is no SQLite database. */
async function copiedAsDatabase(from: string, to: string, { keepOnFailure = false } = {}): Promise<boolean> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
    await backup(database, to, { rate: 2000 });
    return true;
  } catch (error) {
    if (!keepOnFailure) rmSync(to, { force: true });
    // 26 is SQLITE_NOTADB (https://www.sqlite.org/rescode.html).
    if (typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === 26) return false;
    throw error;
  } finally {
    database?.close();
  }
}

/** True for what is kept of a path: it is given the path from the root, with `/`, and what is there. */
export type Keep = (path: string, entry: Dirent) => boolean;

export interface FindOptions {
  /** True to take what a link to a file leads to; only for folders that the user filled. */
  readonly linked?: boolean;
}

export interface Found {
  /** From the root, with `/`. */
  readonly files: string[];
  readonly directories: string[];
}

/** Every file and folder below `root` that `keep` takes; links to folders and journals of databases are never taken. */
export function findFiles(root: string, keep: Keep, { linked = false }: FindOptions = {}): Found {
  const found: Found = { files: [], directories: [] };
  const walk = (directory: string): void => {
    const entries = readdirSync(join(root, directory), { withFileTypes: true });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (!keep(path, entry)) continue;
      if (entry.isDirectory()) {
        found.directories.push(path);
        walk(path);
      } else if (isFile(entry, linked) && !JOURNAL.test(basename(path))) found.files.push(path);
    }
  };
  if (lstatSync(root, { throwIfNoEntry: false })?.isDirectory() === true) walk('');
  return found;
}

function isFile(entry: Dirent, linked: boolean): boolean {
  if (!linked || !entry.isSymbolicLink()) return entry.isFile();
  return statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Copies what `keep` takes into another folder. */
export async function copyTree(from: string, to: string, keep: Keep, options: FindOptions = {}): Promise<void> {
  const { files, directories } = findFiles(from, keep, options);
  mkdirSync(to, { recursive: true });
  for (const directory of directories) mkdirSync(join(to, directory), { recursive: true });
  for (const file of files) await copyLive(join(from, file), join(to, file));
}

/**
 * Puts a file in the place of another. A database that is there gets its new content through SQLite, in one transaction,
 * so that other programs that have it open go on with it and a kill leaves the old one.
 */
export async function putLive(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  const inPlace = to.endsWith('.db') && (statSync(to, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (inPlace && (await copiedAsDatabase(from, to, { keepOnFailure: true }))) return;
  const draft = join(dirname(to), `.${basename(to)}.${process.pid}.tmp`);
  try {
    copyFileSync(from, draft);
    renameSync(draft, to);
  } finally {
    rmSync(draft, { force: true });
  }
}
