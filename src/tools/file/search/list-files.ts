/** Finds files by name, newest first. */
import type { ToolContext } from '../../../agent/tool.ts';
import type { FileSystem } from '../../../environments/environment.ts';
import type { ToolServices } from '../../services.ts';
import { type NamedFiles, namedFiles } from './named-files.ts';
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

/** Part of what was found, as it is shown. Names by the hundred thousand are only counted. */
export interface FileList extends SearchEnd {
  readonly total: number;
  readonly page: readonly string[];
}

export async function listFiles(
  request: SearchRequest,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  context: ToolContext<ToolServices>,
): Promise<FileList | { readonly error: string }> {
  const { environment, files, guard } = context.services;
  const { pattern, root } = request;
  const named = namedFiles(pattern, root);
  const rg = await environment.findProgram('rg');
  const argv = rg === undefined ? findArguments(named, root) : ripgrepArguments(rg, named, root);
  const run = await environment.runProgram(argv, {
    timeoutMs: searchTimeoutMs,
    signal: context.signal,
    maxOutput: maxSearchOutput,
  });
  const all = run.output.split('\0');
  // Behind the last name.
  if (all.at(-1) === '') all.pop();
  const found = all.filter((path) => named.means(path));
  const failure = searchFailure(run, found.length);
  if (failure !== undefined) return { error: failure };
  // In the order in which they were found.
  const readable = guard.readableNames(found);
  const ordered = rg === undefined ? await newestFirst(readable, files) : readable;
  return {
    total: readable.length,
    page: ordered.slice(offset, offset + limit).map((path) => shownPath(path, request)),
    ...searchEnd(run, found.length - readable.length),
  };
}

async function newestFirst(paths: readonly string[], files: FileSystem): Promise<readonly string[]> {
  const stats = await Promise.all(
    paths.slice(0, maxSorted).map(async (path) => ({ path, modified: (await files.stat(path))?.modifiedMs ?? 0 })),
  );
  stats.sort((left, right) => right.modified - left.modified || left.path.localeCompare(right.path));
  return [...stats.map(({ path }) => path), ...paths.slice(maxSorted)];
}

function ripgrepArguments(rg: string, { ripgrep }: NamedFiles, root: string): string[] {
  return [rg, '--files', '--null', '--sortr=modified', ...ripgrep, '--', root];
}

/** Without ripgrep: hidden directories are left out, ignore files are not known. */
function findArguments({ name }: NamedFiles, root: string): string[] {
  const wanted = name === undefined ? [] : ['-name', name];
  // The place itself may be hidden: it was asked for by name.
  const hidden = ['-name', '.?*', '!', '-path', root];
  return ['find', root, ...hidden, '-prune', '-o', '-type', 'f', ...wanted, '-print0'];
}
