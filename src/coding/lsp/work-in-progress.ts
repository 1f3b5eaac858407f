/** What a server says it is doing in its background, such as reading a whole project. */
import * as z from 'zod';

const progress = z.object({
  token: z.union([z.string(), z.number()]),
  value: z.object({ kind: z.enum(['begin', 'report', 'end']) }),
});
const maxTokens = 100;

export class WorkInProgress {
  readonly #under = new Set<string | number>();
  #changed = Promise.withResolvers<void>();

  /** A `$/progress` of the server. */
  note(params: unknown): void {
    const { data } = progress.safeParse(params);
    if (data === undefined) return;
    if (data.value.kind === 'begin' && this.#under.size < maxTokens) this.#under.add(data.token);
    else if (data.value.kind === 'end') this.#under.delete(data.token);
    else return;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /**
   * Waits until there is none. False when there was none, and none began within `beginsMs`. Rejects when `signal` aborts
   * before.
   */
  async ended(beginsMs: number, signal: AbortSignal): Promise<boolean> {
    const aborted = Promise.withResolvers<never>();
    // Whether somebody still waits or not.
    aborted.promise.catch(() => undefined);
    const onAbort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    let timer: NodeJS.Timeout | undefined;
    try {
      const soon = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, beginsMs);
      });
      if (this.#under.size === 0) await Promise.race([this.#changed.promise, soon, aborted.promise]);
      if (this.#under.size === 0) return false;
      while (this.#under.size > 0) await Promise.race([this.#changed.promise, aborted.promise]);
      return true;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }
}
