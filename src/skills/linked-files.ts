/** The files that come with a skill, grouped as the model is told about them. */
import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { supportDirectories } from './skill-paths.ts';

export type LinkedFiles = Readonly<Record<string, readonly string[]>>;

/** Groups that are worth loading; `undefined` when there are none. Links are left out. */
export function linkedFiles(directory: string): LinkedFiles | undefined {
  const groups: Record<string, string[]> = {};
  for (const group of supportDirectories) {
    const wanted = wantedEndings[group];
    const files = filesBelow(directory, group, 0).filter((path) => wanted === undefined || wanted.has(extname(path)));
    if (files.length > 0) groups[group] = files;
  }
  return Object.keys(groups).length === 0 ? undefined : groups;
}

/** Every file of a skill by folder; what lies in none of the four is `other`. */
export function availableFiles(directory: string): LinkedFiles {
  const groups: Record<string, string[]> = {};
  for (const path of filesBelow(directory, '', 0)) {
    const folder = path.split('/', 1)[0] ?? '';
    if (path === 'SKILL.md') continue;
    (groups[path.includes('/') && supportDirectories.includes(folder) ? folder : 'other'] ??= []).push(path);
  }
  return groups;
}

const maxFiles = 200;
const maxDepth = 6;
const wantedEndings: Readonly<Record<string, ReadonlySet<string> | undefined>> = {
  references: new Set(['.md']),
  templates: new Set(['.md', '.py', '.yaml', '.yml', '.json', '.tex', '.sh']),
  scripts: new Set(['.py', '.sh', '.bash', '.js', '.ts', '.rb']),
};

/** Paths relative to the skill with forward slashes, sorted. */
function filesBelow(directory: string, folder: string, depth: number): string[] {
  const files: string[] = [];
  for (const entry of entriesOf(join(directory, folder))) {
    if (entry.name.startsWith('.') || files.length >= maxFiles) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) files.push(path);
    else if (entry.isDirectory() && depth < maxDepth) files.push(...filesBelow(directory, path, depth + 1));
  }
  return files.slice(0, maxFiles);
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // Most skills have none of these folders; what cannot be read cannot be offered either.
    return [];
  }
}
