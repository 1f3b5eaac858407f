/** Tells whether standard input was made for this program, or belongs to a loop or a script that runs it. Linux only. */
import { readFileSync, readlinkSync } from 'node:fs';

/** Programs that run another one with their own input and read none of it themselves. */
const passingOn = /^(?:g?timeout|sudo|doas|time|strace|ltrace|script|npx|npm(?: .*)?)$/;
const maxAncestors = 32;

/** Where in a file the next read begins, in bytes; undefined where the system does not say. */
export function inputPosition(): number | undefined {
  const position = /^pos:\s*(\d+)/m.exec(read('/proc/self/fdinfo/0') ?? '')?.[1];
  return position === undefined ? undefined : Number(position);
}

/** True when a program above has the same pipe as its own input, other than one that only passes it on. */
export function isSharedInput(): boolean {
  const own = inputOf('self');
  if (own === undefined) return false;
  let pid = process.ppid;
  for (let level = 0; level < maxAncestors && pid > 1; level += 1) {
    if (inputOf(pid) !== own) return false;
    if (!passesOn(pid)) return true;
    pid = parentOf(pid);
  }
  return false;
}

function passesOn(pid: number): boolean {
  const name = read(`/proc/${pid}/comm`)?.trimEnd() ?? '';
  // The launcher, where it had to start a newer Node.
  const script = read(`/proc/${pid}/cmdline`)?.split('\0')[1] ?? '';
  return passingOn.test(name) || /(?:^|\/)hermes(?:\.mjs)?$/.test(script);
}

/** Such as `pipe:[4711]`. */
function inputOf(pid: number | 'self'): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/0`);
  } catch {
    // No /proc, or a process of somebody else: nothing is known.
    return undefined;
  }
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1] ?? 0);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // No /proc, or the process has ended meanwhile.
    return undefined;
  }
}
