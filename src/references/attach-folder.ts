/** `@folder:`: what lies in a folder, as an indented list. */
import { basename, join, relative, sep } from 'node:path';
import type { Environment } from '../environments/environment.ts';
import type { Attachment } from './attach-file.ts';
import { isBinary } from './content.ts';
import { findPath, isSecret, type Workspace } from './workspace.ts';

type Programs = Pick<Environment, 'runProgram' | 'findProgram'>;

const maxEntries = 200;
/** Lines are counted in files up to this size; larger ones are told in bytes. */
const maxCountedBytes = 1024 * 1024;
const searchTimeoutMs = 10_000;
const maxListChars = 200_000;
const maxDepth = 20;

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
  const paths = (await listed(target.path, programs, signal)) ?? (await walked(target.path, workspace, signal));
  const lines = [`${path.replace(/\/+$/, '')}/`];
  for (const entry of withFolders(paths).slice(0, maxEntries)) {
    signal.throwIfAborted();
    lines.push(await lineOf(entry, target.path, workspace, signal));
  }
  if (withFolders(paths).length > maxEntries) lines.push('- ...');
  return { body: lines.join('\n') };
}

interface Entry {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly folder: boolean;
}

/** The files as ripgrep lists them, or `undefined` where it cannot. */
async function listed(folder: string, programs: Programs, signal: AbortSignal): Promise<string[] | undefined> {
  const program = await programs.findProgram('rg');
  if (program === undefined) return undefined;
  const { output, exitCode, truncated } = await programs.runProgram(
    [program, '--no-config', '--files', '--sort', 'path', '.'],
    { cwd: folder, timeoutMs: searchTimeoutMs, signal, maxOutput: maxListChars },
  );
  signal.throwIfAborted();
  // 1 = nothing found, 2 = something could not be read; the rest of the list is good.
  if (exitCode > 2) return undefined;
  const lines = output.split('\n').filter((line) => line !== '');
  return (truncated ? lines.slice(0, -1) : lines).map((line) => line.replace(/^\.[/\\]/, '').replaceAll('\\', '/'));
}

/** Links are named and not followed. */
async function walked(folder: string, { files }: Workspace, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const visit = async (directory: string, depth: number): Promise<void> => {
    // A folder or an entry that cannot be looked at is listed by its name alone.
    const names = await files.list(directory).catch(() => []);
    for (const name of [...names].sort()) {
      if (found.length > maxEntries) return;
      signal.throwIfAborted();
      if (name.startsWith('.')) continue;
      const path = join(directory, name);
      const direct = (await files.realPath(path).catch(() => '')) === path;
      const isFolder = direct && (await files.stat(path).catch(() => undefined))?.kind === 'directory';
      if (isFolder && depth < maxDepth) await visit(path, depth + 1);
      else found.push(relative(folder, path).replaceAll(sep, '/'));
    }
  };
  await visit(folder, 0);
  return found;
}

/** Each folder before what lies in it. */
function withFolders(paths: readonly string[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      entries.set(folder, entries.get(folder) ?? { path: folder, folder: true });
    }
    entries.set(path, { path, folder: false });
  }
  return [...entries.values()];
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
