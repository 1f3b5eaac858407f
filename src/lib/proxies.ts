/** Which proxy leads to a host, by the rules that curl, Go and Python share; those of Node know fewer. */
import { BlockList, isIP } from 'node:net';
import { UserError } from './errors.ts';
import { isLocalHost } from './local-host.ts';

export interface Proxies {
  /** For addresses with `https:` and with `http:`; a URL, or `host:port`. */
  readonly https?: string;
  readonly http?: string;
  /** `NO_PROXY`: names (with all names below them), addresses, networks like `10.0.0.0/8`, each with a port or without; `*` is everything. */
  readonly except?: string;
}

/** A proxy that cannot be spoken to here. Going around it would betray whoever set it. */
export class UnusableProxy extends UserError {
  override readonly name = 'UnusableProxy';
  readonly code = 'ERR_PROXY_INVALID_CONFIG';
}

/** The URL of the proxy; undefined for what is asked directly, as everything local is. Throws `UnusableProxy`. */
export function proxyFor(url: URL, proxies: Proxies = {}): string | undefined {
  const named = (url.protocol === 'https:' ? proxies.https : proxies.http)?.trim() ?? '';
  if (named === '' || isLocalHost(url.hostname) || isExcepted(url, proxies.except ?? '')) return undefined;
  const proxy = /^[a-z][a-z\d+.-]*:\/\//i.test(named) ? named : `http://${named}`;
  if (/^https?:/i.test(proxy) && URL.canParse(proxy)) return proxy;
  // Both names for what resolves the host's name itself; some desktops write the short one.
  const socks = proxy.replace(/^socks(?:5h?)?:/i, 'socks5:');
  if (isSocks(socks) && URL.canParse(socks)) return socks;
  const scheme = /^[a-z\d]+/i.exec(proxy)?.[0] ?? '';
  throw new UnusableProxy(
    `a proxy of the kind '${scheme}' leads to ${url.host}, and only HTTP and SOCKS5 proxies can be used`,
    {
      hint: 'Name another proxy in HTTPS_PROXY, or the host in NO_PROXY.',
    },
  );
}

export function isSocks(proxy: string): boolean {
  return proxy.startsWith('socks5:');
}

/**
 * The same in the variables that Node itself reads, for libraries that ask by themselves. What Node has no words for (SOCKS,
 * a network of IPv6) is left out. https://nodejs.org/docs/latest-v24.x/api/http.html#built-in-proxy-support
 */
export function nodeProxies({ https = '', http = '', except = '' }: Proxies): Record<string, string> {
  const usable = (named: string): string | undefined => {
    const proxy = /^[a-z][a-z\d+.-]*:\/\//i.test(named) ? named : `http://${named}`;
    return named !== '' && /^https?:/i.test(proxy) && URL.canParse(proxy) ? proxy : undefined;
  };
  const [secure, plain] = [usable(https.trim()), usable(http.trim())];
  if (secure === undefined && plain === undefined) return {};
  return {
    ...(secure === undefined ? {} : { HTTPS_PROXY: secure }),
    ...(plain === undefined ? {} : { HTTP_PROXY: plain }),
    NO_PROXY: [...localForNode, ...entriesOf(except).flatMap(forNode)].join(','),
  };
}

const localForNode = [
  'localhost',
  '.localhost',
  '::1',
  '127.0.0.0-127.255.255.255',
  '10.0.0.0-10.255.255.255',
  '172.16.0.0-172.31.255.255',
  '192.168.0.0-192.168.255.255',
  '169.254.0.0-169.254.255.255',
];

function entriesOf(except: string): readonly string[] {
  return except.split(/[\s,]+/).filter((entry) => entry !== '');
}

function isExcepted(url: URL, except: string): boolean {
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return entriesOf(except).some((entry) => {
    if (entry === '*') return true;
    const { name, port: only } = parseEntry(entry);
    if (only !== undefined && only !== port) return false;
    if (isIP(host) !== 0) return holdsAddress(name, host);
    const bare = name.replace(/^\*?\./, '');
    return bare !== '' && (host === bare || host.endsWith(`.${bare}`));
  });
}

/** `name:port`, `[address]:port`, or either alone; a bare address of IPv6 has no port. */
function parseEntry(entry: string): { readonly name: string; readonly port?: string } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const name = (bracketed ?? plain ?? entry).toLowerCase().replace(/\.$/, '');
  return port === undefined ? { name } : { name, port };
}

function holdsAddress(name: string, host: string): boolean {
  const list = new BlockList();
  const [from = '', bits] = name.split('/', 2);
  const [first = '', last] = name.split('-', 2);
  try {
    if (bits !== undefined) list.addSubnet(from, Number(bits), familyOf(from));
    else if (last !== undefined) list.addRange(first, last, familyOf(first));
    else list.addAddress(name, familyOf(name));
  } catch {
    // A name, or what means no address: no address is meant by it.
    return false;
  }
  return list.check(host, familyOf(host));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** A name stands for all names below it, and a network is a range. */
function forNode(entry: string): readonly string[] {
  if (entry === '*') return [entry];
  const { name, port } = parseEntry(entry);
  const suffix = port === undefined ? '' : `:${port}`;
  const [address = '', bits] = name.split('/', 2);
  if (bits !== undefined) {
    const range = isIP(address) === 4 ? rangeOf(address, Number(bits)) : undefined;
    return range === undefined ? [] : [range];
  }
  if (isIP(name) !== 0 || (name.includes('-') && isIP(name.split('-')[0] ?? '') !== 0)) return [name];
  const bare = name.replace(/^\*?\./, '');
  return bare === '' ? [] : [bare + suffix, `.${bare}${suffix}`];
}

function rangeOf(address: string, bits: number): string | undefined {
  if (!Number.isInteger(bits) || bits < 0 || bits > 32) return undefined;
  const size = 2 ** (32 - bits);
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = Math.floor(value / size) * size;
  return `${dotted(first)}-${dotted(first + size - 1)}`;
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
