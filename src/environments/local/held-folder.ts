/** A folder held by its descriptor: a link that is put in its place meanwhile leads nowhere else. */
import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';

/** Opens a folder without the right to read it. Node has no name for it; https://man7.org/linux/man-pages/man2/open.2.html */
const openPathOnly = 0o10_000_000;

/**
 * Gives `work` a path to the folder that stays the same folder. `folder` must be real (no links in it); rejects with
 * `ELOOP` where it has become another one. Where the system cannot hold folders, `work` gets the path itself.
 */
export async function inFolder<T>(folder: string, work: (held: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return await work(folder);
  const handle = await open(folder, constants.O_DIRECTORY | openPathOnly);
  try {
    const held = `/proc/self/fd/${handle.fd}`;
    const where = await readlink(held).catch(() => undefined);
    // Without /proc nobody can tell.
    if (where === undefined) return await work(folder);
    if (where !== folder) throw replaced(folder);
    return await work(held);
  } finally {
    await handle.close();
  }
}

export function replaced(path: string): Error {
  return Object.assign(new Error(`ELOOP: something else was put in the place of '${path}' meanwhile`), {
    code: 'ELOOP',
  });
}
