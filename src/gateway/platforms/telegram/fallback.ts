/** Finds a host where its name cannot be resolved, or leads to addresses that do not answer. */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import * as z from 'zod';
import { Connections, type Network } from '../../../lib/connections.ts';
import { parseJson } from '../../../lib/json.ts';

export interface FallbackOptions {
  readonly host: string;
  /** Tried behind those of the name; what stands there is proven by its certificate, whichever address it has. */
  readonly addresses: readonly string[];
  /** Where the name is asked for over HTTPS, when nothing else leads there; by address, as names may lead nowhere. */
  readonly resolvers: readonly string[];
  readonly network: Network;
  /** For tests. */
  readonly systemLookup?: LookupFunction;
}

/** https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/ */
const answer = z.object({ Answer: z.array(z.object({ type: z.number(), data: z.string() })).default([]) });
const addressRecord = 1;
const resolverMs = 4000;
const maxAnswerBytes = 64 * 1024;
const maxAddresses = 8;

export class Fallback {
  readonly #options: FallbackOptions;
  #addresses: readonly string[];
  /** The one that has answered is asked first from then on. */
  #working: string | undefined;
  #asked = false;

  constructor(options: FallbackOptions) {
    this.#options = options;
    this.#addresses = options.addresses;
  }

  readonly lookup: LookupFunction = (hostname, options, resolve) => {
    const { host, systemLookup: lookup = systemLookup } = this.#options;
    if (hostname !== host) return lookup(hostname, options, resolve);
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const known = error !== null || !Array.isArray(found) ? [] : found;
      const more = this.#addresses.filter((address) => known.every((one) => one.address !== address));
      const both = [...known, ...more.map((address) => ({ address, family: isIP(address) }))];
      const all = both.toSorted((a, b) => this.#rank(a.address) - this.#rank(b.address));
      const [first] = all;
      if (first === undefined) resolve(error, '');
      else if (options.all === true) resolve(null, all);
      else resolve(null, first.address, first.family);
    });
  };

  /** The host has answered there. */
  answered(address: string | undefined): void {
    this.#working = address;
  }

  /** True when addresses are known now that were not known before. Asked once. */
  async ask(signal: AbortSignal): Promise<boolean> {
    if (this.#asked) return false;
    this.#asked = true;
    const found = await Promise.all(
      this.#options.resolvers.map(async (resolver) => await this.#from(resolver, signal)),
    );
    const fresh = [...new Set(found.flat())].filter((address) => !this.#addresses.includes(address));
    this.#addresses = [...fresh.slice(0, maxAddresses), ...this.#addresses];
    return fresh.length > 0;
  }

  #rank(address: string): number {
    return address === this.#working ? 0 : 1;
  }

  async #from(resolver: string, given: AbortSignal): Promise<readonly string[]> {
    const { host, network } = this.#options;
    const signal = AbortSignal.any([given, AbortSignal.timeout(resolverMs)]);
    const url = `${resolver}?name=${encodeURIComponent(host)}&type=A`;
    try {
      const headers = { accept: 'application/dns-json' };
      const incoming = await new Connections(network).send({ url, method: 'GET', headers }, signal);
      let text = '';
      for await (const chunk of incoming.setEncoding('utf8')) {
        text += String(chunk);
        if (text.length > maxAnswerBytes) throw new Error(`too long an answer of ${resolver}`);
      }
      const records = answer.parse(parseJson(text)).Answer;
      return records.flatMap(({ type, data }) => (type === addressRecord && isIP(data) === 4 ? [data] : []));
    } catch {
      // One of several. When none knows more, what could not be reached is told.
      given.throwIfAborted();
      return [];
    }
  }
}
