/** The audit log as it is at one moment, while others may go on writing it. */
import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { type AuditFiles, auditFiles, filesInOrder } from './files.ts';
import { readKey, readSeal, type Seal } from './seal.ts';

export interface Snapshot {
  readonly seal: Seal | 'none' | 'false';
  /** A chain was begun here at some time. */
  readonly begun: boolean;
  /** From the oldest to the newest line. */
  lines(): AsyncGenerator<RawLine, void>;
  close(): Promise<void>;
}

export interface RawLine {
  /** Name of the file, and the line in it, from 1. */
  readonly file: string;
  readonly number: number;
  /** Without the line break. */
  readonly bytes: Buffer;
  /** False for what stands behind the last line break. */
  readonly ended: boolean;
}

interface OpenFile {
  readonly name: string;
  readonly handle: FileHandle;
  readonly size: number;
}

/** Throws the errors of the file system when the files are not readable. */
export async function openSnapshot(homePath: string): Promise<Snapshot> {
  const files = auditFiles(homePath);
  const begun = existsSync(files.key) || existsSync(files.seal) || filesInOrder(files).length > 0;
  if (!begun) return new FileSnapshot(begun, 'none', []);
  try {
    return await withFileLock(files.lock, () => takeSnapshot(files));
  } catch (error) {
    // Where the lock cannot be made, nobody can write either.
    if (!(error instanceof UserError)) throw error;
    return await takeSnapshot(files);
  }
}

async function takeSnapshot(files: AuditFiles): Promise<Snapshot> {
  const opened: OpenFile[] = [];
  try {
    for (const path of filesInOrder(files)) {
      const handle = await open(path, 'r');
      opened.push({ name: basename(path), handle, size: (await handle.stat()).size });
    }
    return new FileSnapshot(true, readSeal(files, readKey(files)), opened);
  } catch (error) {
    await Promise.all(opened.map(({ handle }) => handle.close()));
    throw error;
  }
}

const chunkBytes = 1024 * 1024;
/** A line without an end is handed out in pieces. */
const maxPieceBytes = 4 * chunkBytes;

class FileSnapshot implements Snapshot {
  readonly begun: boolean;
  readonly seal: Snapshot['seal'];
  readonly #files: readonly OpenFile[];

  constructor(begun: boolean, seal: Snapshot['seal'], files: readonly OpenFile[]) {
    this.begun = begun;
    this.seal = seal;
    this.#files = files;
  }

  async *lines(): AsyncGenerator<RawLine, void> {
    for (const file of this.#files) yield* linesOf(file);
  }

  async close(): Promise<void> {
    await Promise.all(this.#files.map(({ handle }) => handle.close()));
  }
}

async function* linesOf({ name, handle, size }: OpenFile): AsyncGenerator<RawLine, void> {
  let rest = Buffer.alloc(0);
  let number = 0;
  const line = (bytes: Buffer, ended: boolean): RawLine => ({ file: name, number: (number += 1), bytes, ended });
  for (let position = 0; position < size; ) {
    const length = Math.min(chunkBytes, size - position);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position, length });
    if (bytesRead === 0) break;
    position += bytesRead;
    const text = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      yield line(text.subarray(start, end), true);
      start = end + 1;
    }
    rest = text.subarray(start);
    if (rest.length > maxPieceBytes) {
      yield line(rest, false);
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0) yield line(rest, false);
}
