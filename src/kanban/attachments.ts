/** Files that belong to a task: kept beside the board, listed on it. */
import { closeSync, existsSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, UserError } from '../lib/errors.ts';
import { makeDirectories } from '../lib/make-directories.ts';
import type { Board } from './board.ts';
import { addEvent } from './events.ts';
import { type Attachment, readAttachments } from './records.ts';
import { requireTask } from './tasks.ts';

export const maxAttachmentBytes = 25 * 1024 * 1024;
/** File systems take 255, and a number may be added. */
const maxNameBytes = 200;
const maxSameNames = 1000;

export interface NewAttachment {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string | undefined;
  readonly uploadedBy: string;
  /** Somebody else may have chosen it, or its name. */
  readonly outside?: boolean;
}

/** A file that lies beside the board, and is not listed yet. */
export interface StoredFile {
  readonly filename: string;
  readonly path: string;
  readonly size: number;
}

interface Origin {
  readonly contentType?: string | undefined;
  readonly by: string;
  readonly outside?: boolean | undefined;
}

/** Oldest first. */
export function attachmentsOf({ db }: Board, taskId: string): Attachment[] {
  return readAttachments(db.all('SELECT * FROM task_attachments WHERE task_id = ? ORDER BY created_at, id', taskId));
}

/** Returns its number. Throws `UserError`; nothing is left behind then. */
export async function attachFile(board: Board, taskId: string, file: NewAttachment): Promise<number> {
  requireTask(board, taskId);
  const stored = storeFile(board, taskId, file);
  try {
    return await board.db.write(() => {
      requireTask(board, taskId);
      return listFile(board, taskId, stored, {
        contentType: file.contentType,
        by: file.uploadedBy,
        outside: file.outside,
      });
    });
  } catch (error) {
    rmSync(stored.path, { force: true });
    throw error;
  }
}

/** Throws `UserError` for a name that is none, and for a file that is too large. */
export function storeFile(
  { places }: Board,
  taskId: string,
  { filename, bytes }: Pick<NewAttachment, 'filename' | 'bytes'>,
): StoredFile {
  if (bytes.length > maxAttachmentBytes) throw tooLarge(filename);
  const folder = attachmentFolder(places.attachments, taskId);
  makeDirectories(folder, 0o700);
  const name = safeName(filename);
  const [, stem = name, ending = ''] = /^([^.]*)(\..*)?$/su.exec(name) ?? [];
  for (let copy = 0; copy < maxSameNames; copy++) {
    const path = join(folder, copy === 0 ? name : `${stem} (${copy})${ending}`);
    if (!writeNew(path, bytes)) continue;
    return { filename: copy === 0 ? name : `${stem} (${copy})${ending}`, path: realpathSync(path), size: bytes.length };
  }
  throw new UserError(`${taskId} has ${maxSameNames} attachments named ${name}.`, { hint: 'Use another name.' });
}

/** To be called inside of a transaction; returns its number. */
export function listFile(
  board: Board,
  taskId: string,
  { filename, path, size }: StoredFile,
  { contentType, by, outside }: Origin,
): number {
  const { id } = board.db.run(
    `INSERT INTO task_attachments (task_id, filename, stored_path, content_type, size, uploaded_by, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    taskId,
    filename,
    path,
    contentType ?? null,
    size,
    by,
    board.now(),
  );
  addEvent(board, {
    taskId,
    kind: 'attached',
    payload: { filename, size, by, ...(outside === true ? { outside } : {}) },
  });
  return id;
}

export function tooLarge(filename: string): UserError {
  return new UserError(`${filename.slice(0, maxNameBytes)} is larger than 25 MB, which is the limit of attachments.`, {
    hint: 'Attach a smaller file, or say in a comment where the large one lies.',
  });
}

/** An id that another program wrote may be anything; it is one name of a folder here. */
function attachmentFolder(root: string, taskId: string): string {
  if (/^[\w-]+$/.test(taskId)) return join(root, taskId);
  throw new UserError(`The task ${JSON.stringify(taskId.slice(0, 80))} can have no attachments: its id is no name.`);
}

/** The last name of a path, on any system, without what a terminal or a shell would take for something else. */
function safeName(written: string): string {
  const last = written.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const name = last.replaceAll(/\p{C}/gu, '').trim().replace(/^\.+/, '').trim();
  if (name !== '') return shortened(name);
  throw new UserError(`${JSON.stringify(written.slice(0, 80))} is no name for a file.`, {
    hint: 'Give a name such as report.pdf.',
  });
}

/** No character is cut in two. */
function shortened(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.length <= maxNameBytes) return name.toWellFormed();
  return bytes
    .subarray(0, maxNameBytes)
    .toString()
    .replace(/\uFFFD+$/, '');
}

/** False when there is a file of that name. */
function writeNew(path: string, bytes: Uint8Array): boolean {
  if (existsSync(path)) return false;
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return true;
}
