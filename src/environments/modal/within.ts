/** Waiting for a library that takes no signals. */
import { unlessAborted } from '../remote/unless-aborted.ts';

/**
 * What a promise becomes, unless a deadline or a signal comes first; then what it stands for goes on unheard.
 * @param late what is told at the deadline
 */
export async function before<T>(
  promise: Promise<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  late: string,
): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs);
  promise.catch(() => undefined);
  try {
    return await unlessAborted(promise, signal === undefined ? deadline : AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (deadline.aborted && error === deadline.reason) {
      throw new Error(`${late} within ${timeoutMs / 1000} s`, { cause: error });
    }
    throw error;
  }
}
