/** Files of this machine. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lstat, open, readdir, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { AsChecked, FileStat, FileSystem } from '../environment.ts';
import { inFolder, replaced } from './held-folder.ts';

/**
 * @param currentDirectory what relative paths start from, asked at each call
 * @param home what `~` stands for
 */
export function createLocalFiles(currentDirectory: () => string, home: string): FileSystem {
  return {
    resolve: (path) => resolve(currentDirectory(), expandTilde(path, home)),
    realPath: realPathOfAny,
    stat: statOrNothing,
    read: (path, signal) => readFile(path, signal === undefined ? {} : { signal }),
    write: writeAtomically,
    list: (directory) => readdir(directory),
    remove: removeInPlace,
    rename: renameInPlace,
  };
}

/** `~` and `~user`, the latter from the account list; an unknown user's path stays as it is, like in a shell. */
function expandTilde(path: string, home: string): string {
  const [, user, rest] = /^~([A-Za-z0-9._-]*)(\/.*)?$/s.exec(path) ?? [];
  if (user === undefined) return path;
  const base = user === '' ? home : homeOfUser(user);
  return base === undefined ? path : `${base}${rest ?? ''}`;
}

function homeOfUser(user: string): string | undefined {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    return lines.find((line) => line.startsWith(`${user}:`))?.split(':')[5];
  } catch {
    // Without an account list there is no such user, and the path stays as it is.
    return undefined;
  }
}

const maxLinks = 40;

/** Follows links as far as the path exists, also one whose target is missing, and keeps the rest as it is. */
async function realPathOfAny(path: string): Promise<string> {
  let current = resolve(path);
  let rest = '';
  for (let links = 0; links < maxLinks; ) {
    try {
      return join(await realpath(current), rest);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    }
    // What is no link, or not there, is followed no further.
    const target = await readlink(current).catch(() => undefined);
    if (target !== undefined) {
      const parent = await realPathOfAny(dirname(current));
      current = resolve(parent, target);
      links++;
      continue;
    }
    rest = join(basename(current), rest);
    current = dirname(current);
  }
  throw Object.assign(new Error(`Too many symbolic links: ${path}`), { code: 'ELOOP' });
}

async function statOrNothing(path: string): Promise<FileStat | undefined> {
  try {
    const found = await stat(path);
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
    return { kind, size: found.size, modifiedMs: found.mtimeMs, changedMs: found.ctimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** A reader sees the old file or the new one; after a crash either is whole. */
async function writeAtomically(
  path: string,
  data: Uint8Array,
  { asChecked = false }: AsChecked = {},
): Promise<{ readonly createdDirectories: readonly string[] }> {
  const target = await realPathOfAny(path);
  if (asChecked && target !== resolve(path)) throw replaced(path);
  const directory = dirname(target);
  const createdDirectories = makeDirectories(directory);
  await inFolder(directory, (held) => writeIn(held, target, data));
  await syncDirectory(directory);
  return { createdDirectories };
}

/** `held`: the folder of the target, whatever stands at its path by now. */
async function writeIn(held: string, target: string, data: Uint8Array): Promise<void> {
  const name = basename(target);
  // What keeps us from looking will keep us from writing, and then says why.
  const existing = await lstat(join(held, name)).catch(() => undefined);
  if (existing !== undefined && !existing.isFile()) {
    if (existing.isSymbolicLink()) throw replaced(target);
    const code = existing.isDirectory() ? 'EISDIR' : 'EINVAL';
    throw Object.assign(new Error(`${code}: not a regular file, write '${target}'`), { code });
  }
  const temporary = join(held, `.${name.slice(0, 200)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = await open(temporary, 'wx', existing === undefined ? 0o666 : existing.mode & 0o777);
    try {
      await file.writeFile(data);
      // Our umask may have narrowed the mode, and its owner may be somebody else (we run as root).
      if (existing !== undefined) {
        // Only root may give files away; anybody else can only write where the new file is theirs anyhow.
        await file.chown(existing.uid, existing.gid).catch(() => undefined);
        await file.chmod(existing.mode & 0o7777);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(held, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function removeInPlace(path: string, options: AsChecked = {}): Promise<void> {
  await inFolder(await folderOf(path, options), (held) => rm(join(held, basename(path)), { recursive: true }));
}

async function renameInPlace(from: string, to: string, options: AsChecked = {}): Promise<void> {
  const [source, target] = [await folderOf(from, options), await folderOf(to, options)];
  await inFolder(source, (out) =>
    inFolder(target, (into) => rename(join(out, basename(from)), join(into, basename(to)))),
  );
}

async function folderOf(path: string, { asChecked = false }: AsChecked): Promise<string> {
  return asChecked ? dirname(path) : await realpath(dirname(path));
}

async function syncDirectory(directory: string): Promise<void> {
  // Some file systems cannot sync or open a directory; the rename itself has happened.
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
