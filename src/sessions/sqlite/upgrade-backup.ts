/** The copy of an older database that is made before its upgrade. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../../lib/is-running.ts';
import type { Connection } from './connection.ts';

/** Copies to `<path>.v<version>.backup`, unless that is there already. */
export async function backUpBefore(db: Connection, version: number): Promise<void> {
  const target = `${db.path}.v${version}.backup`;
  if (existsSync(target)) return;
  const partial = `${target}.${process.pid}-${randomBytes(4).toString('hex')}.partial`;
  try {
    await db.backupTo(partial);
    // Another process that upgrades at the same time has finished its copy before it changed anything.
    if (!existsSync(target)) renameSync(partial, target);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Removes the unfinished copies that killed processes left beside a database. */
export function removeUnfinishedBackups(path: string): void {
  const directory = dirname(path);
  for (const file of readdirSync(directory)) {
    if (!file.startsWith(`${basename(path)}.v`)) continue;
    const pid = /\.backup\.(\d+)-[0-9a-f]{8}\.partial(?:-journal)?$/.exec(file)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(directory, file), { force: true });
  }
}
