/** Folders of skills as wholes: what is in them, their hash, and copies that are complete or not there. */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../lib/errors.ts';

/**
 * Paths of all files below `directory`, relative, as lists of their parts, in the order in which they are hashed. Links
 * and other special files are left out. Throws Node's errors, and `UserError` for a folder with too many files.
 */
export function filesBelow(directory: string): readonly (readonly string[])[] {
  const found: string[][] = [];
  collect(directory, [], found);
  return found.sort(byParts);
}

/** MD5 over sorted relative paths and bytes: the hash of the bundled ledger, shared with other programs. */
export function md5OfTree(directory: string): string {
  const hash = createHash('md5');
  for (const parts of filesBelow(directory)) {
    hash.update(parts.join('/'));
    hash.update(readFileSync(join(directory, ...parts)));
  }
  return hash.digest('hex');
}

/** Copies all regular files; `to` must not exist. */
export function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const parts of filesBelow(from)) {
    const source = join(from, ...parts);
    const target = join(to, ...parts);
    mkdirSync(dirname(target), { recursive: true });
    // Written anew, not copied with its mode: a package may be installed read-only.
    writeFileSync(target, readFileSync(source), { flag: 'wx' });
    if ((lstatSync(source).mode & 0o100) !== 0) chmodSync(target, 0o755);
  }
}

const maxFiles = 5_000;
const maxDepth = 20;

function collect(directory: string, above: readonly string[], found: string[][]): void {
  for (const entry of readdirSync(join(directory, ...above), { withFileTypes: true })) {
    const parts = [...above, entry.name];
    if (entry.isDirectory() && parts.length < maxDepth) collect(directory, parts, found);
    if (!entry.isFile()) continue;
    if (found.length >= maxFiles) throw new UserError(`${directory} has more than ${maxFiles} files.`);
    found.push(parts);
  }
}

/** Part by part, as the ledger of existing homes was made: `a/b` comes before `a.md`. */
function byParts(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (part !== other) return part < other ? -1 : 1;
  }
  return a.length - b.length;
}
