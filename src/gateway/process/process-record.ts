/** Tells a process from another one that has its number later, in the words of the original's files. */
import { readFileSync } from 'node:fs';
import { isRunning } from '../../lib/is-running.ts';
import { startTicks } from '../../sessions/process-identity.ts';

export interface ProcessRecord {
  readonly pid: number;
  /** In ticks of the kernel since the machine started; null where that is not known. */
  readonly start_time: number | null;
}

export function ownRecord(): ProcessRecord {
  return { pid: process.pid, start_time: startTicks(process.pid) ?? null };
}

/** True for a process that runs, is not stopped, and is the one of the record. */
export function isAlive({ pid, start_time: startTime }: ProcessRecord): boolean {
  if (!isRunning(pid) || isStopped(pid)) return false;
  const now = startTicks(pid);
  return startTime === null || now === undefined || startTime === now;
}

/** One that was stopped (SIGSTOP) or has ended and is not waited for holds nothing. See proc_pid_stat(5), field 3. */
function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return ['T', 'Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '');
  } catch {
    return false;
  }
}
