/** What is asked through a proxy, which resolves names by itself: a connection, and what this machine knows of the name. */
import { type Agent, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode } from './errors.ts';
import { percentDecoded } from './percent.ts';
import { isSocks } from './proxies.ts';

/** For one request: nothing is kept. */
export async function agentThrough(proxy: string, { protocol }: Pick<URL, 'protocol'>): Promise<Agent> {
  if (isSocks(proxy)) return (await import('./socks.ts')).socksAgent(proxy, protocol === 'https:');
  const proxyEnv = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
  return protocol === 'https:' ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv });
}

/** A connection to a host through a proxy, with nothing spoken over it yet. Rejects when the proxy refuses, and with the signal's reason. */
export async function tunnelThrough(
  proxy: string,
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Duplex> {
  if (isSocks(proxy)) return await (await import('./socks.ts')).throughSocks(proxy, { host, port });
  const { protocol, hostname, port: proxyPort, username, password } = new URL(proxy);
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  const asking = (protocol === 'https:' ? requestHttps : requestHttp)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: proxyPort || (protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: target,
    agent: false,
    signal,
    headers: {
      host: target,
      ...(login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<[IncomingMessage, Duplex]>();
  asking.on('connect', (message, stream) => resolve([message, stream]));
  asking.on('error', reject);
  asking.end();
  const [answer, socket] = await promise;
  if (answer.statusCode === 200) return socket;
  socket.destroy();
  throw new Error(`the proxy ${hostname} answered with status ${answer.statusCode}`);
}

/** Behind a proxy there may be nobody to resolve public names. */
const resolveMs = 2000;

/** Rejects with what `lookup` has against the addresses of a name; a name that cannot be resolved here passes. */
export async function checkName({ hostname }: Pick<URL, 'hostname'>, lookup: LookupFunction): Promise<void> {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, resolveMs);
  lookup(hostname, { all: true }, (error) => {
    if (error === null || isUnresolved(error)) resolve();
    else reject(error);
  });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** The resolver's errors have codes, refusals of an address have none. */
function isUnresolved(error: Error): boolean {
  return errorCode(error) !== undefined;
}
