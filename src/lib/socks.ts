/** Connections through a SOCKS5 proxy, which resolves names by itself. https://www.rfc-editor.org/rfc/rfc1928 */
import { once } from 'node:events';
import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { SocksClient, SocksClientError } from 'socks';
import { percentDecoded } from './percent.ts';

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
/** The protocol writes how long a name is in one byte. */
const maxBytes = 255;

/** In words what the proxy answers by number. https://www.rfc-editor.org/rfc/rfc1928#section-6 */
const replies: Readonly<Record<string, string>> = {
  Failure: 'it failed',
  NotAllowed: 'its rules do not allow it',
  NetworkUnreachable: 'the network cannot be reached',
  HostUnreachable: 'the host cannot be reached',
  ConnectionRefused: 'the connection was refused',
  TTLExpired: 'it took too long',
  CommandNotSupported: 'it cannot do that',
  AddressNotSupported: 'it does not know such addresses',
};
const problems: readonly (readonly [RegExp, string])[] = [
  [/timed out/i, 'it took too long'],
  [/authentication failed/i, 'the name or password is wrong'],
  [/auth(?:entication)? type/i, 'it wants another login'],
  [/initial handshake/i, 'it does not speak SOCKS5'],
  [/socket closed/i, 'it closed the connection'],
];

/** A connection with nothing spoken over it yet. Rejects within 15 seconds when the proxy does not open it. */
export async function throughSocks(proxy: string, target: ClientRequestArgs): Promise<Socket> {
  const { hostname, port, username, password } = new URL(proxy);
  const userId = percentDecoded(username);
  const destination = { host: bare(target.host ?? target.hostname ?? ''), port: Number(target.port) };
  // The library would find out within an event of the socket, where nobody catches it.
  if ([userId, percentDecoded(password)].some(tooLong))
    throw new SocksError(`the name or password is longer than ${maxBytes} bytes`);
  if (tooLong(destination.host)) throw new SocksError(`the name of the host is longer than ${maxBytes} bytes`);
  const socket = connect({ host: bare(hostname), port: Number(port || 1080) });
  const signal = AbortSignal.timeout(handshakeMs);
  try {
    // Connected here, not by the library: its errors have no codes.
    await once(socket, 'connect', { signal });
    await SocksClient.createConnection({
      proxy: {
        host: bare(hostname),
        port: Number(port || 1080),
        type: 5,
        ...(userId === '' ? {} : { userId, password: percentDecoded(password) }),
      },
      command: 'connect',
      destination,
      timeout: handshakeMs,
      existing_socket: socket,
    });
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw new SocksError('it took too long');
    throw error instanceof SocksClientError ? inOurWords(error) : error;
  }
}

function inOurWords({ message }: SocksClientError): SocksError {
  const reply = /rejected connection - (\w+)/.exec(message)?.[1];
  const known = reply === undefined ? undefined : replies[reply];
  return new SocksError(known ?? problems.find(([what]) => what.test(message))?.[1] ?? message);
}

function tooLong(text: string): boolean {
  return Buffer.byteLength(text) > maxBytes;
}

/** A URL writes addresses of IPv6 in brackets. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
