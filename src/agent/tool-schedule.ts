/** Which calls of one message run side by side, and which wait for those before them. */
import pLimit from 'p-limit';
import type { CallParallel } from './tool.ts';

/** At most this many tools run at once. */
const maxParallelTools = 8;

interface Schedule<Call> {
  /** Asked once the calls that this one waits for have ended. */
  readonly parallel: (call: Call) => CallParallel | undefined;
  readonly start: (call: Call, index: number, isAlone: boolean) => Promise<void>;
}

/** Starts all calls: those that may share with their neighbours at once, any other after everything before it. */
export async function runInOrder<Call>(calls: readonly Call[], { parallel, start }: Schedule<Call>): Promise<void> {
  const limit = pLimit(maxParallelTools);
  for (let begin = 0; begin < calls.length; ) {
    const rest = calls.slice(begin);
    const run = rest.slice(0, runLength(rest.values().map(parallel)));
    const [first, isAlone] = [begin, run.length === 1];
    await Promise.all(run.map((call, index) => limit(() => start(call, first + index, isAlone))));
    begin += run.length;
  }
}

/**
 * How many calls from the first on may run side by side, at least one. A call that must not share is waited for by
 * everything behind it, and so is a call on a path that an earlier one of the run touches. Reads no further than it must.
 */
export function runLength(calls: Iterable<CallParallel | undefined>): number {
  const claimed: string[][] = [];
  let length = 0;
  for (const call of calls) {
    const paths = pathsOf(call)?.map(pathSegments);
    if (paths === undefined) return Math.max(length, 1);
    if (paths.some((path) => claimed.some((other) => overlaps(other, path)))) return length;
    claimed.push(...paths);
    length += 1;
  }
  return Math.max(length, 1);
}

/** Undefined: it is not known what the call touches. */
function pathsOf(call: CallParallel | undefined): readonly string[] | undefined {
  if (call === 'safe') return [];
  return call === undefined || call === 'never' || call.paths.length === 0 ? undefined : call.paths;
}

/** Equal, or one an ancestor of the other; compared by segments, links are not followed. */
function overlaps(left: readonly string[], right: readonly string[]): boolean {
  const shared = Math.min(left.length, right.length);
  return left.slice(0, shared).every((segment, index) => segment === right[index]);
}

/** Segments without `.` and empty ones, `..` applied. A backslash separates too: at worst calls wait needlessly. */
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
