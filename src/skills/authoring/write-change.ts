/** Makes a planned change on disk, and says what was done. */
import { chmodSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { realPathInside, removeEmptyFolders } from '../skill-paths.ts';
import type { SkillAnswer } from '../skill-view.ts';
import type { SkillChange } from './skill-change.ts';

/** Whole or not at all. For holders of the lock. */
export function writeChange({ directory, root, file: { path, after }, removesSkill }: SkillChange): void {
  if (removesSkill) {
    removeSkill(directory, root);
    return;
  }
  if (after === undefined) {
    rmSync(path);
    removeEmptyFolders(dirname(path), directory);
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  // The folders exist only now; a link among them must not have taken the file elsewhere.
  if (realPathInside(directory, dirname(path)) === undefined) throw new Error(`${path} leads out of the skill`);
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  writeFileAtomic(path, after);
  // A script stays executable.
  if (mode !== undefined && (mode & 0o111) !== 0) chmodSync(path, mode & 0o777);
}

/** What the model is answered. */
export function describeChange({ request, directory, root, file, replacements }: SkillChange): SkillAnswer {
  const { action, name, category } = request;
  const path = relative(root, directory).split(sep).join('/');
  switch (action) {
    case 'create':
      return {
        success: true,
        message: `Skill '${name}' created.`,
        path,
        skill_md: file.path,
        ...(category === undefined || category === '' ? {} : { category }),
        hint: `Add files with skill_manage(action='write_file', name='${name}', file_path='references/…', file_content='…').`,
      };
    case 'edit':
      return { success: true, message: `Skill '${name}' updated.`, path };
    case 'patch':
      return {
        success: true,
        message: `Patched ${request.file_path ?? 'SKILL.md'} of skill '${name}' (${replacements ?? 1} replacement${replacements === 1 ? '' : 's'}).`,
      };
    case 'delete':
      return {
        success: true,
        message: request.absorbed_into
          ? `Skill '${name}' deleted; '${request.absorbed_into}' holds its content.`
          : `Skill '${name}' deleted.`,
      };
    case 'write_file':
      return { success: true, message: `File '${request.file_path}' written to skill '${name}'.`, path: file.path };
    case 'remove_file':
      return { success: true, message: `File '${request.file_path}' removed from skill '${name}'.` };
  }
}

/** Out of sight first, in one step; then piece by piece. */
function removeSkill(directory: string, root: string): void {
  const gone = join(dirname(directory), `.removed-${process.pid}-${Date.now()}`);
  renameSync(directory, gone);
  rmSync(gone, { recursive: true, force: true });
  removeEmptyFolders(dirname(directory), root);
}
