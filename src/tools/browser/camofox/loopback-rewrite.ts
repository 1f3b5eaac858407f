/** Addresses of this machine, as a browser in a container reaches them. */
import { isIP } from 'node:net';
import { plainHost } from '../private-host.ts';

/** The address with another host; undefined where it does not mean this machine. `alias`: what it is called there. */
export function rewriteLoopback(url: URL, alias: string): URL | undefined {
  const host = plainHost(url.hostname);
  const isLoopback =
    host === 'localhost' ||
    host === 'localhost.localdomain' ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'));
  return isLoopback ? withHost(url, alias) : undefined;
}

/** The same address at another host. */
export function withHost(url: URL, host: string): URL {
  const changed = new URL(url);
  changed.hostname = isIP(host) === 6 ? `[${host}]` : host;
  return changed;
}
