/** Whether a process lives. */
import { errorCode } from './errors.ts';

/** True for any process of this machine, whoever it runs as. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as somebody else.
    return errorCode(error) === 'EPERM';
  }
}
