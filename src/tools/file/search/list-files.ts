/** Finds files by name, newest first. */
import { posix } from 'node:path';
import type { ToolContext } from '../../../agent/tool.ts';
import type { FileSystem } from '../../../environments/environment.ts';
import type { ToolServices } from '../../services.ts';
import {
  maxSearchOutput,
  type SearchEnd,
  searchEnd,
  searchFailure,
  type SearchRequest,
  searchTimeoutMs,
  shownPath,
} from './search-request.ts';

/** More names than this are not put in order of age. */
const maxSorted = 20_000;

export async function listFiles(
  request: SearchRequest,
  context: ToolContext<ToolServices>,
): Promise<(SearchEnd & { readonly files: readonly string[] }) | { readonly error: string }> {
  const { environment, files, guard } = context.services;
  const rg = await environment.findProgram('rg');
  const run = await environment.runProgram(rg === undefined ? findArguments(request) : ripgrepArguments(rg, request), {
    timeoutMs: searchTimeoutMs,
    signal: context.signal,
    maxOutput: maxSearchOutput,
  });
  const found = run.output.split('\0').filter((path) => path !== '');
  const failure = searchFailure(run, found.length);
  if (failure !== undefined) return { error: failure };
  const readable = guard.readableNames(found);
  const paths = found.filter((path) => readable.has(path));
  const ordered = rg === undefined ? await newestFirst(paths, files) : paths;
  return { files: ordered.map((path) => shownPath(path, request)), ...searchEnd(run, found.length - paths.length) };
}

async function newestFirst(paths: readonly string[], files: FileSystem): Promise<readonly string[]> {
  const stats = await Promise.all(
    paths.slice(0, maxSorted).map(async (path) => ({ path, modified: (await files.stat(path))?.modifiedMs ?? 0 })),
  );
  stats.sort((left, right) => right.modified - left.modified || left.path.localeCompare(right.path));
  return [...stats.map(({ path }) => path), ...paths.slice(maxSorted)];
}

function ripgrepArguments(rg: string, { pattern, root }: SearchRequest): string[] {
  return [rg, '--files', '--null', '--sortr=modified', '--glob', pattern, '--', root];
}

/** Without ripgrep: hidden directories are left out, ignore files are not known. */
function findArguments({ pattern, root }: SearchRequest): string[] {
  const byPath = pattern.includes('/');
  const wanted = byPath ? ['-path', posix.join(root, pattern)] : ['-name', pattern];
  // The place itself may be hidden: it was asked for by name.
  const hidden = ['-name', '.?*', '!', '-path', root];
  return ['find', root, ...hidden, '-prune', '-o', '-type', 'f', ...wanted, '-print0'];
}
