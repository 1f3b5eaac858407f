/** What a search for text found, whatever it searched with. */
import type { PathGuard } from '../../../safety/paths.ts';
import { perFile } from './per-file.ts';
import {
  type ProgramRun,
  type SearchEnd,
  searchEnd,
  searchFailure,
  type SearchRequest,
  shownPath,
} from './search-request.ts';

export interface ContentMatch {
  /** Absolute as it is found, and then as the model would write it. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** False for a line of context. */
  readonly isMatch: boolean;
}

/** In the order of the files. */
export type ContentResult = (SearchEnd & { readonly matches: readonly ContentMatch[] }) | { readonly error: string };

/** What a program said it found, without what no model may see. */
export function contentResult(
  run: ProgramRun,
  found: readonly ContentMatch[],
  guard: PathGuard,
  request: SearchRequest,
) {
  const failure = searchFailure(run, found.length);
  if (failure !== undefined) return { error: failure };
  const paths = new Set<string>();
  const note = perFile((path) => paths.add(path));
  for (const { path } of found) note(path);
  const readable = guard.readable(paths);
  const shown = perFile((path) => (readable.has(path) ? shownPath(path, request) : undefined));
  const matches: ContentMatch[] = [];
  let omitted = 0;
  for (const { path, line, text, isMatch } of found) {
    const shownAs = shown(path);
    if (shownAs !== undefined) matches.push({ path: shownAs, line, text, isMatch });
    else if (isMatch) omitted += 1;
  }
  return { matches, ...searchEnd(run, omitted) };
}

/** The files with hits, as they are shown, and how many lines of each have one. */
export type CountResult = (SearchEnd & { readonly counts: readonly FileCount[] }) | { readonly error: string };

export type FileCount = readonly [path: string, lines: number];

/** The same for a program that counts by itself. `found` is in the order in which it is to be shown. */
export function countResult(
  run: ProgramRun,
  found: readonly FileCount[],
  guard: PathGuard,
  request: SearchRequest,
): CountResult {
  const failure = searchFailure(run, found.length);
  if (failure !== undefined) return { error: failure };
  const readable = guard.readable(found.map(([path]) => path));
  let omitted = 0;
  const counts: FileCount[] = [];
  for (const [path, lines] of found) {
    if (readable.has(path)) counts.push([shownPath(path, request), lines]);
    else omitted += lines;
  }
  return { counts, ...searchEnd(run, omitted) };
}

/** For programs that show the lines only. */
export function countsOf(result: ContentResult): CountResult {
  if ('error' in result) return result;
  const { matches, ...end } = result;
  const counts = new Map<string, number>();
  for (const { path, isMatch } of matches) if (isMatch) counts.set(path, (counts.get(path) ?? 0) + 1);
  return { counts: [...counts], ...end };
}
