/** Connections over `node:http` that are kept between requests: through proxies, with authorities of one's own, over sockets. */
import type { Agent, ClientRequest } from 'node:http';
import { errorCode } from './errors.ts';
import { proxyFor, type Proxies } from './proxies.ts';
import { socketOf } from './socket-address.ts';

/** How the world outside is reached. */
export interface Network {
  /** Hosts that are local are asked directly. */
  readonly proxies?: Proxies;
  /**
   * Files with certificate authorities that are trusted besides those of Node and of the system (PEM); `anybody` when the
   * user does not want certificates to be checked.
   */
  readonly trusts?: readonly string[] | 'anybody';
  /** No connection over IPv6. */
  readonly ipv4Only?: boolean;
}

export interface OpenRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Default: POST. */
  readonly method?: string;
}

/** How long a connection is kept for the next request: most tools finish in that time. */
const idleMs = 30_000;
const certificateCodes = /CERT|VERIFY|ISSUER/;

export class Connections {
  readonly #agents = new Map<string, Agent>();
  readonly #network: Network;
  /** Undefined until Node's own authorities were not enough. */
  #authorities: readonly string[] | undefined;

  constructor(network: Network = {}) {
    this.#network = network;
  }

  /** After a failure: true when the same request may be sent again, as more authorities are trusted from now on. */
  async trustMore(error: unknown): Promise<boolean> {
    if (this.#authorities !== undefined || !certificateCodes.test(errorCode(error) ?? '')) return false;
    const { allAuthorities, untrusted } = await import('./authorities.ts');
    if (!untrusted.has(errorCode(error))) return false;
    const { trusts = [] } = this.#network;
    this.#authorities = allAuthorities(trusts === 'anybody' ? [] : trusts);
    this.#agents.clear();
    return true;
  }

  /** Throws for an address that is none, a header that cannot be sent, and a proxy that cannot be used. */
  open({ url, headers, method = 'POST' }: OpenRequest, signal: AbortSignal): ClientRequest {
    const address = new URL(url);
    const { Agent, request } = process.getBuiltinModule(address.protocol === 'https:' ? 'node:https' : 'node:http');
    const socketPath = socketOf(address);
    const { proxies, ipv4Only, trusts } = this.#network;
    const proxy = proxyFor(address, proxies);
    const name = `${address.protocol} ${proxy ?? ''}`;
    const trust = this.#authorities === undefined ? {} : { ca: [...this.#authorities] };
    const unchecked = trusts === 'anybody' ? { rejectUnauthorized: false } : {};
    const family = ipv4Only === true ? { family: 4 } : {};
    const through = proxy === undefined ? {} : { proxyEnv: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } };
    const agent =
      this.#agents.get(name) ??
      new Agent({ keepAlive: true, timeout: idleMs, ...through, ...trust, ...unchecked, ...family });
    this.#agents.set(name, agent);
    if (socketPath === undefined) return request(address, { method, headers, agent, signal });
    const path = address.pathname + address.search;
    return request({
      socketPath,
      path: path === '' ? '/' : path,
      method,
      headers: { host: 'localhost', ...headers },
      agent,
      signal,
    });
  }
}
