/** Where a path of this machine really leads, for judging what a command writes there. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Follows links as far as the path exists; each path is looked up once, as commands name the same one again and again. */
export function createLinkFollower(): (path: string) => string {
  const known = new Map<string, string>();
  const follow = (path: string): string => {
    const found = known.get(path) ?? realPlace(path, follow);
    known.set(path, found);
    return found;
  };
  return follow;
}

function realPlace(path: string, follow: (path: string) => string): string {
  try {
    return realpathSync(path);
  } catch {
    // What does not exist yet is where its folder is.
    const folder = dirname(path);
    return folder === path ? path : join(follow(folder), basename(path));
  }
}
