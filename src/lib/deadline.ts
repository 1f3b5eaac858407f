/** A limit in time that is taken away when what it is for has ended. */
import { timerMs } from './timer-limit.ts';

export interface Deadline extends Disposable {
  /** Aborts when the time is over, and when the given one does. */
  readonly signal: AbortSignal;
  /** The time is over. */
  readonly passed: boolean;
}

/**
 * For what happens many times a second: signals that are made with `AbortSignal.timeout` and `AbortSignal.any` stay, with
 * all that listens to them, until the time is over. It keeps no process alive.
 *
 * @example
 * using deadline = startDeadline(30_000, signal);
 * await ask(deadline.signal);
 */
export function startDeadline(ms: number, given?: AbortSignal): Deadline {
  const controller = new AbortController();
  let passed = false;
  const timer = setTimeout(() => {
    passed = true;
    controller.abort(new DOMException(`it took longer than ${ms} ms`, 'TimeoutError'));
  }, timerMs(ms)).unref();
  const follow = (): void => controller.abort(given?.reason);
  if (given?.aborted === true) follow();
  else given?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    get passed() {
      return passed;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      given?.removeEventListener('abort', follow);
    },
  };
}
