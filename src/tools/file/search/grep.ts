/** Searches with grep where there is no ripgrep. */
import type { ToolContext } from '../../../agent/tool.ts';
import type { ToolServices } from '../../services.ts';
import { busyBoxContent, isBusyBox } from './busybox-grep.ts';
import { type ContentMatch, type ContentResult, contentResult } from './content-result.ts';
import { namedFiles } from './named-files.ts';
import { maxSearchOutput, type SearchRequest, searchTimeoutMs } from './search-request.ts';

/** `--null` puts a NUL behind the file name, so that colons in names do no harm. */
export async function grepContent(request: SearchRequest, context: ToolContext<ToolServices>): Promise<ContentResult> {
  const { file_glob: glob, root } = request;
  const named = glob === undefined ? undefined : namedFiles(glob, root);
  const isDirectory = (await context.services.files.stat(root))?.kind === 'directory';
  const argv = [
    'grep',
    '-rnHIE',
    '--null',
    '--exclude-dir=.[!.]*',
    ...(request.context > 0 ? [`--context=${request.context}`] : []),
    ...(named?.name === undefined ? [] : [`--include=${named.name}`]),
    // A single hidden file was asked for by name, too.
    ...(isDirectory && named?.name?.startsWith('.') !== true ? ['--exclude=.?*'] : []),
    '-e',
    request.pattern,
    '--',
    isDirectory ? '.' : root,
  ];
  const run = await context.services.environment.runProgram(argv, {
    timeoutMs: searchTimeoutMs,
    signal: context.signal,
    maxOutput: maxSearchOutput,
    // From within, so that a hidden directory that was asked for by name is not left out.
    ...(isDirectory ? { cwd: root } : {}),
  });
  if (isBusyBox(run)) return await busyBoxContent(request, named, context);
  const found = readMatches(run.output)
    .map((match) => (match.path.startsWith('./') ? { ...match, path: `${root}/${match.path.slice(2)}` } : match))
    .filter(({ path }) => named?.means(path) ?? true);
  return contentResult(run, found, context.services.guard, request);
}

/** Lines of `<path>NUL<number>:<text>`; with `-` instead of the colon it is one of context. */
export function readMatches(output: string): ContentMatch[] {
  const matches: ContentMatch[] = [];
  for (let start = 0; start < output.length; ) {
    const newline = output.indexOf('\n', start);
    const end = newline === -1 ? output.length : newline;
    const match = readMatch(output, start, end);
    if (match !== undefined) matches.push(match);
    start = end + 1;
  }
  return matches;
}

function readMatch(output: string, start: number, end: number): ContentMatch | undefined {
  const nul = output.indexOf('\0', start);
  if (nul === -1 || nul > end) return undefined;
  let at = nul + 1;
  while (at < end && isDigit(output.charCodeAt(at))) at += 1;
  const separator = output[at];
  if (at === nul + 1 || (separator !== ':' && separator !== '-')) return undefined;
  return {
    path: output.slice(start, nul),
    line: Number(output.slice(nul + 1, at)),
    text: output.slice(at + 1, output[end - 1] === '\r' ? end - 1 : end),
    isMatch: separator === ':',
  };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
