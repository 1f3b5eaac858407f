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
  const found = readMatches(run.output, isDirectory ? './' : root)
    .map((match) => (match.path.startsWith('./') ? { ...match, path: `${root}/${match.path.slice(2)}` } : match))
    .filter(({ path }) => named?.means(path) ?? true);
  return contentResult(run, found, context.services.guard);
}

/**
 * Lines of `<path>NUL<number>:<text>`; with `-` instead of the colon it is one of context.
 * @param start what every path begins with: what does not is no path, and is left out
 */
export function readMatches(output: string, start: string): ContentMatch[] {
  const matches: ContentMatch[] = [];
  let path = '';
  for (let at = 0; at < output.length; ) {
    // Mostly it is the file of the line before.
    const isSame = path !== '' && output.startsWith(path, at) && output[at + path.length] === '\0';
    const nul = isSame ? at + path.length : output.indexOf('\0', at);
    if (nul === -1) break;
    if (!isSame) path = pathIn(output.slice(at, nul));
    const newline = output.indexOf('\n', nul);
    const end = newline === -1 ? output.length : newline;
    const match = path.startsWith(start) ? readLine(output, path, nul + 1, end) : undefined;
    if (match !== undefined) matches.push(match);
    at = end + 1;
  }
  return matches;
}

/** Ripgrep says between lines where it stopped in a file; names may hold line ends too. */
const notice = /^--$|: WARNING: stopped searching binary file after match \(found .+ byte around offset \d+\)$/;

function pathIn(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  while (lines.length > 1 && notice.test(lines[0] ?? '')) lines.shift();
  return lines.join('\n');
}

function readLine(output: string, path: string, start: number, end: number): ContentMatch | undefined {
  let at = start;
  while (at < end && isDigit(output.charCodeAt(at))) at += 1;
  const separator = output[at];
  if (at === start || (separator !== ':' && separator !== '-')) return undefined;
  return {
    path,
    line: Number(output.slice(start, at)),
    text: output.slice(at + 1, output[end - 1] === '\r' ? end - 1 : end),
    isMatch: separator === ':',
  };
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
