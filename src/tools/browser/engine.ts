/** `browser.engine: lightpanda`: what Lightpanda cannot do is done in Chrome, and the answer says so. */
import type { Page } from 'playwright-core';
import { errorMessage } from '../../lib/errors.ts';
import type { BrowserBackend } from './backend.ts';
import type { BrowserCommand, OpenTabs } from './browser-command.ts';
import { browserError } from './errors.ts';
import { NotDone, NotOpened } from './not-done.ts';
import { isPrivateHost } from './private-host.ts';

export interface EngineOptions {
  readonly lightpanda: () => Promise<BrowserBackend>;
  /** Undefined where there is none. */
  readonly chrome: () => Promise<BrowserBackend | undefined>;
}

/** The browser of a session, whichever it is at the moment. */
interface Browsing {
  readonly isOpen: boolean;
  readonly address: URL | undefined;
  use(command: BrowserCommand, work: Work): Promise<object>;
  close(): Promise<void>;
}

type Work = (open: OpenTabs) => Promise<object>;

/** What Lightpanda had open when it failed. */
interface Left {
  readonly open: OpenTabs;
  readonly address: URL | undefined;
}

/** Less than that is no page. */
const leastSnapshot = 20;
const cookiesMs = 2000;
const snapshotMs = 5000;
const noPicture = 'it draws no pages';

export class BrowserEngine {
  readonly #options: EngineOptions;
  #isChrome = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Lightpanda, or Chrome once that took over, until it closes. */
  async backend(): Promise<BrowserBackend | undefined> {
    if (!this.#isChrome) return await this.#options.lightpanda();
    const chrome = await this.#options.chrome();
    if (chrome === undefined) return undefined;
    const { name, isPersons, keepsDialogs } = chrome;
    return {
      name,
      isPersons,
      keepsDialogs,
      open: async (options) => {
        const opened = await chrome.open(options);
        return {
          ...opened,
          close: async () => {
            this.#isChrome = false;
            await opened.close();
          },
        };
      },
    };
  }

  /** Runs one command of `browser`. */
  async run(browser: Browsing, command: BrowserCommand, work: Work): Promise<object> {
    if (this.#isChrome) return await browser.use(command, work);
    let left: Left | undefined;
    const noting: Work = async (open) => {
      left = { open, address: browser.address };
      if (command.picture === true) throw new Error(noPicture);
      const made = await work(open);
      if ('snapshot' in made && String(made.snapshot).trim().length < leastSnapshot)
        throw new Error('its snapshot is empty');
      return made;
    };
    try {
      return await browser.use(command, noting);
    } catch (error) {
      command.signal.throwIfAborted();
      if (error instanceof NotDone && !(error instanceof NotOpened)) throw error;
      const address = command.address ?? shownIn(left);
      if (address === undefined || (await this.#options.chrome()) === undefined) throw error;
      return await this.#inChrome(
        browser,
        { ...command, address },
        { work, left, error, goes: command.address === undefined },
      );
    }
  }

  async #inChrome(
    browser: Browsing,
    command: BrowserCommand & { readonly address: URL },
    {
      work,
      left,
      error,
      goes,
    }: { readonly work: Work; readonly left: Left | undefined; readonly error: unknown; readonly goes: boolean },
  ): Promise<object> {
    const { ref, address } = command;
    const why = `Lightpanda could not do it (${browserError(error).replace(/\.$/, '')})`;
    const page = left === undefined ? undefined : (left.open.tabs.current ?? left.open.tab).page;
    const cookies = await within(cookiesMs, page?.context().cookies());
    const meant = ref === undefined ? undefined : await lineOf(page, ref);
    await browser.close();
    this.#isChrome = true;
    try {
      return await browser.use({ ...command, opens: true }, async (open) => {
        const { page: shown } = open.tab;
        if (cookies !== undefined)
          await shown
            .context()
            .addCookies(cookies)
            .catch(() => undefined);
        if (goes) {
          open.rules.open(address);
          await shown.goto(address.href, { waitUntil: 'domcontentloaded', timeout: open.timeoutMs });
          await open.tab.settling.wait(snapshotMs, open.signal);
        }
        if (ref !== undefined && (meant === undefined || meant !== (await lineOf(shown, ref))))
          throw new NotDone(
            `${why}. The page is open in Chrome now: take a browser_snapshot for the names of things there.`,
          );
        return { ...(await work(open)), ...warningOf(why) };
      });
    } catch (failed) {
      // Where Chrome did not even start, the next page begins anew.
      if (!browser.isOpen) this.#isChrome = false;
      command.signal.throwIfAborted();
      if (failed instanceof NotDone) throw failed;
      throw new NotDone(`${why}, and Chrome could not either: ${errorMessage(failed)}`);
    }
  }
}

/** What is shown and may be: a page that led where it must not is not opened again. */
function shownIn(left: Left | undefined): URL | undefined {
  if (left?.address === undefined) return undefined;
  const { hostname } = left.address;
  return isPrivateHost(hostname) && !left.open.rules.mayBePrivate(hostname) ? undefined : left.address;
}

/** What the thing with this name is, by the page; undefined when there is none. */
async function lineOf(page: Page | undefined, ref: string): Promise<string | undefined> {
  const tree = await within(snapshotMs, page?.ariaSnapshot({ mode: 'ai', timeout: snapshotMs }));
  if (tree === undefined) return undefined;
  const { refLine } = await import('./snapshot-lines.ts');
  return refLine(tree, ref);
}

async function within<T>(ms: number, asked: Promise<T> | undefined): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([asked?.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

function warningOf(reason: string): object {
  return {
    fallback_warning: `${reason}. Chrome did it, and has the page open from now on.`,
    browser_engine: 'chrome',
    browser_engine_fallback: { from: 'lightpanda', to: 'chrome', reason },
  };
}
