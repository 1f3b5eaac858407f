/** Connections over `node:http` that are kept between requests: through proxies, with authorities of one's own, over sockets. */
import type { Agent, AgentOptions, ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { errorCode } from './errors.ts';
import { isSocks, proxyFor, type Proxies } from './proxies.ts';
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
  /** Resolves names; default: the system's resolver. Of several addresses the first that answers is taken. */
  readonly lookup?: LookupFunction;
  /** Shown to servers that ask who is there. */
  readonly certificate?: ClientCertificate;
}

/** PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
}

export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Default: POST. */
  readonly method?: string;
  /** A function is asked for each attempt: a stream is opened when it is sent, a long text need not be held until the answer comes. */
  readonly body?: string | (() => Readable | string) | undefined;
  /**
   * For what must not be done twice: it is not sent anew over another connection when the server closes a kept one, as
   * nobody knows whether it was read.
   */
  readonly once?: boolean;
}

/** How long a connection is kept for the next request: most tools finish in that time. */
const idleMs = 30_000;
/** How long an address is tried before the next one. */
const addressMs = 2000;
/** More kept connections than these are not closed at one moment. */
const maxStale = 8;
const closedCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);
const certificateCodes = /CERT|VERIFY|ISSUER/;

export class Connections {
  readonly #agents = new Map<string, Agent>();
  readonly #network: Network;
  /** Undefined until Node's own authorities were not enough. */
  #authorities: readonly string[] | undefined;

  constructor(network: Network = {}) {
    this.#network = network;
  }

  /**
   * Sends a request and waits for the head of its answer. `begun` gets each attempt: a connection that the server closed
   * while it was kept, or whose certificate only the system knows, is made anew, as nothing was done there yet.
   */
  async send(
    asked: SentRequest,
    signal: AbortSignal,
    begun?: (request: ClientRequest) => void,
  ): Promise<IncomingMessage> {
    for (let stale = 0; ; ) {
      const address = new URL(asked.url);
      const { agent, authorities } = await this.#agentFor(address);
      // From here on at once: what goes wrong must find somebody who listens.
      const request = open(address, agent, asked, signal);
      begun?.(request);
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      request.on('response', resolve).on('error', reject);
      sendBody(request, asked.body, reject);
      try {
        return await promise;
      } catch (error) {
        // https://nodejs.org/docs/latest-v24.x/api/http.html#requestreusedsocket
        const closed =
          asked.once !== true && request.reusedSocket && closedCodes.has(errorCode(error) ?? '') && !signal.aborted;
        if (closed) stale += 1;
        // A server that ended may have left many; the last attempt is over one that is new.
        if (stale === maxStale) this.#agents.clear();
        if (closed ? stale > maxStale : !(await this.#trustMore(error, authorities)))
          throw this.#explain(error, asked.url);
      }
    }
  }

  /**
   * After a failure with these authorities: true when the same request may be sent again, as more are trusted by now, for
   * it or for another one that went out with it.
   */
  async #trustMore(error: unknown, before: readonly string[] | undefined): Promise<boolean> {
    if (before !== undefined || !certificateCodes.test(errorCode(error) ?? '')) return false;
    const { allAuthorities, untrusted } = await import('./authorities.ts');
    if (!untrusted.has(errorCode(error))) return false;
    if (this.#authorities !== undefined) return true;
    const { trusts = [] } = this.#network;
    this.#authorities = allAuthorities(trusts === 'anybody' ? [] : trusts);
    this.#agents.clear();
    return true;
  }

  /** Throws for a proxy that cannot be used. */
  async #agentFor(
    address: URL,
  ): Promise<{ readonly agent: Agent; readonly authorities: readonly string[] | undefined }> {
    const { ipv4Only, trusts, proxies, lookup, certificate } = this.#network;
    const proxy = proxyFor(address, proxies);
    const name = `${address.protocol} ${proxy ?? ''}`;
    const authorities = this.#authorities;
    const known = this.#agents.get(name);
    if (known !== undefined) return { agent: known, authorities };
    const options = {
      keepAlive: true,
      timeout: idleMs,
      ...(authorities === undefined ? {} : { ca: [...authorities] }),
      ...(trusts === 'anybody' ? { rejectUnauthorized: false } : {}),
      ...(ipv4Only === true ? { family: 4 } : {}),
      // Node gives an address a quarter of a second, which slow lines need for themselves.
      ...(lookup === undefined ? {} : { lookup, autoSelectFamilyAttemptTimeout: addressMs }),
      ...certificate,
    };
    const agent = await newAgent(address, proxy, options);
    // What was made before more was trusted serves nobody else.
    if (authorities === this.#authorities) this.#agents.set(name, agent);
    return { agent, authorities };
  }

  /** What goes wrong on the way to a proxy says nothing about the host behind it. */
  #explain(error: unknown, url: string): unknown {
    const proxy = proxyFor(new URL(url), this.#network.proxies);
    if (proxy === undefined || !(error instanceof Error)) return error;
    const code = errorCode(error) ?? '';
    const onTheWay = 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo');
    if (!onTheWay && !code.startsWith('ERR_PROXY')) return error;
    const status = /HTTP\/1\.\d (\d{3})/.exec(error.message)?.[1];
    const refused = code === 'ERR_PROXY_SOCKS' ? `did not connect: ${error.message}` : `cannot be reached (${code})`;
    const what = status === undefined ? refused : `answered with status ${status}`;
    return new Error(`the proxy ${new URL(proxy).host} ${what}; it is set by HTTPS_PROXY, HTTP_PROXY or ALL_PROXY`);
  }
}

async function newAgent({ protocol }: URL, proxy: string | undefined, options: AgentOptions): Promise<Agent> {
  const secure = protocol === 'https:';
  if (proxy !== undefined && isSocks(proxy)) return (await import('./socks.ts')).socksAgent(proxy, secure, options);
  const { Agent } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
  const through = proxy === undefined ? {} : { proxyEnv: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } };
  return new Agent({ ...options, ...through });
}

/** Throws for a header that cannot be sent. */
function open(
  address: URL,
  agent: Agent,
  { headers, method = 'POST' }: SentRequest,
  signal: AbortSignal,
): ClientRequest {
  const { request } = process.getBuiltinModule(address.protocol === 'https:' ? 'node:https' : 'node:http');
  const socketPath = socketOf(address);
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

/** Not a part of `send`: while that waits for the answer, a long text would stay in memory with it. */
function sendBody(request: ClientRequest, given: SentRequest['body'], failed: (error: Error) => void): void {
  const body = typeof given === 'function' ? given() : given;
  if (typeof body === 'object') pipeline(body, request, (error) => error && failed(error));
  else request.end(body);
}
