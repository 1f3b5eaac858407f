/** Files about sub-agents, as their parent's tools reach them where its commands run. */
import { realpathSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';
import * as z from 'zod';
import type { OpenedServices } from '../tool-services.ts';
import type { ResultEntry } from './result-entry.ts';

const maxBrought = 100;

/** Brings a file of this machine there; returns the path that it has for the parent. */
export type ShowFile = (path: string) => string;

/** On this machine nothing is brought, and paths stay as they are. */
export function showFiles({ shareFiles, pathThere }: Pick<OpenedServices, 'shareFiles' | 'pathThere'>): ShowFile {
  return (path) => {
    const shown = pathThere(path);
    if (shown !== path) shareFiles([realPathOr(path)]);
    return shown;
  };
}

/** The results with the paths that the parent can read. */
export function withShownFiles(results: readonly ResultEntry[], show: ShowFile): readonly ResultEntry[] {
  return results.map((entry) => {
    const { live_transcript: live, summary_full_path: whole } = entry;
    return {
      ...entry,
      ...(live === undefined ? {} : { live_transcript: show(live) }),
      ...(whole === undefined ? {} : { summary_full_path: show(whole) }),
    };
  });
}

/** Where they are here: for a later process, which brings them again. */
export function keptFiles(results: readonly ResultEntry[]): string[] {
  return results.flatMap(({ live_transcript: live, summary_full_path: whole }) =>
    [live, whole].flatMap((path) => (path === undefined ? [] : [path])),
  );
}

/** Brings what was written down, as far as it is a file about sub-agents. */
export function bringAgain(paths: unknown, homePath: string, show: ShowFile): void {
  const folder = join(homePath, 'cache', 'delegation') + sep;
  const { data = [] } = z.array(z.string()).max(maxBrought).safeParse(paths);
  for (const path of data) if (normalize(path).startsWith(folder)) show(path);
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It is not there any more: nothing is brought.
    return path;
  }
}
