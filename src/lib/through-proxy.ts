/** What is asked through a proxy, which resolves names by itself: a connection, and what this machine knows of the name. */
import { type Agent, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { errorCode } from './errors.ts';
import { isSocks } from './proxies.ts';

/** For one request: nothing is kept. */
export async function agentThrough(proxy: string, { protocol }: Pick<URL, 'protocol'>): Promise<Agent> {
  if (isSocks(proxy)) return (await import('./socks.ts')).socksAgent(proxy, protocol === 'https:');
  const proxyEnv = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
  return protocol === 'https:' ? new HttpsAgent({ proxyEnv }) : new HttpAgent({ proxyEnv });
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
