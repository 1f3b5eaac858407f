/** Searches with grep where there is no ripgrep; also the result shape of both. */
import type { ToolContext } from '../../../agent/tool.ts';
import type { PathGuard } from '../../../safety/paths.ts';
import type { ToolServices } from '../../services.ts';
import { maxSearchOutput, type SearchRequest, searchTimeoutMs, shownPath } from './search-request.ts';

export interface ContentMatch {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** False for a line of context. */
  readonly isMatch: boolean;
}

/** In the order of the files; `cut` when there was more than is looked at. */
export type ContentResult =
  | { readonly matches: readonly ContentMatch[]; readonly cut: boolean }
  | { readonly error: string };

interface Run {
  readonly output: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Both programs exit with 1 when nothing matched, and with 2 when they failed, perhaps after some matches. */
export function searchFailure({ stderr, exitCode }: Run, found: number): string | undefined {
  if (exitCode === 124) return 'The search took longer than 60 seconds. Narrow the path or the pattern.';
  if (exitCode === 130) return 'The search was interrupted.';
  if (exitCode < 2 || found > 0) return undefined;
  return `The search failed: ${stderr.trim().slice(0, 500) || `exit code ${exitCode}`}`;
}

/** `--null` puts a NUL behind the file name, so that colons in names do no harm. */
export async function grepContent(request: SearchRequest, context: ToolContext<ToolServices>): Promise<ContentResult> {
  const isDirectory = (await context.services.files.stat(request.root))?.kind === 'directory';
  const argv = [
    'grep',
    '-rnHIE',
    '--null',
    '--exclude-dir=.[!.]*',
    ...(request.context > 0 ? [`--context=${request.context}`] : []),
    ...(request.file_glob === undefined ? [] : [`--include=${request.file_glob}`]),
    '-e',
    request.pattern,
    '--',
    isDirectory ? '.' : request.root,
  ];
  const run = await context.services.environment.runProgram(argv, {
    timeoutMs: searchTimeoutMs,
    signal: context.signal,
    maxOutput: maxSearchOutput,
    // From within, so that a hidden directory that was asked for by name is not left out.
    ...(isDirectory ? { cwd: request.root } : {}),
  });
  const matches = run.output.split('\n').flatMap((line) => readLine(line, request, context.services.guard));
  const failure = searchFailure(run, matches.length);
  return failure === undefined ? { matches, cut: run.truncated } : { error: failure };
}

function readLine(line: string, request: SearchRequest, guard: PathGuard): ContentMatch[] {
  const match = /^([^\0]+)\0(\d+)([:-])(.*)$/s.exec(line);
  const [, written = '', number = '', separator = ''] = match ?? [];
  const path = written.startsWith('./') ? `${request.root}/${written.slice(2)}` : written;
  if (match === null || guard.denyRead(path) !== undefined) return [];
  return [{ path: shownPath(path, request), line: Number(number), text: match[4] ?? '', isMatch: separator === ':' }];
}
