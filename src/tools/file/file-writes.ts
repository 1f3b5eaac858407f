/** Keeps the sessions of one process from writing a file over each other unseen. */

/** So many files are known; the oldest are forgotten. */
const maxFiles = 2000;

/** One for all sessions of a process. Paths are real and absolute. */
export class FileWrites {
  readonly #writers = new Map<string, string>();
  readonly #running = new Map<string, Promise<unknown>>();

  /** Runs the work while no other work on one of these files runs. Throws the signal's reason when it aborts before. */
  async alone<T>(paths: readonly string[], signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    // All take their turns in one go, so none waits for one that waits for it.
    const turn = Promise.allSettled(paths.map((path) => this.#running.get(path) ?? Promise.resolve()));
    const running = turn.then(async () => {
      signal.throwIfAborted();
      return await work();
    });
    const settled = running.then(
      () => undefined,
      () => undefined,
    );
    for (const path of paths) this.#running.set(path, settled);
    void settled.then(() => {
      for (const path of paths) if (this.#running.get(path) === settled) this.#running.delete(path);
    });
    await untilAborted(turn, signal);
    return await running;
  }

  note(path: string, sessionId: string): void {
    this.#writers.delete(path);
    this.#writers.set(path, sessionId);
    const [oldest] = this.#writers.keys();
    if (this.#writers.size > maxFiles && oldest !== undefined) this.#writers.delete(oldest);
  }

  /** The session that wrote the file last, when it was another one. */
  otherWriter(path: string, sessionId: string): string | undefined {
    const writer = this.#writers.get(path);
    return writer === sessionId ? undefined : writer;
  }
}

async function untilAborted(turn: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([turn, promise]);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
}
