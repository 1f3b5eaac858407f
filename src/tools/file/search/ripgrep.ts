/** Searches with ripgrep. */
import type { ToolContext } from '../../../agent/tool.ts';
import type { ToolServices } from '../../services.ts';
import { type ContentMatch, type ContentResult, contentResult } from './content-result.ts';
import { readMatches } from './grep.ts';
import { type NamedFiles, namedFiles } from './named-files.ts';
import { maxSearchOutput, type ProgramRun, type SearchRequest, searchTimeoutMs } from './search-request.ts';

export async function ripgrepContent(
  rg: string,
  request: SearchRequest,
  context: ToolContext<ToolServices>,
): Promise<ContentResult> {
  const { file_glob: glob, root } = request;
  const named = glob === undefined ? undefined : namedFiles(glob, root);
  const search = async (order: readonly string[]): Promise<ProgramRun> =>
    await context.services.environment.runProgram([rg, ...order, ...argumentsFor(request, named)], {
      timeoutMs: searchTimeoutMs,
      signal: context.signal,
      maxOutput: maxSearchOutput,
    });
  const run = await search([]);
  const matchesOf = ({ output }: ProgramRun): ContentMatch[] =>
    readMatches(output).filter(({ path }) => named?.means(path) ?? true);
  if (!run.truncated) return contentResult(run, inOrder(matchesOf(run)), context.services.guard, request);
  // Which part of too much comes first is left to chance then; in order it searches with one thread.
  const sorted = await search(['--sort=path']);
  return contentResult(sorted, matchesOf(sorted), context.services.guard, request);
}

/** A NUL behind the name of a file keeps odd names and the contents of lines apart. */
function argumentsFor({ context, pattern, root }: SearchRequest, named: NamedFiles | undefined): readonly string[] {
  return [
    '--null',
    '--line-number',
    '--no-heading',
    '--with-filename',
    '--color=never',
    '--max-columns=4000',
    '--max-columns-preview',
    ...(context > 0 ? [`--context=${context}`] : []),
    ...(named?.ripgrep ?? []),
    '--regexp',
    pattern,
    '--',
    root,
  ];
}

/** By file; within one the lines are in order. */
function inOrder(matches: readonly ContentMatch[]): ContentMatch[] {
  const byFile = Map.groupBy(matches, ({ path }) => path);
  return [...byFile].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, lines]) => lines);
}
