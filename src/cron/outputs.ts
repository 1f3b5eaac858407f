/** One document of each run: `cron/output/<job>/<time>.md`. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode } from '../lib/errors.ts';
import { isoTime } from './time.ts';

export interface OutputPlace {
  readonly homePath: string;
  /** As `readJob` lets it through: it names a folder. */
  readonly jobId: string;
}

/** Keeps the newest `keep` documents, all with 0 or less. Returns the path. Throws Node's file-system errors. */
export function saveOutput(
  place: OutputPlace,
  text: string,
  { at, zone, keep }: { readonly at: number; readonly zone: string; readonly keep: number },
): string {
  const folder = folderOf(place);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${isoTime(at, zone).slice(0, 19).replace('T', '_').replaceAll(':', '-')}.md`);
  writeFileAtomic(path, text);
  if (keep > 0) {
    for (const name of documentsIn(folder).slice(0, -keep)) rmSync(join(folder, name), { force: true });
  }
  return path;
}

/** The newest document of a job; undefined when it never ran. */
export function latestOutput(place: OutputPlace): string | undefined {
  const name = documentsIn(folderOf(place)).at(-1);
  return name === undefined ? undefined : readFileSync(join(folderOf(place), name), 'utf8');
}

export function removeOutputs(place: OutputPlace): void {
  rmSync(folderOf(place), { recursive: true, force: true });
}

function folderOf({ homePath, jobId }: OutputPlace): string {
  return join(homePath, 'cron', 'output', jobId);
}

/** Oldest first, as their names sort. */
function documentsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}\.md$/.test(name))
      .sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
