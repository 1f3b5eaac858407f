/**
 * The downloaded models.dev on disk: the whole file, as other programs of this home keep it, and one small file per
 * provider, so that asking for one reads a few kilobytes.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../lib/json.ts';
import { type CatalogueModels, isListName } from './models-dev.ts';

export interface ModelsDevPaths {
  /** The whole file; its time says how old everything is. */
  readonly whole: string;
  /** Directory of `<provider>.json`. */
  readonly parts: string;
}

const maxPartBytes = 4 * 1024 * 1024;

/** The cached models of a list; undefined when there are none or the file is damaged. */
export async function cachedModels(paths: ModelsDevPaths, list: string): Promise<CatalogueModels | undefined> {
  const text = isListName(list) ? readPart(join(paths.parts, `${list}.json`)) : undefined;
  if (text === undefined) return undefined;
  // The parser is loaded only where there is a cache.
  const { parseProvider } = await import('./parse-models-dev.ts');
  return parseProvider(parseJson(text));
}

function readPart(path: string): string | undefined {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    return info === undefined || info.size > maxPartBytes ? undefined : readFileSync(path, 'utf8');
  } catch {
    // A cache that cannot be read is none: the shipped catalogue is asked next.
    return undefined;
  }
}
