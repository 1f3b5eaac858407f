/** Fetches small documents from the internet: bounded, with a deadline, and never from a private network. */
import { lookup as systemLookup } from 'node:dns';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { errorCode, errorMessage, UserError } from '../lib/errors.ts';
import { type Proxies, proxyFor } from '../lib/proxies.ts';
import { agentThrough, checkName } from '../lib/through-proxy.ts';
import { refuseAddress } from '../safety/web-address.ts';

export interface DownloadOptions {
  /** Hosts (with port where the address has one) of which the user said that they are local; for these any address is fine. */
  readonly localHosts?: readonly string[];
  /** `security.allow_private_urls`: the network around this machine may be asked; metadata services never. */
  readonly allowPrivate?: boolean;
  /** Host → value of the Authorization header; it is sent to that host only, over TLS or to a local host. */
  readonly authorization?: ReadonlyMap<string, string>;
  /** For the whole download with its redirects; default 30,000. */
  readonly timeoutMs?: number;
  /** Default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Default: every host is asked directly. */
  readonly proxies?: Proxies;
}

export interface Downloaded {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
}

export interface DownloadRequest {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly method?: 'GET' | 'POST';
  readonly json?: unknown;
}

/** Throws `UserError` for every failure but an HTTP status, which is returned. */
export type Download = (url: string, request: DownloadRequest) => Promise<Downloaded>;

export function createDownload(options: DownloadOptions = {}): Download {
  const {
    localHosts = [],
    allowPrivate = false,
    authorization = new Map<string, string>(),
    timeoutMs = 30_000,
  } = options;

  async function download(address: string, request: DownloadRequest): Promise<Downloaded> {
    const deadline = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    let url = parseAddress(address);
    for (let hop = 0; ; hop++) {
      const answer = await ask(url, request, deadline);
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status > 399 || location === undefined) return answer;
      if (hop >= maxRedirects || request.method === 'POST') throw failure(url, 'it redirects too often');
      const next = parseAddress(new URL(location, url).href);
      if (url.protocol === 'https:' && next.protocol === 'http:') throw failure(url, 'it redirects to plain http');
      url = next;
    }
  }

  async function ask(
    url: URL,
    { maxBytes, method = 'GET', json }: DownloadRequest,
    signal: AbortSignal,
  ): Promise<Downloaded> {
    const isLocal = localHosts.includes(url.host);
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (!isLocal && refuseAddress(literal, { allowPrivate }) !== undefined) throw privateAddress(url, allowPrivate);
    const token = url.protocol === 'https:' || isLocal ? authorization.get(url.host) : undefined;
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const proxy = isLocal ? undefined : proxyFor(url, options.proxies);
    const lookup = isLocal
      ? (options.lookup ?? systemLookup)
      : checkedLookup(url, options.lookup ?? systemLookup, allowPrivate);
    // A proxy resolves names by itself; what is known here to be private is refused all the same.
    if (proxy !== undefined) await checkName(url, lookup);
    const through = proxy === undefined ? undefined : await agentThrough(proxy, url);
    const { promise, resolve, reject } = Promise.withResolvers<Downloaded>();
    const outgoing = send(
      url,
      {
        method,
        signal,
        // No kept connections: each one goes to the address that was just checked.
        ...(through === undefined ? { agent: false, lookup } : { agent: through }),
        headers: {
          'user-agent': 'hermes-agent',
          accept: '*/*',
          // Compressed answers could grow without end.
          'accept-encoding': 'identity',
          ...(token === undefined ? {} : { authorization: token }),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
      },
      (incoming) => {
        readBounded(incoming, url, maxBytes).then(
          (body) => resolve({ status: incoming.statusCode ?? 0, body, headers: incoming.headers }),
          reject,
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(json === undefined ? undefined : JSON.stringify(json));
    return await promise.catch((error: unknown) => {
      if (error instanceof UserError) throw error;
      if (signal.aborted) throw failure(url, `it took longer than ${timeoutMs / 1_000} seconds, or was stopped`);
      throw failure(url, errorCode(error) ?? errorMessage(error));
    });
  }

  return download;
}

const maxRedirects = 5;

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UserError(`'${address.slice(0, 200)}' is not an http or https address.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UserError(`The address of ${url.host} has a login in it; such addresses are not fetched.`);
  }
  return url;
}

/** Resolves, refuses when any of the addresses may not be asked, and hands on exactly what was checked. */
function checkedLookup(url: URL, lookup: LookupFunction, allowPrivate: boolean): LookupFunction {
  const isRefused = ({ address }: { readonly address: string }): boolean =>
    isIP(address) === 0 || refuseAddress(address, { allowPrivate }) !== undefined;
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      if (addresses.length === 0 || addresses.some(isRefused)) {
        return callback(privateAddress(url, allowPrivate), '', 0);
      }
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

async function readBounded(incoming: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  const encoding = incoming.headers['content-encoding'];
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    if (encoding !== undefined && encoding !== 'identity') throw failure(url, `its answer is compressed (${encoding})`);
    if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(url, maxBytes);
    for await (const chunk of incoming) {
      if (!(chunk instanceof Uint8Array)) continue;
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(url, maxBytes);
      chunks.push(chunk);
    }
  } finally {
    incoming.destroy();
  }
  return Buffer.concat(chunks);
}

function tooLarge(url: URL, maxBytes: number): UserError {
  return failure(url, `its answer is larger than ${maxBytes} bytes`);
}

function privateAddress(url: URL, allowPrivate: boolean): UserError {
  if (allowPrivate) {
    return new UserError(`${url.host} is an address where machines are handed credentials; nothing was fetched.`);
  }
  return new UserError(`${url.host} is an address of this machine or of a private network; nothing was fetched.`, {
    hint: 'Allow it with: hermes config set security.allow_private_urls true. From your own disk, give the path of the folder.',
  });
}

/** Without path and query, which may carry secrets. */
function failure(url: URL, reason: string): UserError {
  return new UserError(`Could not fetch from ${url.host}: ${reason}.`, { hint: 'Check the address and the network.' });
}
