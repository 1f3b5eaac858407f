/** Puts a skill that was judged in its place below `skills/`, with an entry in the lock file: both, or neither. */
import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../lib/errors.ts';
import type { GuardReport } from '../safety/skill-guard/guard.ts';
import type { DeclaredNeeds } from '../skills/declared-needs.ts';
import { findSkills } from '../skills/scan-skills.ts';
import { isInside } from '../skills/skill-paths.ts';
import { contentHash, fileHashes } from './content-hash.ts';
import { type LockEntry, needsKey, noteAudit, readLock, writeLock } from './hub-files.ts';
import { quarantinePath, sweep } from './quarantine.ts';
import type { FetchedSkill } from './source.ts';

export interface Placement {
  readonly homePath: string;
  readonly name: string;
  /** Absent: where it was before, or at the top. */
  readonly category: string | undefined;
  readonly fetched: FetchedSkill;
  readonly verdict: GuardReport['verdict'];
  /** What the person agreed to hand it. */
  readonly needs: DeclaredNeeds;
  /** Where its files wait. */
  readonly folder: string;
  readonly request: { readonly force?: boolean | undefined };
  readonly now: () => Date;
}

/** For holders of the hub lock. Throws `UserError` when something stands in the way; the home is then as it was. */
export function placeSkill(placement: Placement): LockEntry {
  const { homePath, name, category, fetched, verdict, needs, folder, now } = placement;
  sweep(homePath);
  const installed = readLock(homePath);
  const before = installed.get(name);
  const path = before === undefined || category !== undefined ? joinPath(category, name) : before.install_path;
  const target = join(homePath, 'skills', ...path.split('/'));
  checkFree(placement, before, target);
  const time = now().toISOString();
  const fresh = lockEntryOf({ fetched, verdict, path, time });
  const metadata = { ...fresh.metadata, [needsKey]: needs };
  const entry: LockEntry = { ...fresh, metadata, installed_at: before?.installed_at || time };
  // Noted first: a skill that is on disk without a note would pass for the user's own.
  const old = quarantinePath(homePath, name);
  const pending = { installing: true, aside: basename(old), ...(before === undefined ? {} : { before }) };
  installed.set(name, { ...entry, metadata: { ...entry.metadata, ...pending } });
  writeLock(homePath, installed);
  swap(folder, target, before === undefined ? undefined : join(homePath, 'skills', before.install_path), old);
  installed.set(name, entry);
  writeLock(homePath, installed);
  noteAudit(homePath, before === undefined ? 'INSTALL' : 'UPDATE', name, entry, entry.content_hash);
  rmSync(join(homePath, '.skills_prompt_snapshot.json'), { force: true });
  return entry;
}

/** What is recorded of a skill that was installed at `time`, an ISO text, at `path` below `skills/`. */
export function lockEntryOf({
  fetched,
  verdict,
  path,
  time,
}: Pick<Placement, 'fetched' | 'verdict'> & { readonly path: string; readonly time: string }): LockEntry {
  return {
    source: fetched.source,
    identifier: fetched.identifier,
    trust_level: fetched.trust,
    scan_verdict: verdict,
    content_hash: contentHash(fetched.files),
    install_path: path,
    files: [...fetched.files.keys()].sort(),
    metadata: { ...fetched.metadata, ...fileHashes(fetched.files) },
    installed_at: time,
    updated_at: time,
  };
}

/** Nothing that the hub did not install is replaced, and nothing at all unless that was asked for. */
function checkFree({ homePath, name, request }: Placement, before: LockEntry | undefined, target: string): void {
  const root = join(homePath, 'skills');
  const current = before === undefined ? undefined : join(root, before.install_path);
  if (before !== undefined && request.force !== true && existsSync(join(root, before.install_path))) {
    throw new UserError(`'${name}' is installed already, from ${before.identifier}.`, {
      hint: `Update it with: hermes skills update ${name}. Replace it with --force.`,
    });
  }
  const folders = findSkills([root]).skills.map(({ path }) => dirname(path));
  const own = folders.find((folder) => basename(folder) === name && folder !== target);
  const isTaken = lstatSync(target, { throwIfNoEntry: false }) !== undefined && current !== target;
  const inTheWay = isTaken ? target : own !== current ? own : undefined;
  if (inTheWay !== undefined) {
    throw new UserError(`There is a skill '${name}' that the hub did not install: ${inTheWay}`, {
      hint: 'It is not touched. Install under another name with --name.',
    });
  }
  mkdirSync(dirname(target), { recursive: true });
  if (!isInside(realpathSync(root), realpathSync(dirname(target)))) {
    throw new UserError(`A link on the way to ${target} leads out of the skills folder.`);
  }
}

/** The old folder goes only when the new one stands; what fails is put back. */
function swap(folder: string, target: string, current: string | undefined, old: string): void {
  const replaces = current !== undefined && statSync(current, { throwIfNoEntry: false })?.isDirectory() === true;
  if (replaces) renameSync(current, old);
  try {
    renameSync(folder, target);
  } catch (error) {
    if (replaces) renameSync(old, current);
    throw error;
  }
  if (replaces) rmSync(old, { recursive: true, force: true });
}

function joinPath(category: string | undefined, name: string): string {
  return category === undefined || category === '' ? name : `${category}/${name}`;
}
