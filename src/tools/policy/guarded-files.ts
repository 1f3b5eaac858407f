/** The only way to files that tools have: the environment's own, behind the path guard. */
import type { FileSystem } from '../../environments/environment.ts';
import type { PathGuard } from '../../safety/paths.ts';

/** Refused by the path guard. The message starts with `Read denied:` or `Write denied:` and says what to do instead. */
export class PathDenied extends Error {
  override readonly name = 'PathDenied';
}

/**
 * Every operation follows symbolic links first and then works on the very path that was judged, so that a link cannot
 * lead around the guard.
 */
export function createGuardedFiles(files: FileSystem, guard: PathGuard): FileSystem {
  async function judged(path: string, judge: (realPath: string) => string | undefined): Promise<string> {
    const realPath = await files.realPath(path);
    const denied = judge(realPath);
    if (denied !== undefined) throw new PathDenied(denied);
    return realPath;
  }
  const readable = (path: string) => judged(path, (real) => guard.denyRead(real));
  const writable = (path: string) => judged(path, (real) => guard.denyWrite(real));
  const movable = (path: string) => judged(path, (real) => guard.denyMove(real));
  return {
    resolve: (path) => files.resolve(path),
    realPath: (path) => files.realPath(path),
    stat: (path) => files.stat(path),
    read: async (path, signal) => await files.read(await readable(path), signal),
    write: async (path, data) => await files.write(await writable(path), data),
    list: async (directory) => await files.list(await readable(directory)),
    remove: async (path) => await files.remove(await unfollowed(path)),
    rename: async (from, to) => await files.rename(await unfollowed(from), await writable(to)),
  };

  /** Removing or moving a link leaves its target alone, but both must be free of the guard. */
  async function unfollowed(path: string): Promise<string> {
    await movable(path);
    return path;
  }
}
