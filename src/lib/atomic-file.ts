/** Whole-file writes that survive a kill: the file is always the old text or the new one. */
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isPipeOrDevice } from './is-pipe-or-device.ts';

/**
 * Replaces a small text file with mode 0600. A symbolic link is followed, so that files kept elsewhere stay links.
 * Throws Node's file-system errors; the old file is then untouched. With `durable: false` a power failure may leave a
 * file that is cut or empty: for caches whose reader takes that as none, since waiting for the disk takes its time.
 * A pipe or a device is written to, never replaced. `onlyIf` is asked when all is written, right before the new file takes the place of the old one; with false the old one
 * stays. Returns whether the file was replaced.
 */
export function writeFileAtomic(
  path: string,
  text: string,
  { durable = true, onlyIf }: { readonly durable?: boolean; readonly onlyIf?: () => boolean } = {},
): boolean {
  if (isPipeOrDevice(path)) {
    if (onlyIf?.() === false) return false;
    writeFileSync(path, text);
    return true;
  }
  const target = followLink(path);
  const directory = dirname(target);
  // One name per process: a temporary file left by a kill is reused, not piled up.
  const temporary = join(directory, `.${basename(target)}.${process.pid}.tmp`);
  try {
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeAll(file, Buffer.from(text, 'utf8'));
      if (durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (onlyIf?.() === false) {
      rmSync(temporary, { force: true });
      return false;
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (durable) syncDirectory(directory);
  return true;
}

function writeAll(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}

function followLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A new file. What else is wrong with the path, opening a file beside it says.
    return path;
  }
}

/** Makes the rename durable. Some file systems and Windows refuse to sync a directory; the rename itself is done. */
function syncDirectory(directory: string): void {
  try {
    const handle = openSync(directory, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Nothing more can be done here, and the new file is already in place.
  }
}
