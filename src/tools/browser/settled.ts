/** Knows when a page has done what an action made it do. */
import type { JSHandle, Page, Request } from 'playwright-core';

/** Requests that never end, or that nothing waits for. */
const notWaitedFor = new Set(['eventsource', 'websocket', 'media', 'ping', 'beacon', 'manifest', 'image', 'font']);

interface Watched {
  settled(): Promise<void>;
}

/** What a page was like before something was done. */
export type Noted = JSHandle<Watched>;

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

  /**
   * Resolves when the page has nothing under way any more and has drawn what came of it, at the latest after `maxMs`. A page
   * that `before` says has changed nothing draws nothing, and is not waited for.
   */
  async wait(maxMs: number, signal: AbortSignal, before?: Noted): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
    let noted = before;
    while (!limit.aborted) {
      await this.#drawn(limit, noted);
      if (this.#open.size === 0) return;
      await this.#quiet(limit);
      noted = undefined;
    }
  }

  /** Looks whether anything changes from now on; undefined where that cannot be told. */
  async note(): Promise<Noted | undefined> {
    // What happens inside frames is not seen from their page.
    if (this.#page.frames().length > 1) return undefined;
    return await this.#page.evaluateHandle<Watched>(noteScript).catch(() => undefined);
  }

  async #drawn(limit: AbortSignal, noted: Noted | undefined): Promise<void> {
    const drawn =
      noted === undefined ? this.#page.evaluate(`(${frameScript})()`) : noted.evaluate((watched) => watched.settled());
    // Between two pages there is nothing that could be drawn.
    await Promise.race([drawn.catch(() => undefined), aborted(limit)]);
  }

  async #quiet(limit: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await Promise.race([promise, aborted(limit)]);
    this.#waiting.delete(resolve);
  }
}

const frameScript = `() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))`;

/**
 * Components draw where nobody else sees it, so a page that has some is taken to change. What handlers put off without
 * waiting for a frame has been done after two tasks.
 */
const noteScript = `(() => {
  const place = () => [scrollX, scrollY, location.href].join(' ');
  const before = place();
  let changed = [...document.querySelectorAll('*')].some(({ localName }) => localName.includes('-'));
  const observer = new MutationObserver(() => { changed = true; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const settled = async () => {
    for (let task = 0; task < 2 && !changed; task++) await new Promise((resolve) => setTimeout(resolve));
    observer.disconnect();
    if (changed || place() !== before) await (${frameScript})();
  };
  return { settled };
})()`;

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
