/**
 * Searches with the grep of BusyBox (Alpine and other small systems): it has no long options, so it cannot leave anything
 * out, and puts nothing but a colon behind the name of a file. `find` chooses the files for it, and says what they are called.
 */
import type { ToolContext } from '../../../agent/tool.ts';
import type { ToolServices } from '../../services.ts';
import { kindByName } from '../content-kind.ts';
import { type ContentMatch, type ContentResult, contentResult } from './content-result.ts';
import type { NamedFiles } from './named-files.ts';
import { maxSearchOutput, type ProgramRun, type SearchRequest, searchTimeoutMs } from './search-request.ts';

/** True for what the grep of BusyBox answers to `--null`. */
export function isBusyBox({ exitCode, output, stderr }: ProgramRun): boolean {
  return exitCode !== 0 && output === '' && stderr.includes('BusyBox') && stderr.includes('option');
}

/** @param named which files are meant; undefined: all that are not hidden */
export async function busyBoxContent(
  request: SearchRequest,
  named: NamedFiles | undefined,
  { services, signal }: ToolContext<ToolServices>,
): Promise<ContentResult> {
  const files = filesBelow(request.root, named);
  const run = async (action: readonly string[]): Promise<ProgramRun> =>
    await services.environment.runProgram([...files, ...action], {
      timeoutMs: searchTimeoutMs,
      signal,
      maxOutput: maxSearchOutput,
    });
  const around = request.context > 0 ? ['-C', String(request.context)] : [];
  // `find` would put the names of the files into the pattern.
  const pattern = request.pattern.replaceAll('{}', '[{][}]');
  const found = await run(['-exec', 'grep', '-nHE', ...around, '-e', pattern, '{}', '+']);
  const isBadPattern = found.stderr.includes('bad regex');
  const paths = found.output === '' ? new Set<string>() : new Set((await run(['-print0'])).output.split('\0'));
  const matches = textMatches(readNamed(found.output, paths)).filter(({ path }) => named?.means(path) ?? true);
  // `find` ends with 1 whatever its programs ended with.
  return contentResult(isBadPattern ? { ...found, exitCode: 2 } : found, matches, services.guard);
}

/** Hidden folders are left out, hidden files too unless they are asked for. The place itself may be hidden. */
function filesBelow(root: string, named: NamedFiles | undefined): string[] {
  const name = named?.name;
  const isHiddenName = name?.startsWith('.') === true;
  const pruned = ['-type', 'd', '-name', '.?*', '!', '-path', root, '-prune'];
  return [
    'find',
    root,
    ...pruned,
    '-o',
    '-type',
    'f',
    ...(isHiddenName ? [] : ['(', '!', '-name', '.?*', '-o', '-path', root, ')']),
    ...(name === undefined ? [] : ['-name', name]),
  ];
}

/** Lines of `<path>:<number>:<text>`, or with `-` of context; a path may hold colons, so it counts when it is one that was found. */
function readNamed(output: string, paths: ReadonlySet<string>): ContentMatch[] {
  return output.split('\n').flatMap((line) => {
    for (const { index, 0: between, 1: separator, 2: number } of line.matchAll(/([:-])(\d+)(?=\1)/g)) {
      const path = line.slice(0, index);
      if (!paths.has(path)) continue;
      const text = line.slice(index + between.length + 1).replace(/\r$/, '');
      return [{ path, line: Number(number), text, isMatch: separator === ':' }];
    }
    return [];
  });
}

/** Without the files that are no text, by their names or by what was found in them. */
function textMatches(matches: readonly ContentMatch[]): ContentMatch[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const noText = /[\0-\x08\x0e-\x1a\ufffd]/;
  const binary = new Set(
    matches.flatMap(({ path, text }) => (kindByName(path) !== undefined || noText.test(text) ? [path] : [])),
  );
  return matches.filter(({ path }) => !binary.has(path));
}
