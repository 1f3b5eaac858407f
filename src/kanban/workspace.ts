/** Scratch folders of tasks: what is kept of them, and when they go. */
import { readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import { errorMessage, UserError } from '../lib/errors.ts';
import { maxAttachmentBytes, type StoredFile, storeFile, tooLarge } from './attachments.ts';
import type { Board } from './board.ts';
import type { Task } from './records.ts';
import { childrenOf, findTask, overStatuses, parentsOf } from './tasks.ts';

export interface KeptArtifacts {
  /** Where each of the files lies from now on. */
  readonly paths: readonly string[];
  /** Copies that are not listed yet. */
  readonly copies: readonly StoredFile[];
}

/**
 * Files of a scratch folder go with it, so those that are named, be it in words alone, are copied to the attachments of the
 * task; others stay where they are. Throws `UserError` when one cannot be kept; no copy is left behind then.
 */
export function keepArtifacts(board: Board, task: Task, artifacts: readonly string[], words: string): KeptArtifacts {
  const folder = scratchFolder(board, task);
  if (folder === undefined) return { paths: artifacts, copies: [] };
  const copies: StoredFile[] = [];
  try {
    const paths = [...new Set([...artifacts, ...filesNamed(words, task.workspace_path)])].map((path) => {
      if (!isBelow(realPath(path) ?? path, folder)) return path;
      const copy = copyArtifact(board, task.id, path);
      copies.push(copy);
      return copy.path;
    });
    return { paths, copies };
  } catch (error) {
    discard(copies);
    throw error;
  }
}

export function discard(copies: readonly StoredFile[]): void {
  for (const { path } of copies) rmSync(path, { force: true });
}

/** The scratch folder of a task that is over goes, and so do those of its parents, as soon as nobody needs them. */
export function removeScratch(board: Board, taskId: string): void {
  try {
    for (const id of [taskId, ...parentsOf(board, taskId)]) {
      const folder = folderLeft(board, id);
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // The task is done all the same; a folder that is left takes nothing but space.
  }
}

/** The scratch folder of a task that is over, when nobody needs it any more. */
function folderLeft(board: Board, id: string): string | undefined {
  const task = findTask(board, id);
  const folder = task === undefined || !isOver(task) ? undefined : scratchFolder(board, task);
  if (folder === undefined || childrenOf(board, id).some((child) => !isOver(findTask(board, child)))) return undefined;
  return isNeeded(board, folder) ? undefined : folder;
}

function isOver(task: Task | undefined): boolean {
  return task === undefined || task.status === 'done' || task.status === 'archived';
}

/** A task may name the folder of another one, or one that holds it. */
function isNeeded({ db }: Board, folder: string): boolean {
  const others = db.all(
    `SELECT workspace_path AS path FROM tasks WHERE workspace_path IS NOT NULL AND status NOT IN ${overStatuses}`,
  );
  return others.some(({ path }) => {
    const other = typeof path === 'string' ? realPath(path) : undefined;
    return other !== undefined && (other === folder || isBelow(other, folder));
  });
}

/** Undefined unless it really lies in a folder for workspaces: a board may name any path. */
function scratchFolder({ workspaceRoots }: Board, task: Task): string | undefined {
  if (task.workspace_kind !== 'scratch' || task.workspace_path === null) return undefined;
  const folder = realPath(task.workspace_path);
  if (folder === undefined) return undefined;
  return workspaceRoots.some((root) => isBelow(folder, realPath(root) ?? root)) ? folder : undefined;
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
}

function filesNamed(words: string, folder: string | null): string[] {
  if (folder === null) return [];
  const names = words.split(/[\s`"'<>]+/).map((word) => word.replace(/^[([{]+/, '').replace(/[.,;:!?)\]}]+$/, ''));
  return names.filter((name) => name.startsWith(`${folder}/`) && isFile(name));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function copyArtifact(board: Board, taskId: string, path: string): StoredFile {
  try {
    const { size } = regularFile(path);
    if (size > maxAttachmentBytes) throw tooLarge(path);
    return storeFile(board, taskId, { filename: basename(path), bytes: readFileSync(path) });
  } catch (error) {
    const reason = error instanceof UserError ? error.message : errorMessage(error);
    throw new UserError(`The artifact ${path} could not be kept: ${reason}`, {
      hint: 'Nothing was changed, and the workspace is still there. Correct the path or the file, then complete again.',
      cause: error,
    });
  }
}

function regularFile(path: string): { readonly size: number } {
  const found = statSync(path);
  if (found.isFile()) return found;
  throw new UserError('it is no regular file.');
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // It is not there, or cannot be looked at.
    return undefined;
  }
}
