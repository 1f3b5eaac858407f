/** Packs a folder into a gzipped tar file and unpacks one, bounded, without ever writing outside the target. */
import { closeSync, fsyncSync, openSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage, UserError } from '../lib/errors.ts';
import { readRelativePath, realPathInside } from '../skills/skill-paths.ts';

/** More is not a collection of documents any more. */
const maxBytes = 256 * 1024 * 1024;
const maxEntries = 50_000;
const maxDepth = 33;

/**
 * Writes everything below `folder` but the top-level names in `without` to `file`. Links are kept as links. Throws
 * `UserError` when it is too much.
 */
export async function packFolder(folder: string, without: ReadonlySet<string>, file: string): Promise<void> {
  // Loaded when a snapshot is taken: most starts of the program take none.
  const { create } = await import('tar');
  const room = new Room();
  const top = new Set([...without].map((name) => `./${name}`));
  await create(
    {
      file,
      cwd: folder,
      gzip: true,
      mode: 0o600,
      // With several at a time tar 7.5.23 ends an archive twice, when a file with many names comes last: that throws where
      // nobody can catch it.
      jobs: 1,
      // No names of users: the archive may be unpacked on another machine.
      portable: true,
      filter(path, stat) {
        // The library never comes to an end with a pipe or a socket.
        const isKept = 'isFIFO' in stat && (stat.isFile() || stat.isDirectory() || stat.isSymbolicLink());
        return isKept && !top.has(path) && room.take(stat.size);
      },
    },
    ['.'],
  );
  if (room.isFull) {
    throw new UserError('The skills folder is too large for a snapshot (256 MB, 50,000 files).', {
      hint: 'Move large files out of it, or turn snapshots off: hermes config set curator.backup.enabled false',
    });
  }
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Unpacks into an empty folder. Throws `UserError` for an archive that is damaged, too large, or leads outside. */
export async function unpackInto(file: string, folder: string): Promise<void> {
  const { extract } = await import('tar');
  const room = new Room();
  const links: { readonly path: string; readonly target: string }[] = [];
  try {
    await extract({
      file,
      cwd: folder,
      // A warning is a reason to stop: half a snapshot, or one that is not ours, is worse than none.
      strict: true,
      maxDepth,
      preserveOwner: false,
      // What was put back looks changed to whoever remembers files by their times.
      noMtime: true,
      filter(path, entry) {
        if (!room.take(entry.size ?? 0)) return false;
        if (!('type' in entry) || entry.type !== 'SymbolicLink') return true;
        links.push({ path, target: entry.linkpath ?? '' });
        return false;
      },
    });
    if (room.isFull) throw new Error('it is too large');
    // After all files, so that none is written through a link. Their targets may lie anywhere, as in the folder packed.
    for (const { path, target } of links) makeLink(folder, path, target);
  } catch (error) {
    throw new UserError(`The snapshot could not be unpacked: ${errorMessage(error)}.`, {
      hint: 'Choose another one: hermes curator rollback --list',
    });
  }
}

/** Counts what goes into an archive or comes out of it. */
class Room {
  #bytes = 0;
  #entries = 0;

  /** False when it does not fit any more. */
  take(bytes: number): boolean {
    this.#bytes += bytes;
    this.#entries += 1;
    return !this.isFull;
  }

  get isFull(): boolean {
    return this.#bytes > maxBytes || this.#entries > maxEntries;
  }
}

function makeLink(folder: string, path: string, target: string): void {
  const read = readRelativePath(path);
  const link = 'problem' in read ? undefined : join(folder, ...read.parts);
  if (link === undefined || realPathInside(folder, dirname(link)) === undefined) {
    throw new Error(`a link leads outside: ${JSON.stringify(path)}`);
  }
  symlinkSync(target, link);
}
