/** The cache of what all skill headers say, valid as long as every file and directory looks the same from outside. */
import { readFileSync, statSync } from 'node:fs';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import { stampOf, type Stamp } from './scan-skills.ts';
import type { SkillConditions, SkillSummary } from './skill.ts';

export interface KnownSkill {
  readonly root: string;
  readonly stamp: Stamp;
  /** Absent when the file is no skill that could be used. */
  readonly summary?: SkillSummary;
  readonly warning?: string;
}

export interface KnownDescription {
  readonly root: string;
  readonly stamp: Stamp;
  readonly text: string;
}

/** Keys are absolute paths. */
export interface Snapshot {
  readonly version: typeof snapshotVersion;
  readonly roots: readonly string[];
  readonly directories: Readonly<Record<string, Stamp>>;
  readonly skills: Readonly<Record<string, KnownSkill>>;
  readonly descriptions: Readonly<Record<string, KnownDescription>>;
  readonly warnings: readonly string[];
}

/** Differs from the numbers that other programs on the same home write, so that each rebuilds its own. */
export const snapshotVersion = 'ts-1';

/** The cache at `path`, whatever its age; `undefined` when there is none that can be used. */
export function loadSnapshot(path: string): Snapshot | undefined {
  try {
    if (statSync(path).size > maxSnapshotBytes) return undefined;
    const value: unknown = parseJson(readFileSync(path, 'utf8'));
    return isSnapshot(value) ? value : undefined;
  } catch {
    // None yet, or none that can be used: the skills themselves are read.
    return undefined;
  }
}

/** Keeps the cache. A home that cannot be written works without it. */
export function saveSnapshot(path: string, snapshot: Snapshot): void {
  try {
    writeFileAtomic(path, JSON.stringify(snapshot), { durable: false });
  } catch {
    // The next start reads the skills themselves again.
  }
}

/** True when the roots are the same and nothing below them was added, removed or changed since. */
export function isCurrent(snapshot: Snapshot, roots: readonly string[]): boolean {
  const { directories, skills, descriptions } = snapshot;
  if (snapshot.roots.length !== roots.length || snapshot.roots.some((root, index) => root !== roots[index])) {
    return false;
  }
  try {
    for (const path in directories) if (!sameStamp(stampOf(path), directories[path])) return false;
    for (const path in skills) if (!sameStamp(stampOf(path), skills[path]?.stamp)) return false;
    for (const path in descriptions) if (!sameStamp(stampOf(path), descriptions[path]?.stamp)) return false;
    return roots.every((root) => directories[root] !== undefined || stampOf(root) === undefined);
  } catch {
    // Something cannot be reached any more: a full look says what.
    return false;
  }
}

export function sameStamp(a: Stamp | undefined, b: Stamp | undefined): boolean {
  return a !== undefined && b !== undefined && a[0] === b[0] && a[1] === b[1];
}

const maxSnapshotBytes = 32 * 1024 * 1024;

// Checked by hand: this runs before every first prompt, where building a schema would cost more than all the rest.
function isSnapshot(value: unknown): value is Snapshot {
  return (
    isJsonObject(value) &&
    value['version'] === snapshotVersion &&
    isTextList(value['roots']) &&
    isTextList(value['warnings']) &&
    everyEntry(value['directories'], isStamp) &&
    everyEntry(value['skills'], isKnownSkill) &&
    everyEntry(value['descriptions'], isKnownDescription)
  );
}

function isKnownSkill(value: unknown): value is KnownSkill {
  return (
    isJsonObject(value) &&
    typeof value['root'] === 'string' &&
    isStamp(value['stamp']) &&
    (value['warning'] === undefined || typeof value['warning'] === 'string') &&
    (value['summary'] === undefined || isSummary(value['summary']))
  );
}

function isSummary(value: unknown): value is SkillSummary {
  return (
    isJsonObject(value) &&
    (value['name'] === undefined || typeof value['name'] === 'string') &&
    typeof value['description'] === 'string' &&
    isTextList(value['platforms']) &&
    isConditions(value['conditions'])
  );
}

function isConditions(value: unknown): value is SkillConditions {
  return everyEntry(value, isTextList);
}

function isKnownDescription(value: unknown): value is KnownDescription {
  return (
    isJsonObject(value) &&
    typeof value['root'] === 'string' &&
    typeof value['text'] === 'string' &&
    isStamp(value['stamp'])
  );
}

function isStamp(value: unknown): value is Stamp {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'number' && typeof value[1] === 'number';
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function everyEntry(value: unknown, fits: (entry: unknown) => boolean): boolean {
  if (!isJsonObject(value)) return false;
  for (const key in value) if (!fits(value[key])) return false;
  return true;
}
