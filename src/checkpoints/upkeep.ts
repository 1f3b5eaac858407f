/** Keeps the store of checkpoints within its bounds, and says how large it is. */
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import type { CheckpointStore } from './checkpoint-store.ts';

export interface PruneLimits {
  readonly retentionDays: number;
  readonly maxTotalBytes: number;
  /** Projects whose directory is gone lose their checkpoints. */
  readonly deleteOrphans: boolean;
}

export interface Pruned {
  readonly removed: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Removes what is old, orphaned, or (oldest first) too much. */
export async function prune(store: CheckpointStore, limits: PruneLimits, now: Date): Promise<Pruned> {
  const bytesBefore = sizeOf(store.base);
  if (!existsSync(join(store.path, 'HEAD'))) return { removed: 0, bytesBefore, bytesAfter: bytesBefore };
  const oldest = now.getTime() / 1000 - limits.retentionDays * 86_400;
  const all = [...store.projects()].sort((a, b) => a.lastTouch - b.lastTouch);
  const isGone = (directory: string): boolean => limits.deleteOrphans && !existsSync(directory);
  const stale = all.filter(({ directory, lastTouch }) => lastTouch < oldest || isGone(directory));
  let removed = 0;
  const remove = async (hash: string): Promise<void> => {
    await store.git.run(['update-ref', '-d', `refs/hermes/${hash}`]);
    for (const path of [join('indexes', hash), join('projects', `${hash}.json`)]) {
      rmSync(join(store.path, path), { force: true });
    }
    removed += 1;
  };
  for (const { hash } of stale) await remove(hash);
  const collect = () => store.git.run(['gc', '--prune=now', '--quiet']);
  await collect();
  for (const { hash } of all.filter((project) => !stale.includes(project))) {
    if (sizeOf(store.base) <= limits.maxTotalBytes) break;
    await remove(hash);
    await collect();
  }
  writeFileAtomic(join(store.base, '.last_prune'), String(now.getTime() / 1000));
  return { removed, bytesBefore, bytesAfter: sizeOf(store.base) };
}

/** True when the last pruning is longer ago than `hours`, or there was none. */
export function isPruneDue(store: CheckpointStore, hours: number, now: Date): boolean {
  const path = join(store.base, '.last_prune');
  const last = existsSync(path) ? Number(readFileSync(path, 'utf8').trim()) : 0;
  return !Number.isFinite(last) || now.getTime() / 1000 - last >= hours * 3600;
}

/** Bytes of all files below a directory; links are not followed. */
export function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** Folders that older layouts were moved aside to. */
export function legacyFolders(store: CheckpointStore): readonly string[] {
  if (!existsSync(store.base)) return [];
  return readdirSync(store.base)
    .filter((name) => name.startsWith('legacy-'))
    .map((name) => join(store.base, name));
}
