/** An environment's files behind the path guard: the only file access that tools get. */
import { posix, win32 } from 'node:path';
import type { FileSystem } from '../../environments/environment.ts';
import type { PathGuard } from '../../safety/paths.ts';
import { PathDenied } from './path-denied.ts';

/**
 * Every operation follows the links of its path first, is judged on the real path, and acts on that same real path, so
 * that a link changed in between leads nowhere else. Throws `PathDenied` for what the guard refuses.
 */
export function createGuardedFiles(files: FileSystem, guard: PathGuard): FileSystem {
  const allow = (denied: string | undefined, path: string): void => {
    if (denied !== undefined) throw new PathDenied(denied, path);
  };
  const readable = async (path: string): Promise<string> => {
    const real = await files.realPath(path);
    allow(guard.denyRead(real), path);
    return real;
  };
  /** The name itself, in its directory's real place: removing or renaming a link concerns the link, not its target. */
  const movable = async (path: string): Promise<string> => {
    const style = path.includes('\\') && !path.startsWith('/') ? win32 : posix;
    const name = style.join(await files.realPath(style.dirname(path)), style.basename(path));
    allow(guard.denyMove(name), path);
    return name;
  };

  return {
    resolve: (path) => files.resolve(path),
    realPath: (path) => files.realPath(path),
    // Whether something exists is no secret, and tools must be able to say what is in the way.
    stat: (path) => files.stat(path),
    async read(path, signal) {
      const real = await readable(path);
      const bytes = await files.read(real, signal);
      // A directory on the way may have become a link while the file was opened: then this is another file.
      if ((await files.realPath(real)) !== real) {
        throw new PathDenied(`Access denied: ${path} changed while it was read. Try again.`, path);
      }
      return bytes;
    },
    async list(directory) {
      return await files.list(await readable(directory));
    },
    async write(path, data) {
      const real = await files.realPath(path);
      allow(guard.denyWrite(real), path);
      return await files.write(real, data, { asChecked: true });
    },
    async remove(path) {
      await files.remove(await movable(path), { asChecked: true });
    },
    async rename(from, to) {
      const source = await movable(from);
      // What cannot be read must not be moved to where it can.
      allow(guard.denyRead(source), from);
      const target = await movable(to);
      await files.rename(source, target, { asChecked: true });
    },
  };
}
