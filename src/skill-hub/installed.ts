/** What can be done with skills that the hub installed: look for changes, renew, examine, remove. */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage, UserError } from '../lib/errors.ts';
import { decideInstall, type GuardReport, scanSkill } from '../safety/skill-guard/guard.ts';
import { readSkillFiles } from '../skills/skill-files.ts';
import { isInside, removeEmptyFolders } from '../skills/skill-paths.ts';
import { contentHash, fileHashes, readTree } from './content-hash.ts';
import { type LockEntry, noteAudit, readLock, withHubLock, writeLock } from './hub-files.ts';
import { type Install, installSkill, scanFetched } from './install.ts';
import { quarantinePath, sweep } from './quarantine.ts';
import type { Hub } from './hub.ts';
import type { FetchedSkill } from './source.ts';

/** What differs on disk from what was installed. */
export interface LocalState {
  readonly missing: boolean;
  /** Relative paths of files that were changed, added or removed. */
  readonly changed: readonly string[];
}

/** Compares every file with its hash; entries of older programs have only one hash for all, then the whole counts. */
export function localState(homePath: string, entry: LockEntry): LocalState {
  const tree = installedTree(homePath, entry);
  if (tree === undefined) return { missing: true, changed: [] };
  const now = fileHashes(tree);
  const then = Object.entries(entry.metadata).filter(([key]) => key.startsWith('sha256:'));
  if (then.length === 0) {
    return { missing: false, changed: contentHash(tree) === entry.content_hash ? [] : ['(content)'] };
  }
  const known = new Map(then);
  const keys = new Set([...known.keys(), ...Object.keys(now)]);
  const changed = [...keys].filter((key) => now[key] !== known.get(key)).map((key) => key.slice('sha256:'.length));
  return { missing: false, changed: changed.sort() };
}

export interface Checked {
  readonly name: string;
  readonly entry: LockEntry;
  readonly state: 'current' | 'outdated' | 'failed';
  readonly reason?: string;
  /** What the source has now. */
  readonly fetched?: FetchedSkill;
}

/** Asks the source of each named skill (default: of all) whether it offers something else now. */
export async function checkInstalled(
  homePath: string,
  name: string | undefined,
  hub: Pick<Hub, 'fetch'>,
  signal: AbortSignal,
): Promise<readonly Checked[]> {
  const checked: Checked[] = [];
  for (const [skill, entry] of entriesOf(homePath, name)) {
    try {
      const fetched = await hub.fetch(entry.identifier, signal);
      const state = sameAs(entry, fetched) ? 'current' : 'outdated';
      checked.push({ name: skill, entry, state, fetched });
    } catch (error) {
      if (signal.aborted) throw error;
      checked.push({ name: skill, entry, state: 'failed', reason: errorMessage(error) });
    }
  }
  return checked;
}

/** Installs what `checkInstalled` found, through the same guard. A skill that was edited here is left alone. */
export async function updateInstalled(
  { name, entry, fetched }: Checked,
  install: Install,
): Promise<{ readonly state: 'updated' | 'edited'; readonly files?: readonly string[] }> {
  if (fetched === undefined) throw new UserError(`'${name}' was not fetched, so it cannot be updated.`);
  const { changed } = localState(install.homePath, entry);
  if (changed.length > 0) return { state: 'edited', files: changed };
  // A caution that was accepted once is not asked for again; a new one is. What is dangerous the installation refuses.
  const verdict = scanFetched(fetched).verdict;
  const isNewDoubt = verdict === 'caution' && entry.scan_verdict !== 'caution';
  if (isNewDoubt && decideInstall(fetched.trust, verdict) !== 'allow') {
    throw new UserError(`'${name}' was not updated: the security scan objects to what its source offers now.`, {
      hint: `Read it (hermes skills inspect ${fetched.identifier}), then: hermes skills install ${fetched.identifier} --name ${name} --force`,
    });
  }
  await installSkill(fetched, { name, force: true }, install);
  return { state: 'updated' };
}

export interface Audited {
  readonly name: string;
  readonly entry: LockEntry;
  readonly local: LocalState;
  readonly report: GuardReport | undefined;
}

/** Examines what is on disk again: with today's rules, and against the hashes of the installation. */
export function auditInstalled(homePath: string, name: string | undefined): readonly Audited[] {
  return entriesOf(homePath, name).map(([skill, entry]) => {
    const local = localState(homePath, entry);
    const folder = join(homePath, 'skills', entry.install_path);
    const report = local.missing ? undefined : scanSkill(readSkillFiles(folder));
    const verdict = report?.verdict ?? 'missing';
    noteAudit(homePath, 'AUDIT', skill, { ...entry, scan_verdict: verdict }, local.changed.length > 0 ? 'changed' : '');
    return { name: skill, entry, local, report };
  });
}

/** Removes a skill of the hub with its folder, its empty category and its entry. Returns the path that is gone. */
export async function uninstallSkill(homePath: string, name: string): Promise<string> {
  return await withHubLock(homePath, () => {
    sweep(homePath);
    const installed = readLock(homePath);
    const entry = installed.get(name);
    if (entry === undefined) throw notInstalled(name);
    const root = join(homePath, 'skills');
    const folder = join(root, ...entry.install_path.split('/'));
    if (!isInside(root, folder) || folder === root)
      throw new UserError(`The entry of '${name}' names no skill's folder.`);
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    // Out of the way in one step: a half-deleted skill must not be loaded.
    const gone = quarantinePath(homePath, name);
    if (stat !== undefined) {
      mkdirSync(dirname(gone), { recursive: true });
      renameSync(folder, gone);
    }
    removeEmptyFolders(dirname(folder), root);
    installed.delete(name);
    writeLock(homePath, installed);
    noteAudit(homePath, 'UNINSTALL', name, entry);
    rmSync(gone, { recursive: true, force: true });
    rmSync(join(homePath, '.skills_prompt_snapshot.json'), { force: true });
    return folder;
  });
}

/** What is on disk of an installed skill. */
function installedTree(homePath: string, entry: LockEntry): Map<string, Buffer> | undefined {
  const folder = join(homePath, 'skills', entry.install_path);
  if (!isInside(join(homePath, 'skills'), folder) || !existsSync(join(folder, 'SKILL.md'))) return undefined;
  return readTree(folder);
}

function sameAs(entry: LockEntry, { files }: FetchedSkill): boolean {
  if (contentHash(files) !== entry.content_hash) return false;
  const hashes = fileHashes(files);
  const known = Object.keys(entry.metadata).filter((key) => key.startsWith('sha256:'));
  return (
    known.length === 0 || (known.length === files.size && known.every((key) => entry.metadata[key] === hashes[key]))
  );
}

function entriesOf(homePath: string, name: string | undefined): [string, LockEntry][] {
  const installed = readLock(homePath);
  if (name === undefined) return [...installed].sort(([a], [b]) => (a < b ? -1 : 1));
  const entry = installed.get(name);
  if (entry === undefined) throw notInstalled(name);
  return [[name, entry]];
}

function notInstalled(name: string): UserError {
  return new UserError(`'${name.slice(0, 80)}' was not installed from the hub.`, {
    hint: 'See what was: hermes skills list --source hub',
  });
}
