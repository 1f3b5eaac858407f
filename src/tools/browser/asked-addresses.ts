/** Whether an address may be asked for by a browser whose network is its own: looked at by its name and by what that leads to. */
import { lookup } from 'node:dns/promises';
import { Recent } from '../../lib/recent.ts';
import { refuseAddress } from '../../safety/web-address.ts';
import type { NetworkRules } from './network-rules.ts';
import { isPrivateHost } from './private-host.ts';

const keepLookupsMs = 30_000;

export class AskedAddresses {
  readonly #rules: NetworkRules;
  readonly #places = new Recent<Promise<string | undefined>>({ keepMs: keepLookupsMs });

  constructor(rules: NetworkRules) {
    this.#rules = rules;
  }

  /** Why it is not asked for; undefined when it may be. */
  async refusalOf(address: string): Promise<string | undefined> {
    const url = URL.parse(address);
    // Data, blobs and what the browser itself brings ask nobody.
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
    const refused = this.#rules.refusalOf(url.href);
    if (refused !== undefined) return refused;
    if (isPrivateHost(url.hostname))
      return this.#rules.mayBePrivate(url.hostname) ? undefined : 'it is a private address';
    return await this.#places.get(url.hostname, async () => await this.#whereItLeads(url.hostname));
  }

  async #whereItLeads(hostname: string): Promise<string | undefined> {
    // A name that is not known here is left to the browser, which may know it through a proxy.
    const found = await lookup(hostname, { all: true }).catch(() => []);
    const allowPrivate = this.#rules.mayBePrivate(hostname);
    return found.map(({ address }) => refuseAddress(address, { allowPrivate })).find((why) => why !== undefined);
  }
}
