/** The tab of one session on a Camofox server, with the guard around it. */
import * as z from 'zod';
import { remember } from '../../../lib/bounded.ts';
import { AskedAddresses } from '../asked-addresses.ts';
import { NotDone } from '../not-done.ts';
import type { NetworkRules } from '../network-rules.ts';
import { plainHost } from '../private-host.ts';
import type { CamofoxIdentity } from './camofox-identity.ts';
import { type CamofoxServer, isGone, type Limits } from './camofox-server.ts';
import { withHost } from './loopback-rewrite.ts';

export interface CamofoxPageOptions {
  readonly server: CamofoxServer;
  readonly identity: CamofoxIdentity;
  /** An open tab of the user is taken over before a new one is made. */
  readonly adopts: boolean;
  /** What this machine is called where the browser runs; undefined: as here. */
  readonly loopbackAlias: string | undefined;
  readonly rules: NetworkRules;
  /** Ports where this program listens itself. */
  readonly ownPorts: () => Promise<ReadonlySet<number>>;
}

interface Shown {
  readonly url: string;
  readonly title: string;
}

const maxOffered = 10_000;
const made = z.looseObject({ tabId: z.string().regex(/^[\w.:-]{1,200}$/) });
const done = z.looseObject({});
const evaluated = z.looseObject({ result: z.unknown() });

/** What every command must not do: act on another page than the one that was judged, or tell of one that must not be shown. */
export class CamofoxPage {
  readonly #options: CamofoxPageOptions;
  readonly #asked: AskedAddresses;
  readonly #offered = new Set<string>();
  #tab: { readonly id: string; readonly isOurs: boolean } | undefined;
  #address: URL | undefined;
  /** As this machine was called when a page of it was opened under its alias. */
  #loopback: string | undefined;

  constructor(options: CamofoxPageOptions) {
    this.#options = options;
    this.#asked = new AskedAddresses(options.rules);
  }

  get isOpen(): boolean {
    return this.#tab !== undefined;
  }

  /** Of the page that was shown last, as it is called here; undefined where none is. */
  get address(): URL | undefined {
    return this.#address === undefined ? undefined : this.#asHere(this.#address);
  }

  offers(address: string): boolean {
    return this.#offered.has(address);
  }

  /** Addresses that the page has on it. */
  remember(links: readonly string[]): void {
    for (const link of links) {
      remember(this.#offered, link, maxOffered);
      const url = URL.parse(link);
      if (url !== null) remember(this.#offered, this.#asHere(url).href, maxOffered);
    }
  }

  /** Takes over a tab that is open, where that is wanted. Throws `NotDone` where there is none. */
  async adopt(limits: Limits): Promise<void> {
    if (this.#tab === undefined) await this.#adopt(limits.signal);
    if (this.#tab === undefined) throw new NotDone('No page is open: use browser_navigate first.');
  }

  /** Opens a page. `loopback`: what its host was called before it was rewritten. Throws `NotDone` when it is not to be shown. */
  async open(address: URL, loopback: string | undefined, limits: Limits): Promise<Shown> {
    const { rules, identity, server } = this.#options;
    this.#loopback = loopback;
    rules.open(address);
    const refusal = await this.#refusalOf(address.href);
    if (refusal !== undefined) throw new NotDone(`Blocked: ${refusal.replace(/\.$/, '')}.`);
    if (this.#tab === undefined) await this.#adopt(limits.signal);
    const { userId } = identity;
    if (this.#tab !== undefined && !(await this.#navigate(this.#tab.id, address, limits))) this.#forget();
    if (this.#tab === undefined) {
      const body = { userId, listItemId: identity.sessionKey, url: address.href };
      const { tabId } = await server.post('/tabs', body, made, limits);
      this.#tab = { id: tabId, isOurs: true };
    }
    return await this.#look(limits.signal);
  }

  /** Does something on the page; the page that is shown afterwards. Throws `NotDone` when that must not be. */
  async act(verb: string, body: object, limits: Limits): Promise<Shown & { readonly moved: boolean }> {
    const before = await this.#unchanged(limits.signal);
    await this.#post(verb, body, done, limits);
    const now = await this.#look(limits.signal);
    return { ...now, moved: now.url !== before };
  }

  /** What a script in the page gives; `isSupported` is false where the server runs none. */
  async evaluate(
    expression: string,
    limits: Limits,
  ): Promise<{ readonly isSupported: false } | { readonly isSupported: true; readonly result: unknown }> {
    await this.#unchanged(limits.signal);
    let result: unknown;
    try {
      ({ result } = await this.#post('evaluate', { expression }, evaluated, limits));
    } catch (error) {
      // The tab was there a moment ago.
      if (isGone(error)) return { isSupported: false };
      throw error;
    }
    await this.#look(limits.signal);
    return { isSupported: true, result };
  }

  /** Reads something of the page, which must be one that may be shown when it has been read. */
  async read<T>(
    { signal }: Limits,
    work: (server: CamofoxServer, path: string, userId: string) => Promise<T>,
  ): Promise<{ readonly value: T; readonly shown: Shown }> {
    const { server, identity } = this.#options;
    const value = await this.#withTab((path) => work(server, path, identity.userId));
    return { value, shown: await this.#look(signal) };
  }

  async #post<Schema extends z.ZodType>(
    verb: string,
    body: object,
    schema: Schema,
    limits: Limits,
  ): Promise<z.infer<Schema>> {
    const { server, identity } = this.#options;
    const path = pathOf(this.#tabId());
    return await server.post(`${path}/${verb}`, { userId: identity.userId, ...body }, schema, limits);
  }

  /** False where the tab is gone. */
  async #navigate(tab: string, address: URL, limits: Limits): Promise<boolean> {
    const { server, identity } = this.#options;
    try {
      await server.post(`${pathOf(tab)}/navigate`, { userId: identity.userId, url: address.href }, done, limits);
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      // It may be on another page than before, in whatever state.
      this.#address = undefined;
      throw error;
    }
  }

  async #adopt(signal: AbortSignal): Promise<void> {
    const { server, identity, adopts } = this.#options;
    if (!adopts) return;
    const tabs = await server.tabs(identity.userId, signal);
    const found = tabs.findLast((tab) => tab.listItemId === identity.sessionKey) ?? tabs.at(-1);
    if (found !== undefined) this.#tab = { id: found.tabId, isOurs: false };
  }

  /** The page is still the one that was judged; its address. */
  async #unchanged(signal: AbortSignal): Promise<string> {
    const before = this.#address;
    const { url } = await this.#look(signal);
    if (this.#address?.host !== before?.host)
      throw new NotDone(`The page went on to ${this.#address?.host ?? 'another one'}: take a browser_snapshot first.`);
    return url;
  }

  /** Which page is shown now. One that must not be is left, and `NotDone` thrown. */
  async #look(signal: AbortSignal): Promise<Shown> {
    const { server, identity } = this.#options;
    const id = this.#tabId();
    const shown = (await server.tabs(identity.userId, signal)).find((tab) => tab.tabId === id);
    if (shown === undefined) throw this.#gone();
    const refusal = (await this.#refusalOf(shown.url)) ?? this.#options.rules.shown(shown.url);
    if (refusal !== undefined) {
      await this.#leave();
      throw new NotDone(`Blocked: the page led to ${shown.url}; ${refusal.replace(/\.?$/, '.')}`);
    }
    const url = URL.parse(shown.url);
    this.#address = url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
    return shown;
  }

  /** Why an address is not asked for, or not shown. */
  async #refusalOf(address: string): Promise<string | undefined> {
    const url = URL.parse(address);
    if (url?.protocol === 'file:') return 'files are not opened in the browser';
    if (url?.origin === this.#options.server.origin) return 'it is the server that drives the browser';
    const isHere = url !== null && plainHost(this.#asHere(url).hostname).match(/^(?:localhost|127\..*|::1)$/) !== null;
    const port = Number(url?.port) || (url?.protocol === 'https:' ? 443 : 80);
    if (isHere && (await this.#options.ownPorts()).has(port)) return 'hermes itself listens there';
    return await this.#asked.refusalOf(address);
  }

  /** Nothing of the page is shown; a tab of somebody else is not closed. */
  async #leave(): Promise<void> {
    const { server, identity } = this.#options;
    const tab = this.#tab;
    this.#forget();
    // An old server cannot close one tab; it closes all of them when they are no longer used.
    if (tab?.isOurs === true) await server.closeTab(tab.id, identity.userId).catch(() => undefined);
  }

  #forget(): void {
    this.#tab = undefined;
    this.#address = undefined;
  }

  #tabId(): string {
    if (this.#tab === undefined) throw new NotDone('No page is open: use browser_navigate first.');
    return this.#tab.id;
  }

  async #withTab<T>(work: (path: string) => Promise<T>): Promise<T> {
    try {
      return await work(pathOf(this.#tabId()));
    } catch (error) {
      throw isGone(error) ? this.#gone() : error;
    }
  }

  #gone(): NotDone {
    this.#forget();
    return new NotDone('The page is gone from the Camofox server: open it again with browser_navigate.');
  }

  #asHere(url: URL): URL {
    const { loopbackAlias: alias } = this.#options;
    const isAlias = alias !== undefined && plainHost(url.hostname) === plainHost(alias);
    return isAlias && this.#loopback !== undefined ? withHost(url, this.#loopback) : url;
  }
}

function pathOf(tab: string): string {
  return `/tabs/${encodeURIComponent(tab)}`;
}
