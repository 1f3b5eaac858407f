/** Files that are written while a program brings text from outside carry its source. */
import { isOutside, type Source } from '../../llm/source.ts';
import type { ToolServices } from '../services.ts';

/**
 * From pages, servers and people. What programs printed is left out: nearly every conversation has some of that, and each
 * file that is written in one would be a stranger's.
 */
export function isWordsOfOthers(source: Source): boolean {
  return isOutside(source) && source.from !== 'program';
}

/** What a file may hold that the model writes. */
export function wordsEntered({ state: { hosts } }: Pick<ToolServices, 'state'>): readonly Source[] {
  return hosts.entered().filter(isWordsOfOthers);
}

/** What a program writes carries what it brings from outside. Returns the end of that, which never rejects. */
export async function beginRun(
  sources: readonly Source[],
  { outsideRuns }: Pick<ToolServices, 'outsideRuns'>,
): Promise<() => Promise<void>> {
  const outside = sources.find(isOutside);
  if (outside === undefined || outsideRuns === undefined) return () => Promise.resolve();
  const run = await outsideRuns.begin(outside);
  // A run whose end is not known counts as running: the side on which nothing slips through.
  return () => outsideRuns.end(run).catch(() => undefined);
}
