/** Knows when a page has done what an action made it do. */
import type { Page, Request } from 'playwright-core';

/** Requests that never end, or that nothing waits for. */
const notWaitedFor = new Set(['eventsource', 'websocket', 'media', 'ping', 'beacon', 'manifest', 'image', 'font']);

export class Settling {
  readonly #page: Page;
  readonly #open = new Set<Request>();
  readonly #waiting = new Set<() => void>();

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => {
      if (!notWaitedFor.has(request.resourceType())) this.#open.add(request);
    });
    const ended = (request: Request): void => {
      this.#open.delete(request);
      if (this.#open.size === 0) for (const told of this.#waiting) told();
    };
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
    page.on('framenavigated', (frame) => {
      // What the page before had asked for ends without a word.
      if (frame !== page.mainFrame()) return;
      for (const request of this.#open) if (!request.isNavigationRequest()) this.#open.delete(request);
    });
  }

  /** Resolves when the page has nothing under way any more and has drawn what came of it, at the latest after `maxMs`. */
  async wait(maxMs: number, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
    while (!limit.aborted) {
      await this.#drawn(limit);
      if (this.#open.size === 0) return;
      await this.#quiet(limit);
    }
  }

  async #drawn(limit: AbortSignal): Promise<void> {
    const frame = this.#page
      .evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')
      // Between two pages there is nothing that could be drawn.
      .catch(() => undefined);
    await Promise.race([frame, aborted(limit)]);
  }

  async #quiet(limit: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await Promise.race([promise, aborted(limit)]);
    this.#waiting.delete(resolve);
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
