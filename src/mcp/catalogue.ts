/** The catalogue: servers that come with the program as descriptions, to be installed by name. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Manifest, readManifest } from './manifest.ts';

export interface Catalogue {
  /** By name. */
  readonly entries: readonly Manifest[];
  /** Names of entries that need a newer version of the program. */
  readonly newer: readonly string[];
  /** One line for each that cannot be used. */
  readonly problems: readonly string[];
}

const maxBytes = 64 * 1024;

/** `folder`: instead of the one that the package ships (`HERMES_OPTIONAL_MCPS`). Empty when there is none. */
export async function readCatalogue(folder?: string): Promise<Catalogue> {
  const root = folder ?? fileURLToPath(new URL('../../optional-mcps', import.meta.url));
  const entries: Manifest[] = [];
  const newer: string[] = [];
  const problems: string[] = [];
  for (const name of namesIn(root)) {
    const path = join(root, name, 'manifest.yaml');
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) continue;
    const read = size > maxBytes ? { problem: 'it is too long' } : await readManifest(readFileSync(path, 'utf8'));
    if ('manifest' in read) entries.push(read.manifest);
    else if ('newer' in read) newer.push(name);
    else problems.push(`${path}: ${read.problem}`);
  }
  return { entries, newer, problems };
}

/** The name may stand behind `official/`, as some write it. */
export function findInCatalogue({ entries }: Catalogue, name: string): Manifest | undefined {
  const wanted = name.replace(/^official\//, '');
  return entries.find((entry) => entry.name === wanted);
}

function namesIn(root: string): readonly string[] {
  try {
    return readdirSync(root).sort();
  } catch {
    // A folder that is not there holds nothing.
    return [];
  }
}
