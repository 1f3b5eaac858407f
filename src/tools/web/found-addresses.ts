/**
 * Addresses that a search or a page of this session gave, or that were read. One of them, asked for word for word, tells
 * its server nothing of the conversation: it was written before.
 */
import { remember } from '../../lib/bounded.ts';

const maxAddresses = 2000;
const maxChars = 2000;

export class FoundAddresses {
  readonly #found = new Set<string>();

  add(addresses: Iterable<string>): void {
    for (const address of addresses) {
      const url = URL.parse(address);
      if (url === null || url.href.length > maxChars) continue;
      for (const known of new Set([url.href, withoutFragment(url).href])) remember(this.#found, known, maxAddresses);
    }
  }

  /** What the conversation that this one works for was given. */
  inherit(from: FoundAddresses): void {
    this.add(from.#found);
  }

  /** With what stands behind #: no server sees that, but the page in a browser does. */
  has({ href }: URL): boolean {
    return this.#found.has(href);
  }
}

/** As it is asked for where no page runs. */
export function withoutFragment(url: URL): URL {
  const plain = new URL(url);
  plain.hash = '';
  return plain;
}
