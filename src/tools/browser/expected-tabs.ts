/** Knows of tabs from the moment a page asks for them: until they can be used there is nothing else to see of them. */
import type { BrowserContext } from 'playwright-core';

export class ExpectedTabs {
  #expected = 0;
  readonly #waiting = new Set<() => void>();

  /** Without a view of the whole browser none is expected. */
  async watch(context: BrowserContext): Promise<void> {
    const session = await context.browser()?.newBrowserCDPSession();
    session?.on('Target.targetCreated', ({ targetInfo: { type, openerId } }) => {
      if (type === 'page' && openerId !== undefined) this.#expected += 1;
    });
    await session?.send('Target.setDiscoverTargets', { discover: true });
    // Those that were open before.
    this.#expected = 0;
  }

  /** One is there, whoever opened it. */
  arrived(): void {
    this.#expected = Math.max(0, this.#expected - 1);
    if (this.#expected === 0) for (const told of this.#waiting) told();
  }

  /** Resolves when all are there, at the latest after `maxMs`. */
  async wait(maxMs: number): Promise<void> {
    if (this.#expected === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxMs);
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    // What has not come by now was closed again.
    this.#expected = 0;
  }
}
