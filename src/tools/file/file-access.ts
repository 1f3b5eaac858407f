/** Opens files for the file tools within bounds, and words their failures for the model. */
import type { FilePath } from '../../agent/tool.ts';
import type { FileStat, FileSystem } from '../../environments/environment.ts';
import { errorCode, errorMessage } from '../../lib/errors.ts';
import { similarNames } from './similar-names.ts';
import { PathDenied } from '../policy/path-denied.ts';

/** Larger files are not taken into memory. */
export const maxFileBytes = 32 * 1024 * 1024;
const readDeadlineMs = 30_000;

/** A failure that the model is answered with, instead of a result. */
// A type, not an interface: results of tools must fit an index signature.
export type FileProblem = {
  readonly error: string;
  readonly similar_files?: readonly string[];
  readonly file_size?: number;
  readonly is_binary?: true;
};

export interface OpenedFile {
  readonly stat: FileStat;
  readonly bytes: Uint8Array;
}

/** A regular file's stat, or why there is none. */
export async function findFile(files: FileSystem, target: FilePath): Promise<FileStat | FileProblem> {
  const real = await files.realPath(target.resolved);
  if (isSpecialFile(target.resolved) || isSpecialFile(real)) {
    return { error: `${target.path} is a device or a special file of the system and cannot be opened.` };
  }
  const stat = await files.stat(target.resolved);
  if (stat === undefined) return await missingFile(files, target);
  if (stat.kind === 'directory') {
    return { error: `${target.path} is a directory. List it with search_files (target "files").` };
  }
  if (stat.kind === 'other') return { error: `${target.path} is a device, pipe or socket, not a file.` };
  return stat;
}

/** The whole file, when it is a regular one of bearable size. */
export async function openFile(
  files: FileSystem,
  target: FilePath,
  signal: AbortSignal,
): Promise<OpenedFile | FileProblem> {
  const stat = await findFile(files, target);
  return 'error' in stat ? stat : await readFound(files, target, stat, signal);
}

/** The contents behind a stat from `findFile`. */
export async function readFound(
  files: FileSystem,
  target: FilePath,
  stat: FileStat,
  signal: AbortSignal,
  maxBytes = maxFileBytes,
): Promise<OpenedFile | FileProblem> {
  if (stat.size > maxBytes) return tooLarge(target, stat.size);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(readDeadlineMs)]);
  const bytes = await files.read(target.resolved, deadline);
  return bytes.byteLength > maxBytes ? tooLarge(target, bytes.byteLength) : { stat, bytes };
}

/** The text of a UTF-8 file with its byte order mark; `undefined` when the bytes are not UTF-8. */
export function decodeExactly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Bytes that are not UTF-8 are what is asked about here.
    return undefined;
  }
}

/** What a failed file operation is reported as; `undefined` for errors that are not about files. */
function fileFailure(error: unknown, attempt: string): FileProblem | undefined {
  const message = errorMessage(error);
  if (error instanceof PathDenied) return { error: message };
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { error: `Could not ${attempt}: no answer within ${readDeadlineMs / 1000} seconds.` };
  }
  return errorCode(error) === undefined ? undefined : { error: `Could not ${attempt}: ${message}` };
}

/** Runs a file operation and turns its failure into an answer; anything else that goes wrong rises. */
export async function answering<Result>(attempt: string, work: () => Promise<Result>): Promise<Result | FileProblem> {
  try {
    return await work();
  } catch (error) {
    const problem = fileFailure(error, attempt);
    if (problem === undefined) throw error;
    return problem;
  }
}

function tooLarge(target: FilePath, size: number): FileProblem {
  return {
    error:
      `${target.path} is too large to open (${size.toLocaleString('en-US')} bytes, ` +
      `limit ${maxFileBytes.toLocaleString('en-US')}). Find lines in it with search_files, ` +
      'or cut out a part in the terminal (head, tail, sed -n).',
    file_size: size,
  };
}

/** What never ends, waits for somebody to type, or holds the memory or environment of processes, yet may look like a file. */
const specialFiles =
  /^\/(?:proc\/(?:kmsg|kcore|kpage\w+|[^/]+\/(?:task\/[^/]+\/)?(?:mem|pagemap|environ|auxv|fd\/[0-2]))|dev\/(?:zero|u?random|full|stdin|stdout|stderr|tty|console|fd\/[0-2])|sys\/kernel\/(?:debug\/)?tracing\/.*pipe\w*)$/;

function isSpecialFile(path: string): boolean {
  return specialFiles.test(path);
}

async function missingFile(files: FileSystem, { path, resolved }: FilePath): Promise<FileProblem> {
  const slash = resolved.lastIndexOf('/');
  // Only for a hint: a directory that cannot be listed has none to give.
  const siblings = await files.list(resolved.slice(0, slash) || '/').catch(() => []);
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  const similar = similarNames(resolved.slice(slash + 1), siblings).map((name) => directory + name);
  const error = `File not found: ${path}`;
  return similar.length === 0 ? { error } : { error, similar_files: similar };
}
