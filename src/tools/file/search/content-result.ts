/** What a search for text found, whatever it searched with. */
import type { PathGuard } from '../../../safety/paths.ts';
import { perFile } from './per-file.ts';
import { type ProgramRun, type SearchEnd, searchEnd, searchFailure } from './search-request.ts';

export interface ContentMatch {
  /** Absolute. */
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
export function contentResult(run: ProgramRun, found: readonly ContentMatch[], guard: PathGuard): ContentResult {
  const failure = searchFailure(run, found.length);
  if (failure !== undefined) return { error: failure };
  const paths = new Set<string>();
  const note = perFile((path) => paths.add(path));
  for (const { path } of found) note(path);
  const readable = guard.readable(paths);
  if (readable.size === paths.size) return { matches: found, ...searchEnd(run, 0) };
  const isReadable = perFile((path) => readable.has(path));
  const [matches, kept] = [found.filter(({ path }) => isReadable(path)), found.filter(({ path }) => !isReadable(path))];
  return { matches, ...searchEnd(run, kept.filter(({ isMatch }) => isMatch).length) };
}

/** The files with hits, and how many lines of each have one. */
export type CountResult = (SearchEnd & { readonly counts: readonly FileCount[] }) | { readonly error: string };

export interface FileCount {
  /** Absolute. */
  readonly path: string;
  readonly lines: number;
}

/** The same for a program that counts by itself. `found` is in the order in which it is to be shown. */
export function countResult(run: ProgramRun, found: readonly FileCount[], guard: PathGuard): CountResult {
  const failure = searchFailure(run, found.length);
  if (failure !== undefined) return { error: failure };
  const readable = guard.readable(found.map(({ path }) => path));
  if (readable.size === found.length) return { counts: found, ...searchEnd(run, 0) };
  const [counts, kept] = [
    found.filter(({ path }) => readable.has(path)),
    found.filter(({ path }) => !readable.has(path)),
  ];
  return {
    counts,
    ...searchEnd(
      run,
      kept.reduce((total, { lines }) => total + lines, 0),
    ),
  };
}

/** For programs that show the lines only. */
export function countsOf(result: ContentResult): CountResult {
  if ('error' in result) return result;
  const { matches, ...end } = result;
  const counts = new Map<string, number>();
  for (const { path, isMatch } of matches) if (isMatch) counts.set(path, (counts.get(path) ?? 0) + 1);
  return { counts: [...counts].map(([path, lines]) => ({ path, lines })), ...end };
}
