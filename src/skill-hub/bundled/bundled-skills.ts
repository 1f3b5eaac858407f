/** The skills that a folder of bundled skills offers. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import { readDocument } from '../../skills/frontmatter.ts';
import { readSummary } from '../../skills/skill-header.ts';
import { findSkills } from '../../skills/scan-skills.ts';

export interface BundledSkill {
  /** As the ledger knows it. */
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  /** Below the folder, and below `skills/` of a home: category and name, with forward slashes. */
  readonly path: string;
}

/** Each name once; empty when the folder is missing. */
export async function listBundled(folder: string): Promise<readonly BundledSkill[]> {
  if (!existsSync(folder)) return [];
  const skills = new Map<string, BundledSkill>();
  for (const { path: file } of findSkills([folder]).skills) {
    const directory = file.slice(0, -'/SKILL.md'.length);
    const { header, body } = await readDocument(readFileSync(file, 'utf8'));
    const name = readSummary(header, body).name ?? basename(directory);
    const path = relative(folder, directory).split(sep).join('/');
    if (path !== '' && !skills.has(name)) skills.set(name, { name, directory, path });
  }
  return [...skills.values()];
}
