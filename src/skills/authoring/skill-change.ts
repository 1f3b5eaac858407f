/** Plans what one `skill_manage` call would do: everything is checked here and nothing is written. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { errorMessage } from '../../lib/errors.ts';
import { readStrictly } from '../frontmatter.ts';
import type { ManageAction } from './manage-actions.ts';
import { availableFiles } from '../linked-files.ts';
import { type LoadedSkill, loadSkill, readDocumentFile, type SkillSearch } from '../load-skill.ts';
import { supportDirectories } from '../skill-paths.ts';
import type { Skill } from '../skill.ts';
import { isInside, readRelativePath, realPathInside, supportFilePath } from '../skill-paths.ts';
import type { SkillAnswer } from '../skill-view.ts';

/** One call, in the words of the tool. */
export interface ManageRequest {
  readonly action: ManageAction;
  readonly name: string;
  readonly content?: string | undefined;
  readonly category?: string | undefined;
  readonly old_string?: string | undefined;
  readonly new_string?: string | undefined;
  readonly replace_all?: boolean | undefined;
  readonly file_path?: string | undefined;
  readonly file_content?: string | undefined;
  /** delete: the skill that holds its content now; empty for none. */
  readonly absorbed_into?: string | undefined;
}

/** What would happen. `before` is what stands there now, as far as it is text. */
export interface SkillChange {
  readonly request: ManageRequest;
  readonly directoryName: string;
  /** Absolute directory of the skill. */
  readonly directory: string;
  readonly root: string;
  /** The one file that changes: SKILL.md, which `removesSkill` takes along with everything else, or a supporting one. */
  readonly file: { readonly path: string; readonly before: string | undefined; readonly after: string | undefined };
  readonly removesSkill: boolean;
  /** How often a patch applied. */
  readonly replacements?: number;
}

/** `problem` is the answer to a call that cannot be done. */
export type Planned = SkillChange | { readonly problem: SkillAnswer };

/** Checks a call against what is on disk. `isPinned` is asked before a skill is deleted. */
export async function planChange(
  request: ManageRequest,
  search: SkillSearch,
  isPinned: (name: string) => boolean,
): Promise<Planned> {
  if (request.action === 'create') return await planCreate(request, search);
  if (request.name.includes(':') || search.pluginSkills.has(request.name)) {
    return refuse(`Skills of plugins cannot be changed: ${request.name}`);
  }
  const found = await findExisting(request.name, search);
  if ('problem' in found) return found;
  const { skill } = found;
  switch (request.action) {
    case 'edit':
      return await planEdit(request, skill);
    case 'patch':
      return await planPatch(request, skill);
    case 'write_file':
      return planWrite(request, skill);
    case 'remove_file':
      return planRemove(request, skill);
    case 'delete':
      return planDelete(request, found, search, isPinned);
  }
}

/** Largest SKILL.md, in characters. */
const maxSkillChars = 100_000;
/** Largest supporting file, in bytes. */
const maxFileBytes = 1024 * 1024;
const skillName = /^[a-z0-9][a-z0-9._-]*$/;
const previewLength = 500;

async function planCreate(request: ManageRequest, search: SkillSearch): Promise<Planned> {
  const { name, content } = request;
  const category = request.category?.trim() ?? '';
  const problem = nameProblem(name) ?? categoryProblem(category) ?? (await documentProblem(content));
  if (problem !== undefined || content === undefined) return refuse(problem ?? 'content is required.');
  const wanted = name.toLowerCase();
  const existing = search.catalogue.skills.find(
    (skill) => skill.directoryName.toLowerCase() === wanted || skill.name.toLowerCase() === wanted,
  );
  if (existing !== undefined) {
    return refuse(`A skill named '${name}' already exists at ${existing.directory}. Change it with edit or patch.`);
  }
  const root = search.roots[0] ?? '';
  const directory = join(root, ...category.split('/').filter((part) => part !== ''), name);
  if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined) {
    return refuse(`There is something at ${directory} already. Take another name or category.`);
  }
  if (leadsOutside(root, directory)) return refuse(`A link on the way to ${directory} leads out of the skills folder.`);
  const file = { path: join(directory, 'SKILL.md'), before: undefined, after: content };
  return { request, directoryName: name, directory, root, file, removesSkill: false };
}

async function planEdit(request: ManageRequest, skill: Skill): Promise<Planned> {
  const problem = await documentProblem(request.content);
  if (problem !== undefined || request.content === undefined) return refuse(problem ?? 'content is required.');
  const target = readTarget(skill, 'SKILL.md', skill.file);
  return 'problem' in target ? target : changeOf(request, skill, { ...target, after: request.content });
}

async function planPatch(request: ManageRequest, skill: Skill): Promise<Planned> {
  const { old_string: old, new_string: replacement, replace_all: all = false } = request;
  if (old === undefined || old === '') return refuse('old_string is required for patch.');
  if (replacement === undefined) return refuse("new_string is required for patch. Use '' to delete the text.");
  const target = patchTarget(request, skill);
  if ('problem' in target) return target;
  const { path, before } = target;
  const pieces = before.split(old);
  const count = pieces.length - 1;
  if (count === 0) {
    return refuse('old_string was not found in the file.', { file_preview: before.slice(0, previewLength) });
  }
  if (count > 1 && !all) {
    return refuse(`old_string is found ${count} times. Give more of the text around it, or set replace_all.`, {
      match_count: count,
    });
  }
  const after = pieces.join(replacement);
  if (path === skill.file) {
    const problem = await documentProblem(after);
    if (problem !== undefined) return refuse(`The patch would break the skill: ${problem}`);
  } else if (Buffer.byteLength(after) > maxFileBytes) return refuse('The file would be larger than 1 MB.');
  return { ...changeOf(request, skill, { path, before, after }), replacements: count };
}

function planWrite(request: ManageRequest, skill: Skill): Planned {
  const { file_path: filePath, file_content: content } = request;
  if (filePath === undefined || filePath === '') return refuse('file_path is required for write_file.');
  if (content === undefined) return refuse('file_content is required for write_file.');
  if (Buffer.byteLength(content) > maxFileBytes) return refuse('The file would be larger than 1 MB.');
  if (content.includes('\0')) return refuse('Only text files can be written.');
  const place = supportFilePath(skill.directory, filePath);
  if ('problem' in place) return refuse(place.problem);
  const stat = statSync(place.path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) return refuse(`${filePath} is not a file.`);
  const before = stat === undefined ? undefined : tryRead(place.path);
  return changeOf(request, skill, { path: place.path, before: before ?? (stat && ''), after: content });
}

function planRemove(request: ManageRequest, skill: Skill): Planned {
  const filePath = request.file_path;
  if (filePath === undefined || filePath === '') return refuse('file_path is required for remove_file.');
  const place = supportFilePath(skill.directory, filePath);
  if ('problem' in place) return refuse(place.problem);
  if (lstatSync(place.path, { throwIfNoEntry: false })?.isFile() !== true) {
    return refuse(`File '${filePath}' not found in skill '${skill.name}'.`, {
      available_files: availableFiles(skill.directory),
    });
  }
  return changeOf(request, skill, { path: place.path, before: tryRead(place.path) ?? '', after: undefined });
}

function planDelete(
  request: ManageRequest,
  { skill, text }: LoadedSkill,
  { catalogue }: SkillSearch,
  isPinned: (name: string) => boolean,
): Planned {
  if (isPinned(skill.directoryName) || isPinned(skill.name)) {
    return refuse(
      `Skill '${skill.name}' is pinned and cannot be deleted. The user can unpin it: hermes curator unpin ${skill.directoryName}`,
    );
  }
  const into = request.absorbed_into?.trim() ?? '';
  if (into !== '' && (into === skill.name || into === skill.directoryName)) {
    return refuse(`absorbed_into names '${into}' itself. Name the skill that holds its content now, or give ''.`);
  }
  if (into !== '' && !catalogue.skills.some(({ name, directoryName }) => name === into || directoryName === into)) {
    return refuse(
      `absorbed_into names '${into}', which is no skill. Write that skill first, or give '' when none takes its place.`,
    );
  }
  if (skill.directory === skill.root) return refuse('The skills folder itself cannot be deleted.');
  const inner = catalogue.skills.find(({ directory }) => directory.startsWith(skill.directory + sep));
  if (inner !== undefined) {
    return refuse(`Skill '${skill.name}' has other skills inside (${inner.name}). Delete or move those first.`);
  }
  return { ...changeOf(request, skill, { path: skill.file, before: text, after: undefined }), removesSkill: true };
}

function changeOf(request: ManageRequest, skill: Skill, file: SkillChange['file']): SkillChange {
  const { directoryName, directory, root } = skill;
  return { request, directoryName, directory, root, file, removesSkill: false };
}

function patchTarget(request: ManageRequest, skill: Skill) {
  const filePath = request.file_path;
  if (filePath === undefined || filePath === '' || filePath === 'SKILL.md') {
    return readTarget(skill, 'SKILL.md', skill.file);
  }
  const place = supportFilePath(skill.directory, filePath);
  if ('problem' in place) return refuse(place.problem);
  return readTarget(skill, filePath, place.path);
}

function readTarget(skill: Skill, shown: string, path: string) {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    return refuse(`File '${shown}' not found in skill '${skill.name}'.`, {
      available_files: availableFiles(skill.directory),
    });
  }
  if (realPathInside(skill.directory, path) === undefined) return refuse(`${shown} leads out of the skill.`);
  try {
    return { path, before: readDocumentFile(path) };
  } catch (error) {
    return refuse(errorMessage(error));
  }
}

async function findExisting(
  name: string,
  search: SkillSearch,
): Promise<LoadedSkill | { readonly problem: SkillAnswer }> {
  try {
    const loaded = await loadSkill(name, search);
    if (loaded === undefined)
      return refuse(`Skill '${name.slice(0, 200)}' not found. Use skills_list to see all skills.`);
    if (basename(loaded.skill.file) === 'SKILL.md') return loaded;
    return refuse(
      `Skill '${name}' is a single file (${loaded.skill.file}). Create it anew as a folder with a SKILL.md.`,
    );
  } catch (error) {
    return refuse(errorMessage(error));
  }
}

function nameProblem(name: string): string | undefined {
  if (name.length <= 64 && skillName.test(name)) return undefined;
  return `Invalid skill name '${name.slice(0, 80)}': lowercase letters, digits, '.', '_' and '-', starting with a letter or digit, at most 64.`;
}

function categoryProblem(category: string): string | undefined {
  if (category === '') return undefined;
  const read = readRelativePath(category);
  if ('problem' in read) return `Invalid category. ${read.problem}`;
  const { parts } = read;
  const fits = parts.length <= 4 && parts.every((part) => part.length <= 64 && /^[A-Za-z0-9][\w.-]*$/.test(part));
  if (fits && category === parts.join('/') && !parts.some((part) => supportDirectories.includes(part)))
    return undefined;
  return `Invalid category '${category.slice(0, 80)}': folder names of letters, digits, '.', '_' and '-', joined by '/'.`;
}

async function documentProblem(content: string | undefined): Promise<string | undefined> {
  if (content === undefined || content.trim() === '') return 'content is required: the whole SKILL.md.';
  if (content.length > maxSkillChars) {
    return `SKILL.md would have ${content.length} characters; at most ${maxSkillChars}. Move details into references/.`;
  }
  if (content.includes('\0')) return 'SKILL.md must be text.';
  const read = await readStrictly(content);
  if (!('body' in read)) return read.problem;
  const { name, description } = read.header;
  if (typeof name !== 'string' || name.trim() === '') return "The frontmatter needs 'name'.";
  if (name.length > 64) return "'name' may have at most 64 characters.";
  if (typeof description !== 'string' || description.trim() === '') return "The frontmatter needs 'description'.";
  if (description.length > 1_024) return "'description' may have at most 1,024 characters.";
  return read.body.trim() === '' ? 'SKILL.md needs a body after the frontmatter.' : undefined;
}

/** Whether the part of the way that exists leaves the folder through a link. */
function leadsOutside(root: string, directory: string): boolean {
  let existing = directory;
  while (existing !== root && statSync(existing, { throwIfNoEntry: false }) === undefined) existing = dirname(existing);
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return false;
  return !isInside(realpathSync(root), realpathSync(existing));
}

function tryRead(path: string): string | undefined {
  try {
    return readDocumentFile(path);
  } catch {
    // Not text, or too large to show: it can be replaced or removed all the same.
    return undefined;
  }
}

function refuse(error: string, more: Readonly<Record<string, unknown>> = {}): { readonly problem: SkillAnswer } {
  return { problem: { success: false, error, ...more } };
}
