/** Brings a path into the form in which names are compared, whatever file system it lies on. */
import { posix } from 'node:path';

/**
 * Some file systems regard neither case nor the form of a letter (`ß` is `ss` on APFS), pass over invisible letters
 * (HFS+) or the dots and blanks at the end of a name (NTFS). What is one name on any of them is one name here.
 */
export function comparablePath(path: string): string {
  return plain.test(path) ? path.toLowerCase() : folded(path);
}

/** Nearly all paths are so, and many are looked at in a search. */
const plain = /^(?:\/[.]?[\w@+,=%-]+(?:[.]+[\w@+,=%-]+)*)+$/;

function folded(path: string): string {
  const slashed = process.platform === 'win32' ? path.replaceAll('\\', '/').replace(/:[^/:]*(?::\$data)?$/i, '') : path;
  const even = slashed.normalize('NFKC').toUpperCase().toLowerCase().replaceAll(invisible, '');
  const normal = posix.normalize(even).replaceAll(/(?<=[^/. ])[. ]+(?=\/|$)/g, '');
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/g;

/** True for an entry and for what lies below one; all are comparable paths. */
export function isInside(path: string, entries: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (entries.has(path.slice(0, end))) return true;
  }
  return entries.has('/');
}
