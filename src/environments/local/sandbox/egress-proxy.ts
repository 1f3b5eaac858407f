/** The one way out of a closed sandbox or a browser: an HTTP proxy of ours, which asks the gate about every host. */
import { lookup } from 'node:dns';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorCode, errorMessage } from '../../../lib/errors.ts';
import { type Proxies, proxyFor } from '../../../lib/proxies.ts';
import { agentThrough, checkName, tunnelThrough } from '../../../lib/through-proxy.ts';
import { refuseAddress } from '../../../safety/web-address.ts';
import type { HostGate } from '../../environment.ts';
import { checkClient, Stranger, wantsToken } from './egress-client.ts';

export interface EgressProxyOptions {
  /** Where it listens; must not exist. Absent: a free port of 127.0.0.1. */
  readonly socketPath?: string;
  /** Asked for every connection. */
  readonly gate: HostGate;
  /** Whether a host may lead into the network around this machine, whatever it is called. Absent: every host may. */
  readonly mayBePrivate?: (host: string, port: number) => boolean;
  /** Ports of this machine where we listen ourselves: never reached, whatever the gate says. */
  readonly ownPorts: () => ReadonlySet<number>;
  /** How this machine reaches the world. */
  readonly proxies: Proxies;
  /** What a client shows as its password (any user name). Absent: whoever can connect may use it. */
  readonly token?: string;
  /** Resolves names; default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Told of each host that was not reached because of the gate or the rules. Must not throw. */
  readonly onRefused: (host: string, port: number, why: string) => void;
}

export interface EgressProxy {
  /** Undefined where it listens on a socket. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

const maxConnections = 512;
const headersTimeoutMs = 15_000;
const connectTimeoutMs = 30_000;

/**
 * Speaks CONNECT and plain requests (https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6). Addresses where clouds hand
 * out credentials, and our own ports, are refused whatever they are called; a name is looked up once, and the connection
 * goes to what was looked at, unless another proxy resolves it.
 */
export async function openEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const tunnels = new Set<Duplex>();
  const server = createServer((request, response) => void forward(request, response, options));
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    tunnels.add(client);
    client.once('close', () => tunnels.delete(client));
    void tunnel(request, client, head, options);
  });
  server.on('clientError', (_error, socket) => void socket.destroy());
  server.maxConnections = maxConnections;
  server.headersTimeout = headersTimeoutMs;
  await listen(server, options.socketPath);
  server.unref();
  const address = server.address();
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const client of tunnels) client.destroy();
      await closed;
    },
  };
}

async function listen(server: Server, path: string | undefined): Promise<void> {
  if (path === undefined) server.listen(0, '127.0.0.1');
  else server.listen(path);
  await once(server, 'listening');
}

/** Why a connection is not made; told to the program, which tells it on. */
class Refused extends Error {
  override readonly name = 'Refused';
}

interface Target {
  readonly host: string;
  readonly port: number;
  /** Of a proxy that leads there. */
  readonly proxy: string | undefined;
}

/** Throws `Refused`. */
function targetOf(address: URL | null, secure: boolean, options: EgressProxyOptions): Target {
  if (address === null || address.hostname === '') throw new Refused('This is no address.');
  const host = address.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const port = Number(address.port || 80);
  const refuse = (why: string): never => {
    options.onRefused(host, port, why);
    throw new Refused(`${host}:${port} was not reached: ${why}.`);
  };
  const never = isIP(host) === 0 ? metadataName(host) : neverReached(host, { host, port }, options);
  if (never !== undefined) return refuse(never);
  if (!options.gate.allows(host, port)) return refuse('nobody has allowed this host');
  const asked = URL.parse(`${secure ? 'https' : 'http'}://${address.host}/`);
  return { host, port, proxy: asked === null ? undefined : proxyFor(asked, options.proxies) };
}

async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer, options: EgressProxyOptions) {
  try {
    checkClient(request, options.token);
    const target = targetOf(URL.parse(`http://${request.url ?? ''}`), true, options);
    const remote = await open(target, options);
    remote.on('error', () => client.destroy());
    remote.once('close', () => client.destroy());
    client.once('close', () => remote.destroy());
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) remote.write(head);
    remote.pipe(client);
    client.pipe(remote);
  } catch (error) {
    const { status, text, headers } = refusalOf(error);
    const body = `${text}\n`;
    const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' });
    const top = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    client.end(`HTTP/1.1 ${status}\r\n${top}\r\n${body}`);
  }
}

async function open({ host, port, proxy }: Target, options: EgressProxyOptions): Promise<Duplex> {
  const signal = AbortSignal.timeout(connectTimeoutMs);
  if (proxy !== undefined) await checkBeforeProxy(host, port, options);
  if (proxy !== undefined) return await tunnelThrough(proxy, { host, port }, signal);
  const socket = connect({ host, port, allowHalfOpen: true, lookup: checkedLookup(host, port, options) });
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Another proxy resolves the name by itself: what is known here of it counts all the same. */
async function checkBeforeProxy(host: string, port: number, options: EgressProxyOptions): Promise<void> {
  if (options.mayBePrivate !== undefined) await checkName({ hostname: host }, checkedLookup(host, port, options));
}

/** Of one connection to another: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const ofTheConnection = new Set([
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'keep-alive',
  'te',
  'upgrade',
]);

async function forward(request: IncomingMessage, response: ServerResponse, options: EgressProxyOptions): Promise<void> {
  response.on('error', () => response.destroy());
  try {
    checkClient(request, options.token);
    const address = URL.parse(request.url ?? '');
    if (address?.protocol !== 'http:') throw new Refused('Only http addresses can be asked for without CONNECT.');
    const { host, port, proxy } = targetOf(address, false, options);
    if (proxy !== undefined) await checkBeforeProxy(host, port, options);
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !ofTheConnection.has(name)));
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const outgoing = requestHttp(
      address,
      {
        method: request.method,
        headers: { ...headers, connection: 'close' },
        ...(proxy === undefined
          ? { agent: false, lookup: checkedLookup(host, port, options) }
          : { agent: await agentThrough(proxy, address) }),
      },
      resolve,
    );
    outgoing.on('error', reject);
    request.pipe(outgoing);
    response.once('close', () => outgoing.destroy());
    const incoming = await promise;
    incoming.on('error', () => response.destroy());
    // The client would take it for our own word, and forget the token.
    if (incoming.statusCode === 407 && options.token !== undefined)
      throw new Error('who answered wants a login for a proxy');
    response.writeHead(incoming.statusCode ?? 502, incoming.headers);
    incoming.pipe(response);
  } catch (error) {
    const { status, text, headers } = refusalOf(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(Number.parseInt(status, 10), headers).end(`${text}\n`);
  }
}

interface Refusal {
  readonly status: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

const plain = { 'content-type': 'text/plain' };

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return { status: '403 Forbidden', text: error.message, headers: plain };
  if (error instanceof Stranger) {
    return { status: '407 Proxy Authentication Required', text: error.message, headers: { ...plain, ...wantsToken } };
  }
  const text = `The host was not reached: ${errorCode(error) ?? errorMessage(error)}.`;
  return { status: '502 Bad Gateway', text, headers: plain };
}

const metadataNames = /^metadata\.(?:google\.internal|goog)$|^instance-data(?:\.ec2\.internal)?$/;

function metadataName(host: string): string | undefined {
  return metadataNames.test(host) ? 'it is a metadata service, which hands out credentials' : undefined;
}

/** Why an address is never reached under the name of `host`, whoever allows it. */
function neverReached(
  address: string,
  { host, port }: Pick<Target, 'host' | 'port'>,
  { ownPorts, mayBePrivate }: EgressProxyOptions,
): string | undefined {
  const isOwn = ownPorts().has(port) && /^(?:::ffff:)?127\.|^::1?$|^0\.0\.0\.0$/.test(address);
  if (isOwn) return 'this port belongs to the agent itself';
  return refuseAddress(address, { allowPrivate: mayBePrivate?.(host, port) ?? true });
}

/** Fails for a name that leads where nobody may go, and hands on exactly what was looked at. */
function checkedLookup(host: string, port: number, options: EgressProxyOptions): LookupFunction {
  return (name, asked, callback) => {
    (options.lookup ?? lookup)(name, { all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const all = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const addresses = all.filter(({ address }) => neverReached(address, { host, port }, options) === undefined);
      const [first] = addresses;
      if (first === undefined) {
        const why = 'it leads where nobody may connect to';
        options.onRefused(host, port, why);
        return callback(new Refused(`${host}:${port} was not reached: ${why}.`), '', 0);
      }
      if (asked.all === true) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
