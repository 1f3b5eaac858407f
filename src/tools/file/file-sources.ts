/** Where the text of files comes from. */
import { join, sep } from 'node:path';
import { mergeSources, type Source } from '../../llm/source.ts';
import type { ToolServices } from '../services.ts';
import { sourceOfKept } from '../web/kept-pages.ts';

/** Each look costs a query; a command or a search with more files than this is judged by the first ones. */
const maxLooks = 64;
/** More files than this are not named one by one: what came from outside is named by its program. */
const maxNamed = 8;

/** The files, and the program that wrote it if that brought text from outside. `paths` are absolute. */
export async function fileSources(paths: readonly string[], services: ToolServices): Promise<readonly Source[]> {
  const own = paths.slice(0, maxNamed).map((path): Source => ({ from: 'file', name: path }));
  const found = await Promise.all(paths.slice(0, maxLooks).map((path) => broughtBy(path, services)));
  return mergeSources(found.flat(), own);
}

/** What they wrote down may hold whatever they read. */
const ofSubAgents: Source = { from: 'unknown', name: 'the record of a sub-agent' };
/** Where it is brought on other hosts. */
const brought = '/.hermes/cache/delegation/';

/** A program can set when a file was modified, but not when it was changed; renaming it changes only the latter. */
async function broughtBy(path: string, { files, outsideRuns, paths }: ToolServices): Promise<readonly Source[]> {
  if (path.startsWith(join(paths.homePath, 'cache', 'delegation', sep)) || path.includes(brought)) return [ofSubAgents];
  const kept = sourceOfKept(paths.homePath, path);
  if (kept !== undefined) return [kept];
  if (outsideRuns === undefined) return [];
  const stat = await files.stat(path);
  if (stat === undefined) return [];
  const found = [await outsideRuns.during(stat.modifiedMs), await outsideRuns.during(stat.changedMs)];
  return found.filter((source) => source !== undefined);
}
