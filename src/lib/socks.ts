/** Connections through a SOCKS5 proxy, which resolves names by itself. https://www.rfc-editor.org/rfc/rfc1928 */
import { once } from 'node:events';
import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

type Opened = (error: Error | null, socket: Duplex) => void;
/** As an agent hands them on, with what TLS wants of them. */
type Target = ClientRequestArgs & ConnectionOptions;

/** The proxy did not open the connection that it was asked for. */
export class SocksError extends Error {
  override readonly name = 'SocksError';
  readonly code = 'ERR_PROXY_SOCKS';
}

/** For addresses with `https:`, or else with `http:`. */
export function socksAgent(proxy: string, secure: boolean, options: AgentOptions = {}): HttpAgent {
  return secure ? new SecureAgent(proxy, options) : new PlainAgent(proxy, options);
}

class PlainAgent extends HttpAgent {
  readonly #proxy: string;

  constructor(proxy: string, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: Target, opened?: Opened): undefined {
    hand(throughSocks(this.#proxy, options), opened);
  }
}

class SecureAgent extends HttpsAgent {
  readonly #proxy: string;

  constructor(proxy: string, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: Target, opened?: Opened): undefined {
    const secured = throughSocks(this.#proxy, options).then((socket) => connectTls({ ...options, socket }));
    hand(secured, opened);
  }
}

function hand(opening: Promise<Duplex>, opened: Opened | undefined): void {
  opening.then(
    (socket) => opened?.(null, socket),
    // Beside an error the second argument means nothing.
    (error: unknown) => opened?.(error instanceof Error ? error : new SocksError(String(error)), new Duplex()),
  );
}

const handshakeMs = 15_000;
const methods = { none: 0x00, password: 0x02 } as const;
const replies: readonly string[] = [
  '',
  'it failed',
  'its rules do not allow it',
  'the network cannot be reached',
  'the host cannot be reached',
  'the connection was refused',
  'it took too long',
  'it cannot do that',
  'it does not know such addresses',
];

async function throughSocks(proxy: string, target: ClientRequestArgs): Promise<Socket> {
  const { hostname, port, username, password } = new URL(proxy);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 1080) });
  const signal = AbortSignal.timeout(handshakeMs);
  try {
    await once(socket, 'connect', { signal });
    const named = username === '' ? [methods.none] : [methods.none, methods.password];
    socket.write(Uint8Array.from([5, named.length, ...named]));
    const [version, method] = await read(socket, 2, signal);
    if (version !== 5) throw new SocksError('it does not speak SOCKS5');
    if (method === methods.password)
      await logIn(socket, decodeURIComponent(username), decodeURIComponent(password), signal);
    else if (method !== methods.none) throw new SocksError('it wants another login');
    socket.write(requestFor(target.host ?? target.hostname ?? '', Number(target.port)));
    await readReply(socket, signal);
    return socket;
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? new SocksError('it took too long') : error;
  }
}

/** https://www.rfc-editor.org/rfc/rfc1929 */
async function logIn(socket: Socket, user: string, password: string, signal: AbortSignal): Promise<void> {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  if (name.length > 255 || secret.length > 255) throw new SocksError('the name or password is too long');
  socket.write(Buffer.concat([Uint8Array.from([1, name.length]), name, Uint8Array.from([secret.length]), secret]));
  const [, status] = await read(socket, 2, signal);
  if (status !== 0) throw new SocksError('the name or password is wrong');
}

function requestFor(host: string, port: number): Uint8Array {
  const bare = host.replace(/^\[|\]$/g, '');
  const name = Buffer.from(bare);
  if (name.length > 255) throw new SocksError('the name of the host is too long');
  const address =
    isIP(bare) === 4
      ? [1, ...bare.split('.').map(Number)]
      : isIP(bare) === 6
        ? [4, ...groupsOf(bare).flatMap((group) => [group >> 8, group & 255])]
        : [3, name.length, ...name];
  return Uint8Array.from([5, 1, 0, ...address, port >> 8, port & 255]);
}

/** The eight numbers of an IPv6 address, which the URL parser writes without an IPv4 tail. */
function groupsOf(address: string): readonly number[] {
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [front = '', back] = plain.split('::', 2);
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [numbers(front), numbers(back ?? '')];
  return back === undefined ? head : [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

async function readReply(socket: Socket, signal: AbortSignal): Promise<void> {
  const [version, reply = 1, , kind] = await read(socket, 4, signal);
  if (version !== 5) throw new SocksError('it does not speak SOCKS5');
  if (reply !== 0) throw new SocksError(replies[reply] ?? `it answered ${reply}`);
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await read(socket, 1, signal))[0] ?? 0);
  await read(socket, length + 2, signal);
}

/** Exactly so many bytes; what comes behind them stays in the socket. */
async function read(socket: Socket, count: number, signal: AbortSignal): Promise<Uint8Array> {
  for (;;) {
    const bytes: unknown = socket.read(count);
    if (bytes instanceof Uint8Array && bytes.length === count) return bytes;
    if (bytes !== null || socket.readableEnded || socket.destroyed) throw new SocksError('it closed the connection');
    await once(socket, 'readable', { signal });
  }
}
