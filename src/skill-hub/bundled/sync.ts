/** Brings the skills of the package into a home, and leaves alone what the user changed or removed. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorMessage } from '../../lib/errors.ts';
import { withFileLock } from '../../lib/file-lock.ts';
import { findSkills } from '../../skills/scan-skills.ts';
import { type BundledSkill, listBundled } from './bundled-skills.ts';
import { type Ledger, readLedger, writeLedger } from './ledger.ts';
import { optOutMarker, stampFor, stampPath } from './paths.ts';
import { copyTree, md5OfTree } from './skill-tree.ts';

export interface SyncOptions {
  readonly homePath: string;
  /** The folder of bundled skills, see `bundledSkillsFolder`. */
  readonly folder: string;
  /** Version of the program. */
  readonly version: string;
}

/** Names by what happened to them. */
export interface SyncReport {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  /** Differ from what was brought; left as they are. */
  readonly userModified: readonly string[];
  /** Removed by the user; they stay away. */
  readonly userDeleted: readonly string[];
  /** No longer bundled; only forgotten. */
  readonly dropped: readonly string[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
  /** The home wants no bundled skills. */
  readonly optedOut: boolean;
}

/** Compares everything. Processes take turns; one that dies leaves nothing half done. */
export async function syncBundledSkills(options: SyncOptions): Promise<SyncReport> {
  if (existsSync(optOutMarker(options.homePath))) return { ...emptyReport(), optedOut: true };
  return await withLedgerLock(options.homePath, () => syncLocked(options));
}

/** The one lock for everything that changes the ledger or bundled skills on disk. */
export function withLedgerLock<T>(homePath: string, work: () => Promise<T> | T): Promise<T> {
  return withFileLock(join(homePath, 'skills', '.bundled_manifest.lock'), work);
}

/**
 * Puts one bundled skill in place of whatever stands there, complete or not at all. For holders of the lock, who call
 * `clearStaging` when they are done.
 */
export function placeBundled(homePath: string, skill: BundledSkill): void {
  const target = join(homePath, 'skills', ...skill.path.split('/'));
  const staging = stagingFolder(homePath);
  const fresh = join(staging, 'new', ...skill.path.split('/'));
  const old = join(staging, 'old', ...skill.path.split('/'));
  rmSync(fresh, { recursive: true, force: true });
  rmSync(old, { recursive: true, force: true });
  copyTree(skill.directory, fresh);
  mkdirSync(dirname(old), { recursive: true });
  mkdirSync(dirname(target), { recursive: true });
  const replaces = existsSync(target);
  if (replaces) renameSync(target, old);
  try {
    renameSync(fresh, target);
  } catch (error) {
    if (replaces) renameSync(old, target);
    throw error;
  }
}

/** Takes away what was moved aside. */
export function clearStaging(homePath: string): void {
  rmSync(stagingFolder(homePath), { recursive: true, force: true });
}

function stagingFolder(homePath: string): string {
  return join(homePath, 'skills', '.bundled_staging');
}

async function syncLocked({ homePath, folder, version }: SyncOptions): Promise<SyncReport> {
  const bundled = await listBundled(folder);
  recover(homePath, bundled);
  const ledger = readLedger(homePath);
  const report = emptyReport();
  const present = directoryNames(homePath);
  for (const skill of bundled) {
    try {
      syncOne(homePath, skill, ledger, present, report);
    } catch (error) {
      report.failed.push({ name: skill.name, reason: errorMessage(error) });
    }
  }
  clearStaging(homePath);
  const offered = new Set(bundled.map(({ name }) => name));
  // An empty bundle is a broken installation, not a wish to forget every skill.
  for (const name of bundled.length === 0 ? [] : [...ledger.keys()]) {
    if (offered.has(name)) continue;
    ledger.delete(name);
    report.dropped.push(name);
  }
  writeLedger(homePath, ledger);
  for (const skill of bundled) copyDescription(homePath, folder, skill);
  if (report.failed.length === 0 && bundled.length > 0) {
    writeFileAtomic(stampPath(homePath), stampFor(folder, version));
  }
  return report;
}

type OpenReport = ReturnType<typeof emptyReport>;

function emptyReport() {
  const names = (): string[] => [];
  const failed: { name: string; reason: string }[] = [];
  return {
    added: names(),
    updated: names(),
    userModified: names(),
    userDeleted: names(),
    dropped: names(),
    failed,
    optedOut: false,
  };
}

/** The table of states; the ledger is changed only after the disk was. */
function syncOne(
  homePath: string,
  skill: BundledSkill,
  ledger: Ledger,
  present: ReadonlySet<string>,
  report: OpenReport,
): void {
  const target = join(homePath, 'skills', ...skill.path.split('/'));
  const origin = ledger.get(skill.name);
  const offered = md5OfTree(skill.directory);
  if (!existsSync(target)) {
    if (origin !== undefined) {
      report.userDeleted.push(skill.name);
      return;
    }
    // A skill of that name elsewhere is the user's own; a second one would only be in its way.
    if (present.has(basename(skill.path))) {
      ledger.set(skill.name, offered);
      return;
    }
    placeBundled(homePath, skill);
    ledger.set(skill.name, offered);
    report.added.push(skill.name);
    return;
  }
  const now = md5OfTree(target);
  if (origin === undefined || now === offered) ledger.set(skill.name, offered);
  else if (origin === '') ledger.set(skill.name, now);
  else if (now !== origin) report.userModified.push(skill.name);
  else {
    placeBundled(homePath, skill);
    ledger.set(skill.name, offered);
    report.updated.push(skill.name);
  }
}

/** A skill that was moved aside by a process that died comes back. */
function recover(homePath: string, bundled: readonly BundledSkill[]): void {
  const staging = stagingFolder(homePath);
  if (!existsSync(staging)) return;
  for (const { path } of bundled) {
    const old = join(staging, 'old', ...path.split('/'));
    const target = join(homePath, 'skills', ...path.split('/'));
    if (existsSync(old) && !existsSync(target)) {
      mkdirSync(dirname(target), { recursive: true });
      renameSync(old, target);
    }
  }
  clearStaging(homePath);
}

function directoryNames(homePath: string): ReadonlySet<string> {
  return new Set(findSkills([join(homePath, 'skills')]).skills.map(({ path }) => basename(dirname(path))));
}

/** The text that labels a category in the index comes along; one that is there stays. */
function copyDescription(homePath: string, folder: string, { path }: BundledSkill): void {
  const category = dirname(path);
  const source = join(folder, category, 'DESCRIPTION.md');
  const target = join(homePath, 'skills', category, 'DESCRIPTION.md');
  if (category === '.' || !existsSync(source) || existsSync(target) || !existsSync(dirname(target))) return;
  try {
    writeFileAtomic(target, readFileSync(source, 'utf8'), { durable: false });
  } catch {
    // Only a label; the skills themselves are in place.
  }
}
