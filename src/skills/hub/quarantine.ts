/** Where skills from outside wait for judgement: folders below `.hub/quarantine/` that no search for skills looks into. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../../lib/errors.ts';
import { contentHash, readTree } from './content-hash.ts';
import { hubFolder, readLock, writeLock } from './hub-files.ts';

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

/** Removes what processes that are gone left behind, in the quarantine and in the lock file. For holders of the hub lock. */
export function sweep(homePath: string): void {
  const root = join(hubFolder(homePath), 'quarantine');
  for (const name of existsSync(root) ? readdirSync(root) : []) {
    const pid = Number(/\.(\d+)\.[a-z0-9]+$/.exec(name)?.[1] ?? 0);
    if (pid === 0 || !isRunning(pid)) rmSync(join(root, name), { recursive: true, force: true });
  }
  const installed = readLock(homePath);
  let changed = false;
  for (const [name, entry] of installed) {
    if (entry.metadata['installing'] !== true) continue;
    changed = true;
    const folder = join(homePath, 'skills', entry.install_path);
    const arrived = existsSync(folder) && contentHash(readTree(folder)) === entry.content_hash;
    if (arrived) {
      const { installing: _done, ...metadata } = entry.metadata;
      installed.set(name, { ...entry, metadata });
    } else installed.delete(name);
  }
  if (changed) writeLock(homePath, installed);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
