/** Searches with ripgrep. */
import type { ToolContext } from '../../../agent/tool.ts';
import type { ToolServices } from '../../services.ts';
import {
  type ContentMatch,
  type ContentResult,
  contentResult,
  type CountResult,
  countResult,
  type FileCount,
} from './content-result.ts';
import { readMatches } from './grep.ts';
import { namedFiles } from './named-files.ts';
import { perFile } from './per-file.ts';
import { maxSearchOutput, type ProgramRun, type SearchRequest, searchTimeoutMs } from './search-request.ts';

export async function ripgrepContent(
  rg: string,
  request: SearchRequest,
  context: ToolContext<ToolServices>,
): Promise<ContentResult> {
  const { run, found } = await searchInOrder(
    [rg, '--line-number', '--no-heading', '--max-columns=4000', '--max-columns-preview', ...around(request)],
    request,
    context,
    { read: (output) => readMatches(output, request.root), inOrder },
  );
  return contentResult(run, found, context.services.guard);
}

/** Lines that are only counted need not be written, and of files that are only named not even read to their end. */
export async function ripgrepCounts(
  rg: string,
  what: 'count' | 'files_only',
  request: SearchRequest,
  context: ToolContext<ToolServices>,
): Promise<CountResult> {
  const { run, found } = await searchInOrder(
    [rg, what === 'count' ? '--count' : '--files-with-matches'],
    request,
    context,
    {
      read: what === 'count' ? readCounts : readNames,
      inOrder: (counts) => counts.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    },
  );
  return countResult(run, found, context.services.guard);
}

interface Reading<Found> {
  readonly read: (output: string) => Found[];
  /** By file. */
  readonly inOrder: (found: Found[]) => Found[];
}

async function searchInOrder<Found extends { readonly path: string }>(
  program: readonly string[],
  { file_glob: glob, pattern, root }: SearchRequest,
  { services, signal }: ToolContext<ToolServices>,
  { read, inOrder }: Reading<Found>,
): Promise<{ readonly run: ProgramRun; readonly found: readonly Found[] }> {
  const named = glob === undefined ? undefined : namedFiles(glob, root);
  // A NUL behind the name of a file keeps odd names and the contents of lines apart.
  const common = ['--null', '--with-filename', '--color=never', ...(named?.ripgrep ?? [])];
  const search = async (order: readonly string[]): Promise<ProgramRun> =>
    await services.environment.runProgram([...program, ...order, ...common, '--regexp', pattern, '--', root], {
      timeoutMs: searchTimeoutMs,
      signal,
      maxOutput: maxSearchOutput,
    });
  const isMeant = named === undefined ? undefined : perFile((path) => named.means(path));
  const meant = ({ output }: ProgramRun): Found[] =>
    isMeant === undefined ? read(output) : read(output).filter(({ path }) => isMeant(path));
  const run = await search([]);
  if (!run.truncated) return { run, found: inOrder(meant(run)) };
  // Which part of too much comes first is left to chance then; in order it searches with one thread.
  const sorted = await search(['--sort=path']);
  return { run: sorted, found: meant(sorted) };
}

function around({ context }: SearchRequest): readonly string[] {
  return context > 0 ? [`--context=${context}`] : [];
}

/** `<path>NUL<lines>` and a line end for each file. */
function readCounts(output: string): FileCount[] {
  const counts: FileCount[] = [];
  for (let start = 0; ; ) {
    const nul = output.indexOf('\0', start);
    const end = output.indexOf('\n', nul);
    if (nul === -1 || end === -1) return counts;
    counts.push({ path: output.slice(start, nul), lines: Number(output.slice(nul + 1, end)) });
    start = end + 1;
  }
}

/** `<path>NUL` for each file; one that was cut off is none. */
function readNames(output: string): FileCount[] {
  return output
    .split('\0')
    .slice(0, -1)
    .map((path) => ({ path, lines: 1 }));
}

/** By file; within one the lines are in order. */
function inOrder(matches: readonly ContentMatch[]): ContentMatch[] {
  const byFile = Map.groupBy(matches, ({ path }) => path);
  return [...byFile].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, lines]) => lines);
}
