/**
 * Addresses that a search or a page of this session gave, or that were read. One of them, asked for word for word, tells
 * its server nothing of the conversation: it was written before.
 */
const maxAddresses = 1000;
const maxChars = 2000;

export class FoundAddresses {
  readonly #found = new Set<string>();

  add(addresses: Iterable<string>): void {
    for (const address of addresses) {
      const url = URL.parse(address);
      if (url === null || url.href.length > maxChars) continue;
      this.#found.add(written(url));
      const [oldest] = this.#found;
      if (this.#found.size > maxAddresses && oldest !== undefined) this.#found.delete(oldest);
    }
  }

  has(url: URL): boolean {
    return this.#found.has(written(url));
  }
}

/** What stands behind # is not sent. */
function written({ href, hash }: URL): string {
  return hash === '' ? href : href.slice(0, href.length - hash.length);
}
