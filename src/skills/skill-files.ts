/** Reads a skill's folder the way the guard wants to see it. */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { GuardedFile } from '../safety/skill-guard/guard.ts';
import { readDocumentFile } from './load-skill.ts';
import { realPathInside } from './skill-paths.ts';

/**
 * Every entry below `directory`, links not followed; what is too large or not text comes without its text. Of the folders
 * right in it those that are left out are not looked at.
 */
export function readSkillFiles(directory: string, isLeftOut = (_name: string): boolean => false): GuardedFile[] {
  const files: GuardedFile[] = [];
  collect(realpathSync(directory), '', 0, { files, isLeftOut });
  return files;
}

const maxEntries = 2_000;
const maxDepth = 12;

interface Collected {
  readonly files: GuardedFile[];
  readonly isLeftOut: (name: string) => boolean;
}

function collect(base: string, folder: string, depth: number, collected: Collected): void {
  const { files, isLeftOut } = collected;
  for (const entry of readdirSync(join(base, folder), { withFileTypes: true })) {
    if (files.length >= maxEntries) return;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const absolute = join(base, path);
    if (entry.isDirectory()) {
      if (depth < maxDepth && !isLeftOut(path)) collect(base, path, depth + 1, collected);
      continue;
    }
    const { size, mode } = lstatSync(absolute);
    if (entry.isSymbolicLink()) {
      const link = realPathInside(base, absolute) === undefined ? 'outside' : 'inside';
      files.push({ path, size: 0, executable: false, link });
      continue;
    }
    const text = entry.isFile() ? readText(absolute) : undefined;
    files.push({ path, size, executable: (mode & 0o111) !== 0, ...(text === undefined ? {} : { text }) });
  }
}

function readText(path: string): string | undefined {
  try {
    const text = readDocumentFile(path);
    return text.includes('\0') ? undefined : text;
  } catch {
    // Not text, or too large: the guard judges such a file by its name and size.
    return undefined;
  }
}
