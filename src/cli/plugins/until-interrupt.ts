/** Lets a person stop what takes its time, and what was begun be tidied up behind it. */
import { UserError } from '../../lib/errors.ts';

/** Ctrl+C aborts the signal that `work` gets. Throws what `work` throws. */
export async function untilInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort(new UserError('Stopped. Nothing was changed.'));
  process.once('SIGINT', stop);
  try {
    return await work(stopped.signal);
  } finally {
    process.off('SIGINT', stop);
  }
}
