/** One HTTP listener: lets in who may, keeps every request within bounds, and hands it to the group whose route it is. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode, errorMessage, UserError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { errorAnswer, HttpError } from './answers.ts';
import { type CallerKey, requireKey } from './caller-key.ts';
import { checkDoor, type DoorOptions, isLoopback } from './door.ts';
import type { ProfileRoutes } from './profile-mounts.ts';
import { profilePath } from './profile-path.ts';
import { type BodyLimits, BodyRoom } from './request-body.ts';
import { routeListener } from './route-listener.ts';
import type { RouteGroup } from './routes.ts';

export interface HttpServerOptions extends Pick<DoorOptions, 'host'>, Partial<Omit<DoorOptions, 'host'>> {
  /** For the log and for errors: what listens. */
  readonly name: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly groups: readonly RouteGroup[];
  /** Needed as soon as one route asks for it, and beyond this machine unless every route tells callers apart by itself. */
  readonly key?: CallerKey;
  /** Whose agent answers: every route is also found under `/p/<profile>/`, and under no other name. Default `default`. */
  readonly profile?: string;
  /** Profiles that are served below `/p/<profile>/` too. */
  readonly others?: Mounts;
  readonly log: Log;
  readonly limits?: Partial<HttpLimits>;
}

/** Routes by the name of a profile; see `ProfileMounts`. */
export interface Mounts {
  isOpen(name: string): boolean;
  keyOf(name: string): Promise<string | undefined>;
  find(name: string): Promise<ProfileRoutes | undefined>;
  drain(signal: AbortSignal): Promise<void>;
}

export interface HttpLimits extends BodyLimits {
  /** Milliseconds until the headers of a request are there. */
  readonly headersMs: number;
  readonly maxConnections: number;
  /** Bytes of all bodies that are read at the same time. */
  readonly maxBodyRoom: number;
  /** Milliseconds that what runs gets to end when the server stops. */
  readonly drainMs: number;
}

const defaultLimits: HttpLimits = {
  maxBytes: 10_000_000,
  patienceMs: 20_000,
  bytesPerSecond: 16_384,
  headersMs: 15_000,
  maxConnections: 4096,
  maxBodyRoom: 256_000_000,
  drainMs: 20_000,
};

export interface HttpServer {
  /** `http://host:port` */
  readonly url: string;
  readonly port: number;
  /** Takes nothing new, lets end what runs within `drainMs`, and closes. Safe to call twice. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

/**
 * Resolves when it listens. Aborting `signal` stops it. Throws `UserError` when there is no key that could be used, and
 * when the port cannot be had; its cause then has the code of the system.
 */
export async function startHttpServer(options: HttpServerOptions, signal?: AbortSignal): Promise<HttpServer> {
  await requireCallerKey(options);
  const server = new ListeningServer(options);
  await server.listen();
  signal?.addEventListener('abort', () => void server.stop(), { once: true });
  if (signal?.aborted === true) await server.stop();
  return server;
}

async function requireCallerKey({ name, host, groups, key }: HttpServerOptions): Promise<void> {
  const routes = groups.flatMap((group) => group.routes);
  const isNeeded = routes.some(({ access }) => access === 'key') || (key === undefined && opensItself());
  if (!isNeeded || (await key?.current()) !== undefined) return;
  throw new UserError(`${name} does not listen: it has no key that callers could be told by.`);

  function opensItself(): boolean {
    return !isLoopback(host) && routes.some(({ access }) => access !== 'own');
  }
}

const securityHeaders = Object.entries({
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-XSS-Protection': '0',
  'Referrer-Policy': 'no-referrer',
});

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

class ListeningServer implements HttpServer {
  readonly #options: HttpServerOptions;
  readonly #limits: HttpLimits;
  readonly #door: DoorOptions;
  readonly #log: Log;
  readonly #server: Server;
  readonly #room: BodyRoom;
  readonly #handle: Handle;
  readonly #ofOthers = new WeakMap<ProfileRoutes, Handle>();
  #stopping: Promise<void> | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#log = options.log.named('http');
    this.#door = {
      host: options.host,
      allowedHosts: options.allowedHosts ?? (() => []),
      corsOrigins: options.corsOrigins ?? (() => []),
    };
    const { groups, key, profile = 'default' } = options;
    this.#room = new BodyRoom(this.#limits.maxBodyRoom);
    this.#handle = routeListener({ groups, key, profile, body: this.#limits, room: this.#room, log: this.#log });
    this.#server = this.#createServer();
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : this.#options.port;
  }

  get url(): string {
    const { host } = this.#options;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  async listen(): Promise<void> {
    const { host, port, name } = this.#options;
    this.#server.listen({ host, port });
    try {
      await once(this.#server, 'listening');
    } catch (cause) {
      const taken = errorCode(cause) === 'EADDRINUSE';
      throw new UserError(`${name} cannot listen on ${host}:${port}${taken ? ': the port is in use' : ''}.`, {
        hint: 'Choose another port, or end what listens there.',
        cause,
      });
    }
    this.#server.on('error', (error) => this.#log.error('the listener failed', error));
    this.#log.info(`${name} listening on ${this.url}`);
  }

  stop({ drainMs = this.#limits.drainMs } = {}): Promise<void> {
    this.#stopping ??= this.#stop(drainMs);
    return this.#stopping;
  }

  /** Answers under way are written to their end; then the connections go. */
  async #stop(drainMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    const deadline = AbortSignal.timeout(drainMs);
    this.#server.closeIdleConnections();
    const { groups, others } = this.#options;
    const drained = await Promise.allSettled(
      [...groups, ...(others === undefined ? [] : [others])].map((one) => one.drain(deadline)),
    );
    for (const one of drained) {
      if (one.status === 'rejected') this.#log.error('a part of the server did not end in good order', one.reason);
    }
    this.#server.closeIdleConnections();
    const cut = setTimeout(() => this.#server.closeAllConnections(), lastWordsMs);
    await closed;
    clearTimeout(cut);
    this.#log.info(`${this.#options.name} stopped`);
  }

  #createServer(): Server {
    const { headersMs, maxConnections, patienceMs, maxBytes, bytesPerSecond } = this.#limits;
    const server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: Math.ceil(headersMs + patienceMs + (maxBytes / bytesPerSecond) * 1000),
        connectionsCheckingInterval: Math.min(1000, headersMs),
        keepAliveTimeout: 60_000,
        noDelay: true,
      },
      (incoming, outgoing) => this.#take(incoming, outgoing),
    );
    server.maxConnections = maxConnections;
    server.on('clientError', (error, socket) => this.#refuseUnread(error, socket));
    server.on('drop', () => this.#log.warning(`a connection was refused: ${maxConnections} are open`));
    return server;
  }

  #take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    for (const [name, value] of securityHeaders) outgoing.setHeader(name, value);
    if (this.#stopping !== undefined) outgoing.setHeader('connection', 'close');
    try {
      const cors = checkDoor(incoming, this.#door);
      for (const [name, value] of Object.entries(cors ?? {})) outgoing.setHeader(name, value);
      if (incoming.method === 'OPTIONS') outgoing.writeHead(200).end();
      else this.#dispatch(incoming, outgoing);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#log.warning(`${incoming.method} ${shownPath(incoming)}: ${error.message}`);
      void sendRefusal(error, outgoing);
    }
  }

  #dispatch(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { others, profile: own = 'default' } = this.#options;
    const { profile } = others === undefined ? {} : profilePath(incoming.url ?? '/');
    if (others === undefined || profile === undefined || profile === own) return void this.#handle(incoming, outgoing);
    void this.#handleOther(profile, others, incoming, outgoing);
  }

  async #handleOther(
    profile: string,
    others: Mounts,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    try {
      await this.#admitTo(profile, others, incoming);
      const routes = await others.find(profile);
      if (routes === undefined) this.#handle(incoming, outgoing);
      else this.#listenerOf(profile, routes)(incoming, outgoing);
    } catch (error) {
      this.#log.warning(`${incoming.method} ${shownPath(incoming)}: ${errorMessage(error)}`);
      if (error instanceof HttpError) return await sendRefusal(error, outgoing);
      const message = `Profile '${profile}' cannot be opened just now; the log says why.`;
      await sendRefusal(new HttpError(503, message, { headers: { 'retry-after': '30' } }), outgoing);
    }
  }

  /** Nothing is opened for a stranger. Where callers are told apart by the routes alone, these have to be there. */
  async #admitTo(profile: string, others: Mounts, { headers }: IncomingMessage): Promise<void> {
    const { key } = this.#options;
    if (key === undefined || others.isOpen(profile)) return;
    const own: CallerKey = { current: () => others.keyOf(profile), also: key };
    await requireKey(headers.authorization ?? null, own);
  }

  #listenerOf(profile: string, routes: ProfileRoutes): Handle {
    const known = this.#ofOthers.get(routes);
    if (known !== undefined) return known;
    const { groups, key, log } = routes;
    const listener = routeListener({
      groups,
      key,
      profile,
      body: this.#limits,
      room: this.#room,
      log: log.named('http'),
    });
    this.#ofOthers.set(routes, listener);
    return listener;
  }

  /** What is no request, or came too slowly to be one. */
  #refuseUnread(error: Error, socket: Duplex): void {
    const code = errorCode(error) ?? '';
    this.#log.debug(`a connection was ended: ${code}`);
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, body] = unreadAnswer(code);
    const head = [
      `HTTP/1.1 ${status}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...securityHeaders.map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
}

/** What is left of answers that were written when the server stopped gets this long to be read, in milliseconds. */
const lastWordsMs = 2000;

function unreadAnswer(code: string): readonly [string, string] {
  const [status, message, name] =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? (['408 Request Timeout', 'The request came too slowly.', 'request_timeout'] as const)
      : code === 'HPE_HEADER_OVERFLOW'
        ? (['431 Request Header Fields Too Large', 'The headers are too large.', 'headers_too_large'] as const)
        : code === 'HPE_INVALID_CONTENT_LENGTH'
          ? (['400 Bad Request', 'Invalid Content-Length header.', 'invalid_content_length'] as const)
          : (['400 Bad Request', 'This is no HTTP request.', 'invalid_request'] as const);
  const error = { message, type: 'invalid_request_error', param: null, code: name };
  return [status, JSON.stringify({ error })];
}

async function sendRefusal({ status, message, options }: HttpError, outgoing: ServerResponse): Promise<void> {
  const answer = errorAnswer(status, message, options);
  outgoing.writeHead(status, Object.fromEntries(answer.headers)).end(await answer.text());
}

/** Without the query, which may hold what nobody should read. */
function shownPath({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]?.slice(0, 200) ?? '';
}
