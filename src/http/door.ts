/** What is looked at before anything else of a request: under which name it was sent, from which page, and its address. */
import { hostname } from 'node:os';
import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { HttpError } from './answers.ts';

export interface DoorOptions {
  /** Where the listener listens. */
  readonly host: string;
  /** More names that it is known by; `*` stands for every one. Asked for each request. */
  readonly allowedHosts: () => readonly string[];
  /** Origins of pages that may ask; `*` allows every one. Asked for each request. */
  readonly corsOrigins: () => readonly string[];
}

/** Headers for the browser of an allowed page; undefined for requests of no page. */
export type CorsHeaders = Readonly<Record<string, string>> | undefined;

/**
 * Throws `HttpError` for a request that a stranger's page may have made somebody's browser send: with the `Host` of another
 * name (DNS rebinding), or the `Origin` of a page that was not allowed. And for keys in the address, which end up in logs
 * and histories.
 */
export function checkDoor(incoming: IncomingMessage, options: DoorOptions): CorsHeaders {
  checkHost(incoming.headers.host, options);
  const cors = corsHeaders(incoming.headers.origin, options.corsOrigins());
  checkQuery(incoming.url ?? '');
  return cors;
}

function checkHost(header: string | undefined, { host, allowedHosts }: DoorOptions): void {
  // Without one it is no browser.
  if (header === undefined) return;
  const name = hostOf(header);
  const isKnown = (known: string): boolean => known === '*' || (name !== undefined && sameHost(known, name));
  if ((name !== undefined && isExpected(name, host)) || allowedHosts().some(isKnown)) return;
  throw new HttpError(403, `This server is not known as ${JSON.stringify(header.slice(0, 100))}.`, {
    code: 'host_not_allowed',
    headers: { connection: 'close' },
  });
}

/** The name without its port, in lower case. */
function hostOf(header: string): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(header.trim()) ?? [];
  return name?.toLowerCase().replace(/\.$/, '');
}

/**
 * Addresses and names of this machine. A listener that others reach is also asked under names that no stranger can own:
 * without a dot, as in a container network, or ending as local ones do.
 */
function isExpected(name: string, bound: string): boolean {
  const bare = name.replace(/^\[|\]$/g, '');
  if (isLoopback(bound)) return isLoopback(name) || sameHost(bound, name);
  if (isIP(bare) !== 0 || isLoopback(name) || sameHost(bound, name) || sameHost(hostname(), name)) return true;
  return !name.includes('.') || /\.(?:local|internal|lan|localhost|home\.arpa)$/.test(name);
}

function sameHost(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other;
}

/** True for addresses and names that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

function corsHeaders(origin: string | undefined, allowed: readonly string[]): CorsHeaders {
  if (origin === undefined) return undefined;
  const any = allowed.includes('*');
  if (!any && !allowed.includes(origin)) {
    throw new HttpError(403, 'Requests of this page are not allowed.', { code: 'origin_not_allowed' });
  }
  return {
    'access-control-allow-origin': any ? '*' : origin,
    ...(any ? {} : { vary: 'Origin' }),
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers':
      'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Hermes-Session-Id, X-Hermes-Session-Key',
    'access-control-expose-headers':
      'X-Hermes-Session-Id, X-Hermes-Session-Key, X-Hermes-Completed, X-Hermes-Partial, X-Hermes-Error, Retry-After',
    'access-control-max-age': '600',
  };
}

const keyNames = new Set(
  'key api_key apikey api-key x-api-key token access_token auth authorization bearer secret password'.split(' '),
);

function checkQuery(url: string): void {
  const start = url.indexOf('?');
  if (start === -1) return;
  for (const name of new URLSearchParams(url.slice(start + 1)).keys()) {
    if (!keyNames.has(name.toLowerCase())) continue;
    throw new HttpError(400, 'Keys are not taken from the address. Send it as: Authorization: Bearer <key>', {
      code: 'key_in_query',
    });
  }
}
