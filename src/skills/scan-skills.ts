/** Walks the skill folders: which documents there are, and the stamps by which a later look sees that nothing changed. */
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorMessage } from '../lib/errors.ts';
import { statOf, supportDirectories } from './skill-paths.ts';

/** Modification time in milliseconds, and size in bytes (0 for a directory, whose size means nothing). */
export type Stamp = readonly [mtimeMs: number, size: number];

export interface FoundDocument {
  /** Absolute. */
  readonly path: string;
  readonly stamp: Stamp;
}

export interface FoundSkills {
  /** SKILL.md files in the order of precedence. */
  readonly skills: readonly (FoundDocument & { readonly root: string })[];
  readonly descriptions: readonly (FoundDocument & { readonly root: string })[];
  /** Every directory that was looked into. */
  readonly directories: ReadonlyMap<string, Stamp>;
  readonly warnings: readonly string[];
  /** False when something could not be read: the next look must be a full one. */
  readonly complete: boolean;
}

/** Looks through the roots in order. Never throws; what cannot be read is one warning. Missing roots are empty. */
export function findSkills(roots: readonly string[]): FoundSkills {
  const walk: Walk = {
    root: '',
    skills: [],
    descriptions: [],
    directories: new Map(),
    warnings: [],
    seen: new Set(),
    full: false,
    complete: true,
  };
  for (const root of roots) {
    walk.root = root;
    lookInto(walk, root, 0);
  }
  if (walk.full) walk.warnings.push(`Only the first ${maxDirectories} skill directories were looked at.`);
  return walk;
}

/** What stands at a path now, links followed; `undefined` when nothing does. Throws when it cannot be reached. */
export function stampOf(path: string): Stamp | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : [stat.mtimeMs, stat.isDirectory() ? 0 : stat.size];
}

interface Walk {
  root: string;
  readonly skills: (FoundDocument & { readonly root: string })[];
  readonly descriptions: (FoundDocument & { readonly root: string })[];
  readonly directories: Map<string, Stamp>;
  readonly warnings: string[];
  /** Device and inode of every directory, so that links in circles end. */
  readonly seen: Set<string>;
  full: boolean;
  complete: boolean;
}

const maxDirectories = 10_000;
const maxDepth = 12;
const skippedNames = new Set(['node_modules', '__pycache__']);

function lookInto(walk: Walk, directory: string, depth: number): void {
  if (walk.directories.size >= maxDirectories) {
    walk.full = true;
    return;
  }
  const entries = openDirectory(walk, directory);
  if (entries === undefined) return;
  const isSkill = entries.some((entry) => entry.name === 'SKILL.md' && addDocument(walk, directory, entry.name));
  const inside: string[] = [];
  for (const entry of entries) {
    if (entry.name === 'DESCRIPTION.md') addDocument(walk, directory, entry.name);
    if (entry.name.startsWith('.') || skippedNames.has(entry.name)) continue;
    if (isSkill && supportDirectories.includes(entry.name)) continue;
    if (
      entry.isDirectory() ||
      (entry.isSymbolicLink() && statOf(join(directory, entry.name))?.isDirectory() === true)
    ) {
      inside.push(entry.name);
    }
  }
  if (inside.length > 0 && depth >= maxDepth) {
    walk.warnings.push(`${directory}: skills nested deeper than ${maxDepth} directories are not looked for.`);
    return;
  }
  for (const name of inside.sort()) {
    if (/[\u0000-\u001f\u007f-\u009f\ud800-\udfff\ufffd]/.test(name)) {
      walk.warnings.push(`${join(directory, JSON.stringify(name))}: left out, its name has control characters.`);
      continue;
    }
    lookInto(walk, join(directory, name), depth + 1);
  }
}

/** Its entries, after it was noted as seen; `undefined` when it is missing, unreadable or known already. */
function openDirectory(walk: Walk, directory: string): Dirent[] | undefined {
  try {
    const stat = statSync(directory);
    const identity = `${stat.dev}:${stat.ino}`;
    if (walk.seen.has(identity)) {
      walk.warnings.push(`${directory}: left out, the same directory was reached before (a link).`);
      return undefined;
    }
    walk.seen.add(identity);
    const entries = readdirSync(directory, { withFileTypes: true });
    walk.directories.set(directory, [stat.mtimeMs, 0]);
    return entries;
  } catch (error) {
    if (directory === walk.root && errorCode(error) === 'ENOENT') return undefined;
    walk.complete = false;
    walk.warnings.push(`${directory}: cannot be read (${errorCode(error) ?? errorMessage(error)}).`);
    return undefined;
  }
}

/** True when a readable regular file of that name is there. */
function addDocument(walk: Walk, directory: string, name: string): boolean {
  const path = join(directory, name);
  try {
    const stat = statSync(path);
    if (!stat.isFile()) {
      walk.warnings.push(`${path}: is not a file.`);
      return false;
    }
    const found = { path, root: walk.root, stamp: [stat.mtimeMs, stat.size] as const };
    (name === 'SKILL.md' ? walk.skills : walk.descriptions).push(found);
    return true;
  } catch (error) {
    walk.complete = false;
    walk.warnings.push(`${path}: cannot be read (${errorCode(error) ?? errorMessage(error)}).`);
    return false;
  }
}
