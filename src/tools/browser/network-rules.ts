/** Which addresses the pages of a browser may reach: never those that hand out credentials, and private ones by name alone. */
import { refuseWebAddress } from '../../safety/web-address.ts';
import { isPrivateHost, plainHost } from './private-host.ts';

const maxRefused = 50;

/**
 * Somebody who builds a web site wants to see it, and no page on the internet has any business in the network around this
 * machine. So a private host is reachable while it is what was opened by its name; as soon as the page shown is one of
 * the internet it no longer is. A name of the internet that leads to a private address is never followed.
 */
export class NetworkRules {
  readonly #allowPrivate: boolean | undefined;
  readonly #refused = new Map<string, string>();
  readonly #blocked: (url: URL) => string | undefined;
  #opened: string | undefined;

  /**
   * `allowPrivate` (`browser.allow_private_urls`): true lets every page reach private hosts, false none; undefined is the rule
   * above. `blocked`: why the owner does not want a page shown; undefined where they said nothing.
   */
  constructor(allowPrivate: boolean | undefined, blocked: (url: URL) => string | undefined = () => undefined) {
    this.#allowPrivate = allowPrivate;
    this.#blocked = blocked;
  }

  /** Why an address that was named is not opened; undefined when it may be. */
  refusalOf(address: string): string | undefined {
    return refuseWebAddress(address, { allowPrivate: this.#allowPrivate !== false });
  }

  /** Somebody named this address. */
  open({ hostname }: URL): void {
    this.#opened = isPrivateHost(hostname) ? network(hostname) : undefined;
  }

  /** The page that is shown now; its reason when it must not stay. */
  shown(address: string): string | undefined {
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
    if (isPrivateHost(url.hostname)) return this.mayBePrivate(url.hostname) ? undefined : whyNot(address);
    this.#opened = undefined;
    return this.#blocked(url);
  }

  /** Whether connections to a host may lead into the network around this machine. */
  mayBePrivate(host: string): boolean {
    if (this.#allowPrivate !== undefined) return this.#allowPrivate;
    return isPrivateHost(host) && this.#opened === network(host);
  }

  /** A host that was not reached. */
  refused(host: string, port: number, why: string): void {
    if (this.#refused.size < maxRefused) this.#refused.set(`${host}:${port}`, why);
  }

  /** Hosts that were not reached since the last call and why, each once. */
  takeRefused(): ReadonlyMap<string, string> {
    const refused = new Map(this.#refused);
    this.#refused.clear();
    return refused;
  }
}

/** Any address that means this machine is one and the same place: a page of one port asks its server on another. */
function network(hostname: string): string {
  const host = plainHost(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || host.startsWith('127.')
    ? 'this machine'
    : host;
}

function whyNot(address: string): string {
  return refuseWebAddress(address) ?? 'it is not known here';
}
