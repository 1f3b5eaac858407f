/** Finds one skill by the name somebody typed, and reads its document. */
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, errorMessage } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { readDocument } from './frontmatter.ts';
import { maxDocumentBytes, type Skill, type SkillCatalogue } from './skill.ts';
import { readFacts, type SkillFacts } from './skill-facts.ts';
import { readSummary } from './skill-header.ts';
import { readRelativePath, statOf } from './skill-paths.ts';

export interface LoadedSkill {
  readonly skill: Skill;
  /** The whole file. */
  readonly text: string;
  readonly header: JsonObject;
  readonly facts: SkillFacts;
}

/** Where a skill is looked for. */
export interface SkillSearch {
  readonly catalogue: SkillCatalogue;
  /** In order of precedence. */
  readonly roots: readonly string[];
  /** `plugin:skill` → its directory. */
  readonly pluginSkills: ReadonlyMap<string, string>;
}

/**
 * The skill meant by a path below a root (`dev/foo`), a directory name, a legacy file name or the name in the header,
 * in this order. Throws what `readDocumentFile` throws.
 */
export async function loadSkill(name: string, search: SkillSearch): Promise<LoadedSkill | undefined> {
  const plugin = search.pluginSkills.get(name);
  if (plugin !== undefined) return await read(join(plugin, 'SKILL.md'), dirname(plugin), search.catalogue);
  const path = readRelativePath(name);
  if ('problem' in path || path.parts.some((part) => part.startsWith('.'))) return undefined;
  const { skills } = search.catalogue;
  // Root by root, so that nothing in a later folder comes before what an earlier one has.
  for (const root of search.roots) {
    const direct = join(root, ...path.parts, 'SKILL.md');
    const file =
      statOf(direct)?.isFile() === true
        ? direct
        : skills.find((skill) => skill.root === root && skill.directoryName === name)?.file;
    if (file !== undefined) return await read(file, root, search.catalogue);
  }
  const legacy = path.parts.length > 1 ? undefined : legacyFile(name, search);
  if (legacy !== undefined) return await read(legacy.file, legacy.root, search.catalogue);
  const called = skills.find((skill) => skill.name === name);
  return called === undefined ? undefined : await read(called.file, called.root, search.catalogue);
}

/** A text file of a skill. Throws an `Error` in words for the model when it is missing, too large or not UTF-8. */
export function readDocumentFile(path: string): string {
  let bytes: Buffer;
  try {
    if (statSync(path).size > maxDocumentBytes) throw new Error(`is larger than ${maxDocumentBytes / 1024 / 1024} MB`);
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${errorCode(error) ?? errorMessage(error)}`, { cause: error });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error(`${path} cannot be read: it is not UTF-8 text`, { cause: error });
  }
}

async function read(file: string, root: string, catalogue: SkillCatalogue): Promise<LoadedSkill> {
  const text = readDocumentFile(file);
  const { header, body } = await readDocument(text);
  const listed = catalogue.skills.find((skill) => skill.file === file);
  const directory = dirname(file);
  const fileName = basename(file);
  const directoryName = fileName === 'SKILL.md' ? basename(directory) : fileName.replace(/\.md$/, '');
  const summary = readSummary(header, body);
  const skill: Skill = listed ?? {
    ...summary,
    name: summary.name ?? directoryName,
    directoryName,
    category: basename(dirname(directory)),
    root,
    directory,
    file,
  };
  return { skill, text, header, facts: readFacts(header) };
}

/** `<name>.md` in a root or in a category folder, as the first versions kept skills. */
function legacyFile(name: string, { roots, catalogue }: SkillSearch): { file: string; root: string } | undefined {
  if (name === 'DESCRIPTION' || name === 'SKILL') return undefined;
  const folders = new Map(roots.map((root) => [root, root]));
  for (const { directory, root } of catalogue.skills) folders.set(dirname(directory), root);
  for (const [folder, root] of folders) {
    const file = join(folder, `${name}.md`);
    if (statOf(file)?.isFile() === true) return { file, root };
  }
  return undefined;
}
