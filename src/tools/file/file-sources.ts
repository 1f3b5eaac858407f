/** Where the text of files comes from. */
import { mergeSources, type Source } from '../../llm/source.ts';
import type { ToolServices } from '../services.ts';

/** Each look costs a query; a command or a search with more files than this is judged by the first ones. */
const maxLooks = 64;
/** More files than this are not named one by one: what came from outside is named by its program. */
const maxNamed = 8;

/** The files, and the program that wrote it if that brought text from outside. `paths` are absolute. */
export async function fileSources(paths: readonly string[], services: ToolServices): Promise<readonly Source[]> {
  const own = paths.slice(0, maxNamed).map((path): Source => ({ from: 'file', name: path }));
  const brought = await Promise.all(paths.slice(0, maxLooks).map((path) => broughtBy(path, services)));
  return mergeSources(brought.flat(), own);
}

/** A program can set when a file was modified, but not when it was changed; renaming it changes only the latter. */
async function broughtBy(path: string, { files, outsideRuns }: ToolServices): Promise<readonly Source[]> {
  if (outsideRuns === undefined) return [];
  const stat = await files.stat(path);
  if (stat === undefined) return [];
  const found = [await outsideRuns.during(stat.modifiedMs), await outsideRuns.during(stat.changedMs)];
  return found.filter((source) => source !== undefined);
}
