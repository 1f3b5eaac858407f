/** Files that belong to stored sessions and go when these are deleted. */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Removes snapshots, old transcripts and request dumps of sessions whose rows are gone; `store` is the database's path. */
export function removeSessionFiles(store: string, ids: readonly string[]): void {
  const directory = join(dirname(store), 'sessions');
  const names = filesIn(directory);
  if (names.length === 0) return;
  const gone = new Set(ids);
  for (const name of names) {
    if (ownersOf(name).some((id) => gone.has(id))) removeIfPossible(join(directory, name));
  }
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The rows are gone already: what cannot be removed is litter, and no reason to call the deletion a failure.
  }
}

/** The ids that a file may be of. */
function ownersOf(name: string): string[] {
  const snapshot = /^(?:session_)?(.+)\.jsonl?$/.exec(name)?.[1];
  // An id may hold the character that stands before the dump's own time.
  const dump = /^request_dump_(.+)\.json$/.exec(name)?.[1]?.split('_') ?? [];
  const dumped = dump.map((_part, index) => dump.slice(0, index + 1).join('_'));
  return snapshot === undefined || dump.length > 0 ? dumped : [snapshot];
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // A home that never had such a file has no directory either.
    return [];
  }
}
