/** The tabs of one browser: which of them is meant, and what happened in them meanwhile. */
import type { BrowserContext, Page } from 'playwright-core';
import { remember } from '../../lib/bounded.ts';
import type { Dialogs } from './dialogs.ts';
import type { Downloads } from './downloads.ts';
import { ExpectedTabs } from './expected-tabs.ts';
import type { NetworkRules } from './network-rules.ts';
import { PageLog } from './page-log.ts';
import type { Recording } from './recording.ts';
import { Settling } from './settled.ts';

export interface TabsOptions {
  readonly context: BrowserContext;
  readonly rules: NetworkRules;
  readonly dialogs: Dialogs;
  readonly downloads: Downloads | undefined;
  readonly recording?: Recording | undefined;
  readonly guard?: ((page: Page) => Promise<void>) | undefined;
}

export interface Tab {
  readonly page: Page;
  readonly settling: Settling;
}

/** What is told with the next answer. */
export interface TabNews {
  readonly new_tab?: string;
  readonly closed_tabs?: string;
  readonly left_page?: string;
  readonly crashed?: string;
}

const maxTabs = 5;
const maxOffered = 10_000;
const maxShown = 100;

export class Tabs {
  readonly log = new PageLog();
  readonly expected = new ExpectedTabs();
  readonly #options: TabsOptions;
  #tabs: Tab[] = [];
  #news: TabNews = {};
  #closedAtOnce = 0;
  readonly #offered = new Set<string>();
  readonly #writers = new WeakMap<Page, URL>();
  #shown = new Set<string>();

  constructor(options: TabsOptions) {
    this.#options = options;
    options.context.on('page', (page) => void this.#appeared(page).finally(() => this.expected.arrived()));
  }

  /** The tab that was opened last. */
  get current(): Tab | undefined {
    return this.#tabs.at(-1);
  }

  /** The web page that wrote what is shown: itself, or the one that filled an empty window or made a document of its own. */
  get writer(): URL | undefined {
    const { page } = this.current ?? {};
    return page === undefined ? undefined : (webAddress(page.url()) ?? this.#writers.get(page));
  }

  /** Hosts of the pages that were shown since the last call, also of those that are gone. */
  takeShown(): ReadonlySet<string> {
    const shown = this.#shown;
    this.#shown = new Set();
    return shown;
  }

  /** The tab that is shown, or a new one. */
  async ensure(): Promise<Tab> {
    return this.current ?? (await this.fresh());
  }

  /** Whether the page that is shown does anything at all; one that computes for ever cannot even be left. */
  async answers(withinMs: number): Promise<boolean> {
    const { page } = this.current ?? {};
    if (page === undefined) return true;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    const answered = page.evaluate('1').then(
      () => true,
      // It is just leaving for another one.
      () => true,
    );
    try {
      return await Promise.race([answered, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A new tab in the place of all others of ours, for when one of them hangs. */
  async fresh(): Promise<Tab> {
    const old = this.#tabs;
    this.#tabs = [];
    const page = await this.#options.context.newPage();
    await this.#options.guard?.(page);
    const tab = this.#tabs.find((known) => known.page === page) ?? this.#add(page);
    for (const { page: hung } of old) void hung.close().catch(() => undefined);
    return tab;
  }

  /** Closes the tab that is shown, when it was opened by another one; false when there is no other. */
  async closeCurrent(): Promise<boolean> {
    const [tab, before] = [this.current, this.#tabs.at(-2)];
    if (tab === undefined || before === undefined) return false;
    await tab.page.close();
    return true;
  }

  /** Addresses that a page offers. */
  remember(links: readonly string[]): void {
    for (const link of links) remember(this.#offered, link, maxOffered);
  }

  /** Whether a page that was shown has a link with this very address. */
  offers(address: string): boolean {
    return this.#offered.has(address);
  }

  /** Why a page that was to be shown was left. */
  takeLeft(): string | undefined {
    const { left_page: left, ...rest } = this.#news;
    this.#news = rest;
    return left;
  }

  takeNews(): TabNews {
    const many = this.#closedAtOnce;
    const news = { ...this.#news, ...(many === 0 ? {} : { closed_tabs: `${many} more tabs that the page opened` }) };
    this.#news = {};
    this.#closedAtOnce = 0;
    return news;
  }

  async #appeared(page: Page): Promise<void> {
    if (this.#tabs.some((tab) => tab.page === page)) return;
    const opener = await page.opener().catch(() => null);
    // In a browser that somebody uses beside us, other tabs are none of ours.
    if (opener === null || !this.#tabs.some((tab) => tab.page === opener)) return;
    if (this.#tabs.length >= maxTabs) {
      this.#closedAtOnce += 1;
      await page.close().catch(() => undefined);
      return;
    }
    await this.#options.guard?.(page);
    const writer = webAddress(opener.url()) ?? this.#writers.get(opener);
    if (writer !== undefined) this.#writers.set(page, writer);
    this.#add(page);
    this.#news = { ...this.#news, new_tab: page.url() };
  }

  #add(page: Page): Tab {
    const tab = { page, settling: new Settling(page) };
    const { dialogs, downloads, recording, rules } = this.#options;
    this.#tabs.push(tab);
    recording?.follow(page);
    this.log.listen(page);
    dialogs.listen(page);
    downloads?.listen(page);
    page.on('close', () => this.#remove(tab));
    page.on('crash', () => this.#crashed(tab));
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame()) return;
      const refusal = rules.shown(frame.url());
      if (refusal !== undefined) this.#leave(tab, frame.url(), refusal);
      else this.#wrote(page, webAddress(frame.url()));
    });
    this.#wrote(page, webAddress(page.url()));
    return tab;
  }

  #wrote(page: Page, address: URL | undefined): void {
    if (address === undefined) return;
    this.#writers.set(page, address);
    remember(this.#shown, address.host, maxShown);
  }

  #remove(tab: Tab): void {
    this.#tabs = this.#tabs.filter((known) => known !== tab);
    if (this.current !== undefined) this.#options.recording?.follow(this.current.page);
  }

  #crashed(tab: Tab): void {
    this.#remove(tab);
    this.#news = { ...this.#news, crashed: `The tab crashed at ${tab.page.url()}: open the page again.` };
    void tab.page.close().catch(() => undefined);
  }

  /** Nothing of it is shown. */
  #leave(tab: Tab, address: string, reason: string): void {
    this.#news = { ...this.#news, left_page: `Blocked: the page led to ${address}; ${reason.replace(/\.?$/, '.')}` };
    void tab.page.goto('about:blank').catch(() => undefined);
  }
}

/** Of a page that a server gave; undefined for empty windows, documents that a page made, and errors of the browser. */
function webAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  return url === null || !/^https?:$/.test(url.protocol) ? undefined : url;
}
