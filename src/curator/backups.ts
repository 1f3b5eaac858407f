/** Snapshots of the skills folder under `.curator_backups/`, and the way back to one. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import { freePath } from './free-path.ts';
import { packFolder, unpackInto } from './pack.ts';

export interface Backup {
  /** The folder's name: its time in UTC. */
  readonly id: string;
  readonly reason: string;
  /** ISO time; empty when the manifest does not tell. */
  readonly createdAt: string;
  readonly bytes: number;
}

/** Not part of a snapshot, and left alone by a rollback: other snapshots, downloads, locks, and what the curator is at. */
const outside: ReadonlySet<string> = new Set([
  '.curator_backups',
  '.hub',
  '.git',
  '.manage.lock',
  '.usage.lock',
  '.curator.lock',
  '.curator_state',
]);

/** Takes a snapshot under the lock that all changes of skills take, then removes all but the newest `keep`. */
export async function takeBackup(homePath: string, reason: string, now: Date, keep: number): Promise<Backup> {
  const backup = await underLock(homePath, () => snapshot(homePath, reason, now));
  // A backup just made is never removed, whatever the setting says.
  for (const { id } of listBackups(homePath).slice(Math.max(1, keep))) {
    rmSync(join(folderOf(homePath), id), { recursive: true, force: true });
  }
  return backup;
}

/** Newest first; folders without an archive are left out. */
export function listBackups(homePath: string): Backup[] {
  const folder = folderOf(homePath);
  const ids = existsSync(folder) ? readdirSync(folder).filter((name) => idShape.test(name)) : [];
  return ids
    .filter((id) => existsSync(join(folder, id, 'skills.tar.gz')))
    .sort()
    .toReversed()
    .map((id) => readManifest(folder, id));
}

/**
 * Puts the skills folder back to a snapshot (default: the newest); what is there now is kept as a snapshot of its own.
 * Throws `UserError` when there is none, or when it cannot be read: everything is then as it was.
 */
export async function rollBack(
  homePath: string,
  id: string | undefined,
  now: Date,
): Promise<{ readonly restored: Backup; readonly saved: Backup }> {
  const backups = listBackups(homePath);
  const restored = id === undefined ? backups[0] : backups.find((backup) => backup.id === id);
  if (restored === undefined) {
    throw new UserError(id === undefined ? 'There is no snapshot to go back to.' : `There is no snapshot '${id}'.`, {
      hint: 'See: hermes curator rollback --list',
    });
  }
  const staging = mkdtempSync(join(folderOf(homePath), '.unpacking-'));
  try {
    await unpackInto(join(folderOf(homePath), restored.id, 'skills.tar.gz'), staging);
    return await underLock(homePath, async () => {
      const saved = await snapshot(homePath, `pre-rollback to ${restored.id}`, now);
      exchange(join(homePath, 'skills'), staging);
      return { restored, saved };
    });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

const idShape = /^\d{4}-\d{2}-\d{2}T[\w-]+Z?$/;

function folderOf(homePath: string): string {
  return join(homePath, 'skills', '.curator_backups');
}

async function underLock<T>(homePath: string, work: () => Promise<T>): Promise<T> {
  return await withFileLock(join(homePath, 'skills', '.manage.lock'), work);
}

async function snapshot(homePath: string, reason: string, now: Date): Promise<Backup> {
  const skills = join(homePath, 'skills');
  mkdirSync(skills, { recursive: true });
  // `2026-01-31T10-20-30Z`, with a number behind it when that second has one already.
  const path = freePath(folderOf(homePath), `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`);
  const id = basename(path);
  // Made beside its place: a folder with that name is always a whole snapshot.
  const making = join(folderOf(homePath), `.making-${process.pid}`);
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const archive = join(making, 'skills.tar.gz');
  try {
    await packFolder(skills, outside, archive);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
  const bytes = statSync(archive).size;
  const manifest = { id, reason, created_at: now.toISOString(), archive_bytes: bytes };
  writeFileAtomic(join(making, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(making, path);
  return { id, reason, createdAt: manifest.created_at, bytes };
}

function readManifest(folder: string, id: string): Backup {
  const read = (name: string): string => {
    try {
      return readFileSync(join(folder, id, name), 'utf8');
    } catch {
      // A snapshot without its manifest can be gone back to all the same.
      return '';
    }
  };
  const value = parseJson(read('manifest.json'));
  const manifest = isJsonObject(value) ? value : {};
  const { reason, created_at: createdAt, archive_bytes: bytes } = manifest;
  return {
    id,
    reason: typeof reason === 'string' ? reason : '',
    createdAt: typeof createdAt === 'string' ? createdAt : '',
    bytes: typeof bytes === 'number' ? bytes : 0,
  };
}

/** Moves everything out and the unpacked files in; on a failure half way what was moved goes back. */
function exchange(skills: string, staging: string): void {
  const old = mkdtempSync(join(skills, '.curator_backups', '.leaving-'));
  const moved: { readonly from: string; readonly to: string }[] = [];
  const move = (from: string, to: string): void => {
    renameSync(from, to);
    moved.push({ from, to });
  };
  try {
    for (const name of readdirSync(skills)) if (!outside.has(name)) move(join(skills, name), join(old, name));
    for (const name of readdirSync(staging)) if (!outside.has(name)) move(join(staging, name), join(skills, name));
  } catch (error) {
    for (const { from, to } of moved.toReversed()) renameSync(to, from);
    throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}
