/** The browser of one session: opened by its first use, closed when nobody used it for a while. */
import { join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import { timerMs } from '../../lib/timer-limit.ts';
import { abortOf } from './abort-of.ts';
import type { BrowserBackend, OpenedBrowser } from './backend.ts';
import type { BrowserCommand, OpenTabs } from './browser-command.ts';
import type { BrowserSessionOptions } from './browser-session-options.ts';
import type { CamofoxBrowser } from './camofox/camofox-browser.ts';
import type { Dialogs } from './dialogs.ts';
import type { BrowserEngine } from './engine.ts';
import type { NetworkRules } from './network-rules.ts';
import type { Tabs } from './tabs.ts';
import type { Downloads } from './downloads.ts';
import type { Recording } from './recording.ts';
import { TrustedHosts } from './trusted-hosts.ts';

interface Opened {
  readonly backend: BrowserBackend;
  readonly browser: OpenedBrowser;
  readonly tabs: Tabs;
  readonly rules: NetworkRules;
  readonly dialogs: Dialogs;
  readonly downloads: Downloads | undefined;
  readonly recording: Recording | undefined;
}

/** The first page waits for the browser too. */
const firstSeconds = 120;

export class BrowserSession {
  readonly #options: BrowserSessionOptions<BrowserSession>;
  readonly #trusted = new TrustedHosts();
  #opened: Opened | undefined;
  readonly #holder = { close: () => this.#closeOwn() };
  #idle: NodeJS.Timeout | undefined;
  #uses = 0;
  #endpoint: string | undefined;
  /** The sidecar while its page is the one that is shown. */
  #beside: BrowserSession | undefined;
  #end: Promise<void> = Promise.resolve();

  constructor(options: BrowserSessionOptions<BrowserSession>) {
    this.#options = options;
    this.#endpoint = options.endpoint;
  }

  /** Of the browser that runs already and is used; undefined: one is started here. */
  get endpoint(): string | undefined {
    return this.#endpoint;
  }

  /** Drives the pages in the place of `use`; undefined: there is none, or an endpoint is used. */
  get camofox(): CamofoxBrowser | undefined {
    return this.#endpoint === undefined ? this.#options.camofox : undefined;
  }

  /** Chooses between two browsers of this machine; undefined: there is one, or another one is used. */
  get engine(): BrowserEngine | undefined {
    return this.#endpoint === undefined ? this.#options.engine : undefined;
  }

  get isThere(): boolean {
    return this.#endpoint !== undefined || this.#options.isThere();
  }

  /** True while a browser runs. */
  get isOpen(): boolean {
    const { camofox, sidecar } = this.#options;
    return this.#opened !== undefined || sidecar?.made?.isOpen === true || camofox?.isOpen === true;
  }

  /** It is a person's own browser, with their logins in it. */
  get isPersons(): boolean {
    return (this.#elsewhere ?? this.#opened?.backend)?.isPersons === true;
  }

  /** The address of the page that is shown, or of the one that wrote it; undefined where none is. */
  get address(): URL | undefined {
    return this.#elsewhere === undefined ? this.#opened?.tabs.writer : this.#elsewhere.address;
  }

  /** Hosts of the pages that were shown since the last call. */
  takeShown(): ReadonlySet<string> {
    const beside = this.#options.sidecar?.made?.takeShown();
    return new Set([...(this.#opened?.tabs.takeShown() ?? []), ...(beside ?? [])]);
  }

  /** Nobody else can have chosen this host. */
  trust(host: string): void {
    this.#trusted.add(host);
  }

  trusts(host: string): boolean {
    return this.#trusted.has(host);
  }

  /** Whether a page that was shown has a link with this very address. */
  offers(address: string): boolean {
    return this.#opened?.tabs.offers(address) === true || this.#elsewhere?.offers(address) === true;
  }

  /**
   * Runs one command. Opens the browser when none is open, unless `opens` is false: then it rejects. Throws the signal's
   * reason, and `UserError` when there is no browser or the command took too long.
   */
  async use<T>(command: BrowserCommand, work: (open: OpenTabs) => Promise<T>): Promise<T> {
    const { signal, opens, seconds, address } = command;
    if (address !== undefined)
      this.#beside = this.#endpoint === undefined ? this.#options.sidecar?.for(address) : undefined;
    if (this.#beside !== undefined) return await this.#beside.use(command, work);
    const isFirst = this.#opened === undefined;
    const own = seconds ?? this.#options.commandSeconds;
    const limit = AbortSignal.timeout(timerMs(Math.max(own, isFirst && opens ? firstSeconds : 0) * 1000));
    const both = AbortSignal.any([signal, limit]);
    this.#uses += 1;
    clearTimeout(this.#idle);
    this.#options.slots.used(this.#holder, false);
    try {
      const opened = await this.#ready(opens, both);
      const done = this.#run(opened, { signal: both, timeoutMs: timerMs(own * 1000) }, work);
      return await Promise.race([done, abortOf(both)]);
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) throw new UserError(`The page did not answer within ${own} seconds.`, { cause: error });
      throw error;
    } finally {
      this.#uses -= 1;
      this.#startIdle();
    }
  }

  /** Uses a browser that runs already from now on. Throws `UserError` when none answers there, and keeps to the old one. */
  async connect(endpoint: string, signal: AbortSignal): Promise<void> {
    const before = this.#endpoint;
    await this.close();
    this.#endpoint = endpoint;
    try {
      await this.use({ signal, opens: true }, () => Promise.resolve());
    } catch (error) {
      this.#endpoint = before;
      throw error;
    }
  }

  /** Back to the browser that the settings name. */
  async disconnect(): Promise<void> {
    await this.close();
    this.#endpoint = this.#options.endpoint;
  }

  /** Which browser is used, in a line for a person. */
  describe(): string {
    const state = this.isOpen ? 'open' : 'opened with the first page';
    if (this.#endpoint !== undefined) return `Browser: the one at ${URL.parse(this.#endpoint)?.host}, ${state}.`;
    if (this.#options.camofox !== undefined) return `Browser: one of Camofox, ${state}.`;
    if (this.#options.cloud !== undefined) return `Browser: one of ${this.#options.cloud}, ${state}.`;
    return this.isThere ? `Browser: one of its own, ${state}.` : 'Browser: there is none on this machine.';
  }

  /** Ends the browser; the next use opens another one. */
  async close(): Promise<void> {
    this.#beside = undefined;
    const { camofox, sidecar } = this.#options;
    await Promise.all([this.#closeOwn(), sidecar?.made?.close(), camofox?.close()]);
  }

  /** Whose page is shown when it is not one of our own tabs. */
  get #elsewhere(): BrowserSession | CamofoxBrowser | undefined {
    return this.#beside ?? this.camofox;
  }

  async #closeOwn(): Promise<void> {
    clearTimeout(this.#idle);
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) this.#end = this.#close(opened);
    await this.#end;
  }

  async #ready(opens: boolean, signal: AbortSignal): Promise<Opened> {
    await this.#end;
    if (this.#opened !== undefined) return this.#opened;
    if (!opens) throw new UserError('No page is open: use browser_navigate first.');
    const backend = await this.#options.backend(this.#endpoint);
    if (backend === undefined)
      throw new UserError('There is no browser here: install Chromium, or set browser.cdp_url.');
    await this.#options.slots.take(this.#holder, signal);
    try {
      return (this.#opened = await this.#open(backend, signal));
    } catch (error) {
      this.#options.slots.giveBack(this.#holder);
      throw error;
    }
  }

  async #open(backend: BrowserBackend, signal: AbortSignal): Promise<Opened> {
    const { homePath, within, log } = this.#options;
    // Most sessions never open one. The browser takes longest, and is not waited for with the rest of it.
    const parts = Promise.all([import('./dialogs.ts'), import('./downloads.ts'), import('./tabs.ts')]);
    const rules = await this.#options.rules(backend);
    const browser = await backend.open({ rules, signal });
    const [{ Dialogs: Answers }, { Downloads: Kept }, { Tabs: Pages }] = await parts;
    const dialogs = new Answers({ ...this.#options.dialogs, keeps: backend.keepsDialogs });
    const to = join(homePath, 'cache', 'downloads');
    const downloads = browser.downloads === undefined ? undefined : new Kept({ from: browser.downloads, to, within });
    const recording = await this.#options.recording?.();
    const tabs = new Pages({ context: browser.context, guard: browser.guard, rules, dialogs, downloads, recording });
    await tabs.expected.watch(browser.context);
    const opened = { backend, browser, tabs, rules, dialogs, downloads, recording };
    browser.context.once('close', () => {
      if (this.#opened !== opened) return;
      log.info('the browser has ended by itself');
      this.#opened = undefined;
      this.#end = this.#close(opened);
    });
    return opened;
  }

  async #run<T>(
    { tabs, rules, dialogs, downloads }: Opened,
    limits: Pick<OpenTabs, 'signal' | 'timeoutMs'>,
    work: (open: OpenTabs) => Promise<T>,
  ): Promise<T> {
    return await work({
      ...limits,
      tabs,
      tab: await tabs.ensure(),
      rules,
      dialogs,
      homePath: this.#options.homePath,
      keepFile: (address, write) => this.#options.within(URL.parse(address)?.host || (tabs.writer?.host ?? ''), write),
      news: () => {
        for (const [host, why] of rules.takeRefused()) tabs.log.error(`${host} was not reached: ${why}`);
        return { ...tabs.takeNews(), ...downloads?.takeNews(), ...dialogs.takeNews() };
      },
    });
  }

  async #close({ browser, dialogs, downloads, recording }: Opened): Promise<void> {
    dialogs.close();
    downloads?.close();
    await recording?.close();
    await browser.close();
    this.#options.slots.giveBack(this.#holder);
  }

  #startIdle(): void {
    if (this.#uses > 0 || this.#opened === undefined) return;
    const ms = timerMs(this.#options.idleSeconds * 1000);
    this.#idle = setTimeout(() => void this.#closeOwn(), ms).unref();
    this.#options.slots.used(this.#holder, true);
  }
}
