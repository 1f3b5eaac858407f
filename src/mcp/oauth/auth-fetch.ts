/**
 * The requests of a login: whom a server names is a stranger. Answers are short and come in time, nothing leads from a
 * server on the internet into the network around this machine, and nothing goes out unencrypted.
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { readBody } from '../../lib/bounded.ts';
import type { Network } from '../../lib/connections.ts';
import { UserError } from '../../lib/errors.ts';
import { isLocalHost } from '../../lib/local-host.ts';
import { proxyFor } from '../../lib/proxies.ts';
import { checkName } from '../../lib/through-proxy.ts';
import { checkedLookup } from '../../safety/checked-lookup.ts';
import { isPrivateAddress, refuseAddress, refuseWebAddress } from '../../safety/web-address.ts';
import { fetchFor } from '../http-fetch.ts';
import type { HttpReach } from '../settings.ts';

/** An address that a server leads to and that is not asked, or an answer that is none. Nobody looks for another way. */
export class NotAsked extends UserError {}

export interface AuthPlace {
  readonly name: string;
  readonly reach: HttpReach;
  readonly network: Network;
}

const maxBytes = 256 * 1024;
const deadlineMs = 15_000;

/** Throws `NotAsked`, and what the network throws. Redirects are returned, not followed. */
export function authFetch({ name, reach, network }: AuthPlace, signal: AbortSignal): FetchLike {
  const server = new URL(reach.url);
  const toServer = fetchFor(name, reach, network);
  let isPrivate: Promise<boolean> | undefined;

  async function fetchElsewhere(url: URL): Promise<FetchLike> {
    isPrivate ??= isPrivateServer(server, network.lookup);
    const allowPrivate = await isPrivate;
    const refuse = (reason: string | undefined): void => {
      if (reason !== undefined) throw new NotAsked(`MCP server '${name}' leads to ${url.host}: ${reason}.`);
    };
    refuse(refuseWebAddress(url.href, { allowPrivate }));
    refuse(isEncrypted(url) ? undefined : 'a login needs https');
    const lookup = checkedLookup((address) => refuse(refuseAddress(address, { allowPrivate })), network.lookup);
    if (proxyFor(url, network.proxies) !== undefined) await checkName(url, lookup);
    // What the owner trusts besides is trusted; that a server's own certificate is not looked at is its own affair.
    const { certificate: _own, verify, ...rest } = reach;
    return fetchFor(name, { ...rest, verify: typeof verify === 'string' ? verify : true }, { ...network, lookup });
  }

  return async (address, init = {}) => {
    const url = new URL(String(address));
    const within = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    const send = url.hostname === server.hostname ? toServer : await fetchElsewhere(url);
    const answer = await send(url.href, { ...init, redirect: 'manual', signal: within });
    const text = await readBody(answer, maxBytes);
    if (text === undefined) throw new NotAsked(`MCP server '${name}': ${url.host} sends more than a login has to say.`);
    const { status, statusText, headers } = answer;
    return new Response(bodyless.has(status) ? null : text, { status, statusText, headers });
  };
}

/** Over TLS, or to this machine itself. */
export function isEncrypted({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** https://fetch.spec.whatwg.org/#null-body-status */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** The owner chose a server of this machine or its network; who grants access to it may be there too. */
async function isPrivateServer({ origin, hostname }: URL, lookup: LookupFunction = systemLookup): Promise<boolean> {
  if (isLocalHost(hostname) || refuseWebAddress(origin) !== undefined) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  lookup(hostname, { all: true }, (error, found) => {
    const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
    resolve(error === null && addresses.some(isPrivateAddress));
  });
  return await promise;
}
