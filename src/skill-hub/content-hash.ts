/** Hashes of what a skill consists of: the short one that lock files share, and a full one for every file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from './bundled/skill-tree.ts';

/** `sha256:` and 16 hex digits over the bytes of all files in the order of their paths. */
export function contentHash(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256');
  for (const path of [...files.keys()].sort(byParts)) hash.update(files.get(path) ?? '');
  return `sha256:${hash.digest('hex').slice(0, 16)}`;
}

/** Path → hash in full: names count, and no two contents share it. */
export function fileHashes(files: ReadonlyMap<string, Uint8Array>): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const [path, bytes] of files) hashes[`sha256:${path}`] = createHash('sha256').update(bytes).digest('hex');
  return hashes;
}

/** Every regular file below a folder. */
export function readTree(directory: string): Map<string, Buffer> {
  return new Map(filesBelow(directory).map((parts) => [parts.join('/'), readFileSync(join(directory, ...parts))]));
}

function byParts(a: string, b: string): number {
  const [left, right] = [a.replaceAll('/', '\0'), b.replaceAll('/', '\0')];
  return left < right ? -1 : left > right ? 1 : 0;
}
