/** Paths of another host, as they are written. */
import { posix } from 'node:path';

/** Absolute where it can be: before the host was ever opened, `~` is left to its shell. */
export function resolvePath(path: string, cwd: string, home: string | undefined): string {
  const full = path.startsWith('/') || path.startsWith('~') ? path : `${cwd}/${path}`;
  const known = home !== undefined && /^~(\/|$)/.test(full) ? `${home}${full.slice(1)}` : full;
  if (!known.startsWith('/')) return known.replace(/\/+(\.?\/+)*/g, '/').replace(/(.)\/\.?$/, '$1');
  const normal = posix.normalize(known);
  return normal.length > 1 ? normal.replace(/\/$/, '') : normal;
}
