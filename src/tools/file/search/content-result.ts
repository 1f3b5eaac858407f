/** What a search for text found, whatever it searched with. */
import type { PathGuard } from '../../../safety/paths.ts';
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
  const readable = guard.readable(new Set(found.map(({ path }) => path)));
  const allowed = found.filter(({ path }) => readable.has(path));
  const hits = (matches: readonly ContentMatch[]): number => matches.filter(({ isMatch }) => isMatch).length;
  const matches = allowed.map((match) => ({ ...match, path: shownPath(match.path, request) }));
  return { matches, ...searchEnd(run, hits(found) - hits(allowed)) };
}
