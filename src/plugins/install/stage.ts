/** Where a plug-in is put together beside the others, and how it comes to its place in one step. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from '../../lib/file-lock.ts';
import { isRunning } from '../../lib/is-running.ts';
import { packagesFolder } from '../packages/discover.ts';

const stagePattern = /^\.installing-(\d+)$/;
const asidePattern = /^\.before-(.+)$/;

/**
 * Runs `work` with an empty folder on the file system of the plug-ins, which is removed behind it; one at a time in a home.
 * What a process that is gone has left behind is set right first. Throws what `work` throws.
 */
export async function withStage<T>(root: string, work: (stage: string) => Promise<T>): Promise<T> {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return await withFileLock(join(root, '.install.lock'), async () => {
    for (const folder of placesIn(root)) sweep(folder);
    const stage = join(root, `.installing-${process.pid}`);
    rmSync(stage, { recursive: true, force: true });
    mkdirSync(stage, { mode: 0o700 });
    try {
      return await work(stage);
    } finally {
      rmSync(stage, { recursive: true, force: true });
    }
  });
}

/** `folder` is what `root/name` is from now on; what stood there is removed. A kill leaves the old one or the new one. */
export function putInPlace(root: string, name: string, folder: string): void {
  const target = join(root, name);
  const aside = join(root, `.before-${name}`);
  if (existsSync(target)) {
    rmSync(aside, { recursive: true, force: true });
    renameSync(target, aside);
  }
  try {
    renameSync(folder, target);
  } catch (error) {
    if (existsSync(aside)) renameSync(aside, target);
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** The folders that plug-ins take their places in: those from npm have two of their own. */
function placesIn(root: string): readonly string[] {
  const packages = packagesFolder(root);
  if (!existsSync(packages)) return [root];
  const scopes = readdirSync(packages).filter((name) => name.startsWith('@'));
  return [root, packages, ...scopes.map((name) => join(packages, name))];
}

function sweep(root: string): void {
  for (const entry of readdirSync(root)) {
    const path = join(root, entry);
    const pid = stagePattern.exec(entry)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(path, { recursive: true, force: true });
    const name = asidePattern.exec(entry)?.[1];
    if (name === undefined) continue;
    if (existsSync(join(root, name))) rmSync(path, { recursive: true, force: true });
    else renameSync(path, join(root, name));
  }
}
