/** Ends the gateway of a home from outside: asks first, insists later. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, UserError } from '../../lib/errors.ts';
import { announceEnd, type PlannedEnd } from './markers.ts';
import { isAlive, type ProcessRecord } from './process-record.ts';
import { pidFile } from './running-gateway.ts';

export interface EndOptions {
  readonly kind: PlannedEnd;
  /** How long it gets to end by itself, in milliseconds. */
  readonly graceMs: number;
}

const lookMs = 100;
const killMs = 5000;

/** Returns whether it had to be killed. Throws `UserError` when that is not possible. */
export async function endGateway(
  homePath: string,
  record: ProcessRecord,
  { kind, graceMs }: EndOptions,
): Promise<boolean> {
  announceEnd(homePath, kind, record.pid);
  signal(record, 'SIGTERM');
  if (await isGone(record, graceMs)) return false;
  signal(record, 'SIGKILL');
  if (!(await isGone(record, killMs))) {
    throw new UserError(`The gateway with pid ${record.pid} cannot be ended.`, {
      hint: `Look what holds it: ps -o pid,stat,wchan,args -p ${record.pid}`,
    });
  }
  rmSync(pidFile(homePath), { force: true });
  return true;
}

async function isGone(record: ProcessRecord, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isAlive(record)) {
    if (performance.now() > deadline) return false;
    await sleep(lookMs);
  }
  return true;
}

function signal({ pid }: ProcessRecord, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It has ended meanwhile.
    if (errorCode(error) === 'ESRCH') return;
    throw new UserError(`The gateway with pid ${pid} belongs to somebody else and cannot be ended.`, { cause: error });
  }
}
