/** Which process somebody is, so that another one can see whether it still lives. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning } from '../lib/is-running.ts';

export interface ProcessIdentity {
  /** The machine, and the set of process ids where several share its name (containers). */
  readonly host: string;
  readonly pid: number;
  /** Tells it from a later process of the same id; null where the system does not say. */
  readonly start: string | null;
}

/** This process. */
export function ownProcess(): ProcessIdentity {
  const namespace = ifReadable(() => readlinkSync('/proc/self/ns/pid'));
  return {
    host: namespace === undefined ? hostname() : `${hostname()} ${namespace}`,
    pid: process.pid,
    start: startOf(process.pid) ?? null,
  };
}

/** True when it certainly is: a process of another machine may well be alive. */
export function isDead(identity: ProcessIdentity, seenFrom: ProcessIdentity): boolean {
  if (identity.host !== seenFrom.host) return false;
  if (!isRunning(identity.pid)) return true;
  return identity.start !== null && seenFrom.start !== null && startOf(identity.pid) !== identity.start;
}

/** The name of the machine alone. */
export function hostName({ host }: Pick<ProcessIdentity, 'host'>): string {
  return host.split(' ', 1).join('');
}

/**
 * When a process started, in clock ticks since the machine did, as the original keeps it beside a process id; undefined
 * where the system does not say. See https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html (field 22).
 */
export function startTicks(pid: number): number | undefined {
  return ifReadable(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may hold spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  });
}

/** Boot and start time. */
function startOf(pid: number): string | undefined {
  const ticks = startTicks(pid);
  const boot = ifReadable(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  return ticks === undefined || boot === undefined ? undefined : `${boot} ${ticks}`;
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // Not every system has /proc, and a process may end while it is looked at; both mean "not known".
    return undefined;
  }
}
