/** Judges many paths at once: most directories hold nothing that is guarded, and of their files only the names are looked at. */
import { isInside } from './comparable-path.ts';
import type { KnownPlaces, PathNames } from './known-places.ts';

/** Those of the paths that `isReadable` allows, in their order. A set of a hundred thousand would take longer than the judgement. */
export function readablePaths(
  paths: Iterable<string>,
  names: PathNames,
  places: KnownPlaces,
  isReadable: (path: string) => boolean,
): readonly string[] {
  const plainFolders = new Map<string, boolean>();
  const isInPlainFolder = (path: string, slash: number): boolean => {
    const folder = path.slice(0, slash);
    let isPlain = plainFolders.get(folder);
    if (isPlain === undefined) {
      isPlain = names.of(folder).every((name) => holdsNothingGuarded(name, places));
      plainFolders.set(folder, isPlain);
    }
    return isPlain;
  };
  const readable: string[] = [];
  for (const path of paths) {
    const slash = path.lastIndexOf('/');
    const isPlain = slash > 0 && plainName.test(path.slice(slash + 1)) && isInPlainFolder(path, slash);
    if (isPlain && !names.hasMore(path) ? true : isReadable(path)) readable.push(path);
  }
  return readable;
}

/** What no list of names that are guarded everywhere has. */
const plainName = /^[\w-][\w@+,=%.-]*[\w-]$/;

function holdsNothingGuarded(folder: string, { credentials, homes, linked, holders }: KnownPlaces): boolean {
  return !(
    folder.startsWith('/proc/') ||
    holders.has(folder) ||
    isInside(folder, credentials) ||
    isInside(folder, homes) ||
    linked.some(({ real }) => folder === real || folder.startsWith(`${real}/`))
  );
}
