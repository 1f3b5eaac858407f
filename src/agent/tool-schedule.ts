/** Decides which calls of one message may run side by side. */
import type { CallParallel } from './tool.ts';

/** At most this many tools run at once. */
export const maxParallelTools = 8;

/** True when every call is known to be harmless next to every other one; one doubtful call makes all run in order. */
export function mayRunInParallel(calls: readonly (CallParallel | undefined)[]): boolean {
  if (calls.length < 2) return false;
  const claimed: string[][] = [];
  for (const call of calls) {
    if (call === undefined || call === 'never') return false;
    if (call === 'safe') continue;
    for (const path of call.paths) {
      const segments = pathSegments(path);
      if (claimed.some((other) => overlaps(other, segments))) return false;
      claimed.push(segments);
    }
    if (call.paths.length === 0) return false;
  }
  return true;
}

/** Equal, or one an ancestor of the other; compared by segments, links are not followed. */
function overlaps(left: readonly string[], right: readonly string[]): boolean {
  const shared = Math.min(left.length, right.length);
  return left.slice(0, shared).every((segment, index) => segment === right[index]);
}

/** Segments without `.` and empty ones, `..` applied. A backslash separates too: at worst calls run in order needlessly. */
function pathSegments(path: string): string[] {
  const segments: string[] = path.startsWith('/') ? ['/'] : [];
  for (const segment of path.split(/[\\/]/)) {
    if (segment === '' || segment === '.') continue;
    const last = segments.at(-1);
    if (segment === '..' && last !== undefined && last !== '/' && last !== '..') segments.pop();
    else segments.push(segment);
  }
  return segments;
}
