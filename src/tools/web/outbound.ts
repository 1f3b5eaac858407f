/** The one way out to the web for addresses that a model, a page or a message names: checked, pinned and bounded. */
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { errorCode, errorMessage, UserError } from '../../lib/errors.ts';
import { type Proxies, proxyFor } from '../../lib/proxies.ts';
import { agentThrough, checkName } from '../../lib/through-proxy.ts';
import { checkedLookup } from '../../safety/checked-lookup.ts';
import { isAboutNetwork, refuseAddress, refuseWebAddress } from '../../safety/web-address.ts';
import { readBody } from './read-body.ts';

export interface OutboundOptions {
  readonly signal: AbortSignal;
  /** `security.allow_private_urls`: the network around this machine may be asked. Metadata services never are. */
  readonly allowPrivate?: boolean;
  /** Only these are asked, behind a redirect too; default: every host on the public internet. */
  readonly hosts?: { allows(host: string, port: number): boolean };
  /** Why this address must not be asked, behind a redirect too; undefined when it may. */
  readonly refuse?: (url: URL) => string | undefined;
  /** For the whole answer with all its redirects; default 20,000. */
  readonly timeoutMs?: number;
  /** Of the body, on the wire and unpacked; default 5,000,000. A longer one is an error. */
  readonly maxBytes?: number;
  /** Value of the Accept header. */
  readonly accept?: string;
  /** The head of the answer, while its body is on its way. Must not throw. */
  readonly onHead?: (head: Pick<IncomingMessage, 'statusCode' | 'headers'>) => void;
  /** Resolves names; default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Default: every host is asked directly. */
  readonly proxies?: Proxies;
}

export interface OutboundAnswer {
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Unpacked. */
  readonly body: Uint8Array;
}

/**
 * Asks a web address with GET. Every name is resolved once per connection, and the connection goes to exactly the
 * addresses that were checked, so a name that changes its meaning in between gains nothing. Redirects are checked like
 * the first address. Nothing that identifies the user is sent. A proxy resolves names by itself: there the connection
 * cannot be pinned, and a name that this machine cannot resolve is left to it; one that is known here to be private is
 * refused as ever.
 *
 * Throws the signal's reason when it aborts, and `UserError` for every other failure but an HTTP status.
 */
export async function getOutbound(address: string, options: OutboundOptions): Promise<OutboundAnswer> {
  const { timeoutMs = 20_000, maxBytes = 5_000_000 } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  let url = checkAddress(address, options);
  try {
    signal.throwIfAborted();
    for (let redirects = 0; ; redirects++) {
      const incoming = await ask(url, options, signal);
      const location = redirectOf(incoming);
      if (location === undefined) {
        options.onHead?.(incoming);
        const body = await readBody(incoming, maxBytes);
        return { url, status: incoming.statusCode ?? 0, headers: incoming.headers, body };
      }
      incoming.destroy();
      if (redirects >= maxRedirects) throw new UserError(`it redirects more than ${maxRedirects} times`);
      url = checkAddress(URL.parse(location, url.href)?.href ?? '', options, url);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof NotAsked) throw error;
    const reason = deadline.aborted
      ? `there was no whole answer within ${timeoutMs / 1_000} seconds`
      : error instanceof UserError
        ? error.message
        : (errorCode(error) ?? errorMessage(error));
    throw new UserError(`Could not read from ${url.host}: ${reason}.`, {
      hint: 'Check the address and the network.',
      cause: error,
    });
  }
}

const maxRedirects = 5;

/**
 * Resolves the name of an address and says what speaks against asking it: for addresses that somebody else asks for us.
 * A name that cannot be resolved here is left to them.
 */
export async function refuseResolved(address: string, options: Checks): Promise<UserError | undefined> {
  try {
    const url = checkAddress(address, options);
    await checkName(url, lookupFor(url, options));
    return undefined;
  } catch (error) {
    return error instanceof UserError ? error : new UserError(errorMessage(error));
  }
}

/** An address that must not be asked; told without a hint to check the network. */
export class NotAsked extends UserError {
  /** It leads to this machine, its network or a metadata service. */
  readonly isPrivate: boolean;

  constructor(host: string, reason: string, why: string = reason) {
    super(`Nothing was read from ${host}: ${reason}.`);
    this.isPrivate = isAboutNetwork(why);
  }
}

type Checks = Pick<OutboundOptions, 'allowPrivate' | 'hosts' | 'refuse' | 'lookup'>;

function checkAddress(address: string, { allowPrivate = false, hosts, refuse }: Checks, from?: URL): URL {
  const url = URL.parse(address);
  const isKnown = url === null || hosts === undefined || hosts.allows(url.hostname, portOf(url));
  const refusal =
    refuseWebAddress(address, { allowPrivate }) ??
    (isKnown ? undefined : 'this host is not known here') ??
    (url === null ? undefined : refuse?.(url));
  if (url !== null && refusal === undefined) return url;
  const reason = refusal ?? 'not a valid web address';
  if (from === undefined) throw new NotAsked(url?.host || 'this address', reason);
  throw new NotAsked(from.host, `it redirects to an address that is not asked (${reason})`, reason);
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

/** Resolves with the answer once its headers are there. */
async function ask(url: URL, options: OutboundOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const proxy = proxyFor(url, options.proxies);
  if (proxy !== undefined) await checkName(url, lookupFor(url, options));
  const through = proxy === undefined ? undefined : await agentThrough(proxy, url);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = send(
    url,
    {
      signal,
      // No kept connections: each goes to addresses that were checked for it.
      ...(proxy === undefined ? { agent: false, lookup: lookupFor(url, options) } : { agent: through }),
      headers: {
        'user-agent': 'hermes-agent',
        accept: options.accept ?? '*/*',
        'accept-encoding': 'gzip, br',
      },
    },
    resolve,
  );
  outgoing.on('error', reject);
  outgoing.on('close', () => reject(new Error('the connection was closed without an answer')));
  outgoing.end();
  return await promise;
}

/** Refuses a name when any of its addresses is refused. */
function lookupFor(url: URL, { allowPrivate = false, lookup }: Checks): LookupFunction {
  return checkedLookup((address) => {
    const isAddress = isIP(address) !== 0;
    const refusal = isAddress
      ? refuseAddress(address, { allowPrivate })
      : 'its name does not resolve to a valid address';
    if (refusal !== undefined) throw new NotAsked(url.host, refusal);
  }, lookup);
}
