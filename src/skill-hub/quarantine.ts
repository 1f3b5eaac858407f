/** Where skills from outside wait for judgement: folders below `.hub/quarantine/` that no search for skills looks into. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRunning } from '../lib/is-running.ts';
import { contentHash, readTree } from './content-hash.ts';
import { entryShape, hubFolder, type LockEntry, readLock, writeLock } from './hub-files.ts';

/** Writes checked files to a folder of their own, never executable. Returns it; the caller moves or removes it. */
export function quarantine(homePath: string, name: string, files: ReadonlyMap<string, Buffer>): string {
  const folder = quarantinePath(homePath, name);
  try {
    for (const [path, bytes] of files) {
      const target = join(folder, ...path.split('/'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, bytes, { flag: 'wx', mode: 0o644 });
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

/** A folder that does not exist yet; what stands there is removed once this process is gone. */
export function quarantinePath(homePath: string, name: string): string {
  const mark = Math.random().toString(36).slice(2, 8).padEnd(6, '0');
  return join(hubFolder(homePath), 'quarantine', `${name}.${process.pid}.${mark}`);
}

/** Ends what processes that are gone began, in the lock file and in the quarantine. For holders of the hub lock. */
export function sweep(homePath: string): void {
  const root = join(hubFolder(homePath), 'quarantine');
  const installed = readLock(homePath);
  const begun = [...installed].filter(([, entry]) => entry.metadata['installing'] === true);
  for (const [name, entry] of begun) {
    const settled = settle(homePath, root, entry);
    if (settled === undefined) installed.delete(name);
    else installed.set(name, settled);
  }
  if (begun.length > 0) writeLock(homePath, installed);
  for (const name of existsSync(root) ? readdirSync(root) : []) {
    const pid = Number(/\.(\d+)\.[a-z0-9]+$/.exec(name)?.[1] ?? 0);
    if (pid === 0 || !isRunning(pid)) rmSync(join(root, name), { recursive: true, force: true });
  }
}

/** What an installation that did not end has become: the new skill, the one before it, or none. */
function settle(homePath: string, root: string, entry: LockEntry): LockEntry | undefined {
  const { installing: _installing, aside: old, before, ...metadata } = entry.metadata;
  const folder = join(homePath, 'skills', entry.install_path);
  if (existsSync(folder) && contentHash(readTree(folder)) === entry.content_hash) return { ...entry, metadata };
  const parsed = entryShape.safeParse(before);
  if (!parsed.success) return undefined;
  const home = join(homePath, 'skills', parsed.data.install_path);
  const kept = typeof old === 'string' && /^[\w.-]+$/.test(old) ? join(root, old) : undefined;
  if (kept !== undefined && existsSync(kept) && !existsSync(home)) renameSync(kept, home);
  return parsed.data;
}
