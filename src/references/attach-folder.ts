/** `@folder:`: what lies in a folder, as an indented list. */
import { basename, join } from 'node:path';
import type { Environment } from '../environments/environment.ts';
import type { Attachment } from './attach-file.ts';
import { isBinary } from './content.ts';
import { type Entry, listFiles, withFolders } from './list-files.ts';
import { findPath, isSecret, type Workspace } from './workspace.ts';

type Programs = Pick<Environment, 'runProgram' | 'findProgram'>;

const maxEntries = 200;
/** Lines are counted in files up to this size; larger ones are told in bytes. */
const maxCountedBytes = 1024 * 1024;
const searchTimeoutMs = 10_000;
const maxListChars = 200_000;

/** Hidden entries are left out, and with ripgrep what git ignores too. */
export async function attachFolder(
  path: string,
  workspace: Workspace,
  programs: Programs,
  signal: AbortSignal,
): Promise<Attachment> {
  const target = await findPath(path, workspace);
  if ('refusal' in target) return { problem: target.refusal };
  const found = await workspace.files.stat(target.path);
  if (found === undefined) return { problem: 'folder not found' };
  if (found.kind !== 'directory') return { problem: 'not a folder' };
  const paths = await listFiles({
    files: workspace.files,
    programs,
    folder: target.path,
    timeoutMs: searchTimeoutMs,
    maxChars: maxListChars,
    maxWalked: maxEntries,
    signal,
  });
  const lines = [`${path.replace(/\/+$/, '')}/`];
  for (const entry of withFolders(paths).slice(0, maxEntries)) {
    signal.throwIfAborted();
    lines.push(await lineOf(entry, target.path, workspace, signal));
  }
  if (withFolders(paths).length > maxEntries) lines.push('- ...');
  return { body: lines.join('\n') };
}

async function lineOf(entry: Entry, folder: string, workspace: Workspace, signal: AbortSignal): Promise<string> {
  const start = `${'  '.repeat(entry.path.split('/').length - 1)}- ${shown(basename(entry.path))}`;
  if (entry.folder) return `${start}/`;
  // The size is an extra; a file that cannot be read is listed without.
  const size = await sizeOf(join(folder, entry.path), workspace, signal).catch(() => '');
  return size === '' ? start : `${start} (${size})`;
}

async function sizeOf(path: string, workspace: Workspace, signal: AbortSignal): Promise<string> {
  const { files } = workspace;
  const real = await files.realPath(path);
  if (real !== path || (await isSecret(real, workspace))) return '';
  const found = await files.stat(path);
  if (found?.kind !== 'file') return '';
  if (found.size > maxCountedBytes) return `${found.size} bytes`;
  const bytes = await files.read(path, signal);
  if (isBinary(path, bytes)) return `${found.size} bytes`;
  const text = new TextDecoder().decode(bytes);
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  return `${lines} lines`;
}

/** A name with a line break in it must not look like several. */
function shown(name: string): string {
  return name.replace(/\p{Cc}/gu, '?');
}
