/** Real pipes for child processes. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/**
 * Opens a pipe; both ends are file descriptors of ours, closed on exec unless handed to a child. Node itself gives
 * children socket pairs, and on those `echo hi > /dev/stderr` and `cat /dev/stdin` fail (ENXIO). A named pipe that
 * loses its name at once is a plain pipe.
 * @param scratch a directory of ours
 * @returns `undefined` where no named pipe can be made; Node's socket pairs do then
 */
export async function openPipe(scratch: string): Promise<Pipe | undefined> {
  const path = join(scratch, randomBytes(6).toString('hex'));
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', path], { timeout: 5000 });
  } catch {
    // No mkfifo here, or a directory that has no named pipes: nothing is lost but /dev/stderr and /dev/stdin.
    return undefined;
  }
  // Held open for both directions first: opening one end alone would block until the other is there.
  const holder = openSync(path, constants.O_RDWR);
  try {
    return { readEnd: openSync(path, constants.O_RDONLY), writeEnd: openSync(path, constants.O_WRONLY) };
  } finally {
    closeSync(holder);
    rmSync(path, { force: true });
  }
}
