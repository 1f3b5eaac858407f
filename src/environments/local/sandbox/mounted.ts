/** Looks whether a sandbox became what it was meant to be: names may lead elsewhere between the plan and the mounting. */
import { readFileSync, statSync } from 'node:fs';
import type { Cover } from './bubblewrap-arguments.ts';

/**
 * The first cover that does not lie where it should, or lies over something else; undefined when all do. `pid`: a process
 * inside. What is mounted there stays: nothing inside can change it.
 */
export function misplaced(pid: number, covers: readonly Cover[]): Cover | undefined {
  const points = mountPoints(pid);
  return covers.find(({ how, place: { path, identity } }) => {
    if (!points.has(path)) return true;
    const isThere = identityInside(pid, path) === identity;
    return how === 'hidden' ? isThere : !isThere;
  });
}

/** See proc_pid_mountinfo(5): the fifth column, in which spaces and their like are written in octal. */
function mountPoints(pid: number): ReadonlySet<string> {
  const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
  return new Set(lines.map((line) => unescape(line.split(' ')[4] ?? '')));
}

function unescape(path: string): string {
  if (!path.includes('\\')) return path;
  const bytes = Buffer.from(path).toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return Buffer.from(plain, 'latin1').toString();
}

function identityInside(pid: number, path: string): string | undefined {
  try {
    const { dev, ino } = statSync(`/proc/${pid}/root${path}`);
    return `${dev}:${ino}`;
  } catch {
    // Gone, or not for us to see: then it is not what was meant.
    return undefined;
  }
}
