/** Addresses of servers that listen on a Unix socket: `unix:///run/llama.sock:/v1`, or `http+unix://%2Frun%2Fllama.sock/v1`. */
import { percentDecoded } from './percent.ts';

const scheme = 'http+unix:';

/** The second form of either; undefined for any other address, and for a socket that is no absolute path. */
export function socketAddress(written: string): string | undefined {
  const [, path = '', rest = ''] = /^unix:(?:\/\/)?(\/(?!\/)[^:?#]+)(?::(\/[^?#]*)?)?$/i.exec(written) ?? [];
  if (path !== '') return `${scheme}//${encodeURIComponent(percentDecoded(path))}${rest}`;
  const url = URL.parse(written);
  return url?.protocol === scheme && percentDecoded(url.hostname).startsWith('/') ? written : undefined;
}

/** The socket that an address in the second form means. */
export function socketOf({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): string | undefined {
  return protocol === scheme ? percentDecoded(hostname) : undefined;
}

/** A host as people know it: its name, or the path of its socket. */
export function shownHost({ protocol, hostname, host }: Pick<URL, 'protocol' | 'hostname' | 'host'>): string {
  return socketOf({ protocol, hostname }) ?? host;
}

/** No other host has a percent sign in its name. */
export function isSocketHost(hostname: string): boolean {
  return /^%2f/i.test(hostname);
}
