/** Optional official skills that are in a home without a record, were changed, or are gone: recorded, or put back. */
import { mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { findSkills } from '../skills/scan-skills.ts';
import { contentHash, readTree } from './content-hash.ts';
import { noteAudit, readLock, withHubLock, writeLock } from './hub-files.ts';
import { type Install, installSkill, scanFetched } from './install.ts';
import { lockEntryOf } from './place-skill.ts';
import type { FetchedSkill, SkillSource } from './source.ts';

export interface OfficialSkill {
  readonly fetched: FetchedSkill;
  /** The name it is installed under. */
  readonly name: string;
  /** Category and name, with slashes. */
  readonly path: string;
  /** Absolute; where a skill of its name is. */
  readonly local: string | undefined;
  /** `unrecorded`: byte for byte the official one, and nothing says so. */
  readonly state: 'recorded' | 'unrecorded' | 'changed' | 'missing';
}

export interface OfficialQuestion {
  readonly homePath: string;
  readonly source: SkillSource;
  /** The folder or the name of a skill; `all` for every one. */
  readonly wanted: string;
  readonly signal: AbortSignal;
}

/** Changes nothing. */
export async function lookAtOfficial(question: OfficialQuestion): Promise<readonly OfficialSkill[]> {
  const { homePath, source, wanted, signal } = question;
  const installed = readLock(homePath);
  const folders = findSkills([join(homePath, 'skills')]).skills.map(({ path }) => dirname(path));
  const found: OfficialSkill[] = [];
  for (const { identifier, name } of await source.offers('', signal, () => undefined)) {
    const path = identifier.slice('official/'.length);
    const names = [basename(path), name];
    if (wanted !== 'all' && !names.includes(wanted)) continue;
    const fetched = await source.fetch(identifier, signal);
    const local = folders.find((folder) => names.includes(basename(folder)));
    const same = local !== undefined && contentHash(readTree(local)) === contentHash(fetched.files);
    const whole = installed.has(name) ? 'recorded' : 'unrecorded';
    found.push({ fetched, name, path, local, state: local === undefined ? 'missing' : same ? whole : 'changed' });
  }
  return found;
}

/** Writes down where a skill came from that is the official one byte for byte. */
export async function recordOfficial(homePath: string, skill: OfficialSkill, now: Date): Promise<void> {
  const { fetched, name, local } = skill;
  if (local === undefined) return;
  const path = relative(join(homePath, 'skills'), local).split(sep).join('/');
  const entry = lockEntryOf({ fetched, verdict: scanFetched(fetched).verdict, path, time: now.toISOString() });
  await withHubLock(homePath, () => {
    writeLock(homePath, new Map([...readLock(homePath), [name, entry]]));
    noteAudit(homePath, 'RECORD', name, entry, entry.content_hash);
  });
}

/** Installs the official copy; what was there is kept. Returns where. Throws `UserError`; then all is as it was. */
export async function restoreOfficial(skill: OfficialSkill, install: Install): Promise<string | undefined> {
  const { fetched, name, path, local } = skill;
  const kept = local === undefined ? undefined : keptFolder(install, local);
  if (local !== undefined && kept !== undefined) {
    mkdirSync(dirname(kept), { recursive: true });
    renameSync(local, kept);
  }
  try {
    const category = path.includes('/') ? dirname(path) : '';
    await installSkill(fetched, { name, category, force: true }, install);
  } catch (error) {
    if (local !== undefined && kept !== undefined) renameSync(kept, local);
    throw error;
  }
  return kept;
}

/** Scans for skills pass by folders that begin with a dot. */
function keptFolder({ homePath, now }: Install, local: string): string {
  const stamp = now()
    .toISOString()
    .replace(/[-:]|\.\d+/g, '');
  return join(homePath, 'skills', '.restore_backups', `${basename(local)}-${stamp}`);
}
