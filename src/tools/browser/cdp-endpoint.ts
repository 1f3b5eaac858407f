/** A browser that runs already and is spoken to over its DevTools protocol. Its network is its own. */
import type { Browser, Page } from 'playwright-core';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { AskedAddresses } from './asked-addresses.ts';
import type { BrowserBackend, OpenedBrowser, OpenOptions } from './backend.ts';
import type { NetworkRules } from './network-rules.ts';

const connectMs = 30_000;
const closeMs = 2000;
const usualHint =
  'Start it with --remote-debugging-port, or go back to the one of this machine with: /browser disconnect';

/**
 * Only tabs that are opened here are watched and closed. What they ask for is looked at by its name and what that leads to
 * before it is sent; the connection is the browser's own, so a redirect of a part of a page is not seen, while a page that
 * is led into the own network is left.
 */
export class CdpEndpoint implements BrowserBackend {
  readonly name: string;
  readonly isPersons = true;
  readonly keepsDialogs = true;
  readonly #url: string;
  readonly #hint: string;

  /** `http://host:port` or the `ws://` address of a browser; what is said of it when nobody answers there. */
  constructor(
    url: string,
    { name = placeOf(url), hint = usualHint }: { readonly name?: string; readonly hint?: string } = {},
  ) {
    this.#url = url;
    this.#hint = hint;
    this.name = name;
  }

  async open({ rules, signal }: OpenOptions): Promise<OpenedBrowser> {
    const { chromium } = await import('playwright-core');
    signal.throwIfAborted();
    let browser: Browser;
    try {
      browser = await chromium.connectOverCDP(this.#url, { timeout: connectMs });
    } catch (error) {
      signal.throwIfAborted();
      throw new UserError(`No browser answers at ${this.name}.`, {
        hint: this.#hint,
        cause: errorMessage(error).replaceAll(this.#url, this.name),
      });
    }
    const context = browser.contexts()[0] ?? (await browser.newContext());
    const own = new Set<Page>();
    const asked = new AskedAddresses(rules);
    return {
      context,
      async guard(page) {
        own.add(page);
        page.once('close', () => own.delete(page));
        await page.route('**/*', async (route) => {
          const address = route.request().url();
          const why = await asked.refusalOf(address);
          if (why === undefined) return await route.fallback();
          tell(rules, address, why);
          return await route.abort('blockedbyclient');
        });
        await page.routeWebSocket(/.*/, async (socket) => {
          const why = await asked.refusalOf(socket.url().replace(/^ws/, 'http'));
          if (why === undefined) socket.connectToServer();
          else await socket.close({ code: 1008 });
        });
      },
      async close() {
        const closed = Promise.allSettled([...own].map((page) => page.close()));
        // A tab that hangs is left to its person.
        await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
        await browser.close().catch(() => undefined);
      },
    };
  }
}

/** Without what may be secret in it. */
export function placeOf(endpoint: string): string {
  return URL.parse(endpoint)?.host ?? 'this address';
}

function tell(rules: NetworkRules, address: string, why: string): void {
  const url = URL.parse(address);
  if (url !== null) rules.refused(url.hostname, Number(url.port) || (url.protocol === 'https:' ? 443 : 80), why);
}
