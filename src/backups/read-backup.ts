/** Reads a backup: everything is checked and unpacked beside the home before a file of it is touched. */
import { createWriteStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Entry, ZipFile } from 'yauzl';
import { errorMessage, UserError } from '../lib/errors.ts';
import { copyLive, putLive } from './copy-files.ts';

const MARKERS = new Set(['config.yaml', '.env', 'state.db']);
/** What says that something runs belongs to the machine and the moment of the backup. */
const NEVER_WRITTEN = new Set(['gateway_state.json', 'gateway.pid', 'cron.pid', 'gateway.lock', 'processes.json']);
const MOST_ENTRIES = 1_000_000;
const MOST_BYTES = 256 * 1024 ** 3;
const KEPT_ON_IMPORT = 3;
const KEPT_PREFIX = 'before-import-';

export interface BackupContents {
  readonly file: string;
  /** What stands before every path, with its slash. */
  readonly prefix: string;
  /** Paths in the home. */
  readonly paths: readonly string[];
  /** Paths that are not written. */
  readonly skipped: readonly string[];
}

/** Looks at every entry. Throws `UserError` for what is no backup of a home, or has a way out of it. */
export async function inspectBackup(file: string): Promise<BackupContents> {
  const names: string[] = [];
  let bytes = 0;
  await eachEntry(file, (entry) => {
    const mode = entry.externalFileAttributes >>> 16;
    if ((mode & 0o170000) === 0o120000) throw new UserError(`'${entry.fileName}' is a link.`);
    names.push(entry.fileName);
    bytes += entry.uncompressedSize;
    if (names.length > MOST_ENTRIES || bytes > MOST_BYTES) throw new UserError('It is too large.');
  });
  const files = names.filter((name) => !name.endsWith('/'));
  const prefix = prefixOf(files);
  if (prefix === undefined) {
    throw new UserError(`${file} is no backup of a home: there is no config.yaml, .env or state.db in it.`);
  }
  const paths = files.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const isSkipped = (path: string): boolean =>
    NEVER_WRITTEN.has(basename(path)) || /^_external\/|\.db-(?:wal|shm|journal)$/.test(path);
  return { file, prefix, paths: paths.filter((path) => !isSkipped(path)), skipped: paths.filter(isSkipped) };
}

/**
 * Writes the files into the home and returns the folder with those that were there before. A failure half-way puts them
 * back; databases that other programs have open are replaced in one transaction each.
 */
export async function restoreBackup(
  contents: BackupContents,
  root: string,
  now = new Date(),
): Promise<string | undefined> {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const stage = join(root, `.import-${process.pid}`);
  const kept = join(root, 'backups', `${KEPT_PREFIX}${now.toISOString().replace(/[:.]/g, '-')}`);
  const wanted = new Set(contents.paths);
  const done: string[] = [];
  try {
    await eachEntry(contents.file, async (entry, zip) => {
      const path = entry.fileName.slice(contents.prefix.length);
      if (!entry.fileName.startsWith(contents.prefix) || !wanted.has(path)) return;
      const target = join(stage, path);
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      const mode = ((entry.externalFileAttributes >>> 16) & 0o100) === 0 ? 0o600 : 0o700;
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target, { mode }));
    });
    for (const path of wanted) {
      if (existsSync(join(root, path))) await copyLive(join(root, path), join(kept, path));
    }
    for (const path of wanted) {
      done.push(path);
      await putLive(join(stage, path), join(root, path));
    }
  } catch (error) {
    for (const path of done) {
      if (existsSync(join(kept, path))) await putLive(join(kept, path), join(root, path));
      else rmSync(join(root, path), { force: true });
    }
    if (error instanceof UserError) throw error;
    throw new UserError(`The import failed, and the home is as it was: ${errorMessage(error)}`, { cause: error });
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  dropOldest(join(root, 'backups'));
  return existsSync(kept) ? kept : undefined;
}

/** A backup of the folder itself has everything one level down. */
function prefixOf(files: readonly string[]): string | undefined {
  if (files.some((name) => MARKERS.has(name))) return '';
  const marked = files.find((name) => name.split('/').length === 2 && MARKERS.has(basename(name)));
  return marked?.slice(0, marked.indexOf('/') + 1);
}

/** yauzl itself refuses absolute names and `..`. */
async function eachEntry(file: string, visit: (entry: Entry, zip: ZipFile) => Promise<void> | void): Promise<void> {
  const { openPromise } = await import('yauzl');
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(file);
    for await (const entry of zip.eachEntry()) await visit(entry, zip);
  } catch (error) {
    throw new UserError(`${file} is not imported: ${errorMessage(error)}`, { cause: error });
  } finally {
    zip?.close();
  }
}

function dropOldest(folder: string): void {
  if (!existsSync(folder)) return;
  const kept = readdirSync(folder).filter((name) => name.startsWith(KEPT_PREFIX));
  for (const name of kept.toSorted().slice(0, -KEPT_ON_IMPORT))
    rmSync(join(folder, name), { recursive: true, force: true });
}
