/** Listens on this machine for the one request with which a browser comes back from a login. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorCode } from '../../lib/errors.ts';

export interface LoopbackOptions {
  /** 0 = any that is free. */
  readonly port: number;
  /** With its slash. */
  readonly path: string;
  /** The host (with its port, where it names one) under which a proxy brings the browser here, by whatever path. */
  readonly proxied?: string;
  /** Another name of this machine that the browser is sent to. */
  readonly host?: string;
  /** Pages of the provider that fetch the address instead of going there. */
  readonly origins?: readonly string[];
  /** True when the answer belongs to this login; the page says so. */
  readonly belongs: (parameters: URLSearchParams) => boolean;
}

export interface Loopback extends AsyncDisposable {
  /** `http://<host>:<port><path>` */
  readonly redirectUri: string;
  /** The parameters of the first request that has a code or an error. Never settles without one. */
  readonly answered: Promise<URLSearchParams>;
}

/** Undefined when the port is taken or may not be used. Only this machine can connect. Dispose of it to close it. */
export async function listenForRedirect(options: LoopbackOptions): Promise<Loopback | undefined> {
  const { promise: answered, resolve } = Promise.withResolvers<URLSearchParams>();
  let port = options.port;
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    const parameters = answer(request, response, { ...options, port });
    if (parameters !== undefined) response.once('close', () => resolve(parameters));
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 10_000;
  server.maxConnections = 16;
  if (!(await listens(server, port))) return undefined;
  const address = server.address();
  if (typeof address === 'object' && address !== null) port = address.port;
  return {
    redirectUri: redirectUriOf({ ...options, port }),
    answered,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What the provider sends the browser to when nothing listens there. */
export function redirectUriOf({
  port,
  path,
  host = loopbackAddress,
}: Pick<LoopbackOptions, 'port' | 'path' | 'host'>): string {
  return `http://${host}:${port}${path}`;
}

const loopbackAddress = '127.0.0.1';

async function listens(server: Server, port: number): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'EPERM'].includes(errorCode(error) ?? '')) resolve(false);
      else reject(error);
    });
    server.listen({ host: loopbackAddress, port, exclusive: true }, () => resolve(true));
  });
}

/** Answers one request; the parameters when it was the one that is waited for. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { port, path, host, proxied, origins = [], belongs }: LoopbackOptions,
): URLSearchParams | undefined {
  const { method = '', headers } = request;
  const origin = headers.origin;
  if (origin !== undefined && origins.includes(origin)) allow(response, origin);
  // A page elsewhere whose name was made to lead here must not be able to speak for the provider.
  const isProxied = proxied !== undefined && headers.host === proxied;
  const names = [loopbackAddress, 'localhost', ...(host === undefined ? [] : [host])];
  if (!isProxied && !names.some((name) => headers.host === `${name}:${port}`)) {
    return say(response, 403, 'This address is not for you.');
  }
  const url = URL.parse(request.url ?? '', `http://${loopbackAddress}`);
  if (url === null || (url.pathname !== path && proxied === undefined))
    return say(response, 404, 'There is nothing here.');
  if (method === 'OPTIONS') return say(response, 204, '');
  if (method !== 'GET') return say(response, 405, 'Only a browser that comes from a login is expected here.');
  const { searchParams } = url;
  if (!searchParams.get('code') && !searchParams.get('error')) {
    return say(response, 400, 'There is no answer to a login in this address.');
  }
  if (!belongs(searchParams)) say(response, 400, 'This answer does not belong to the login that was started here.');
  else if (searchParams.has('error')) say(response, 200, 'The login was refused. See the terminal.');
  else say(response, 200, 'The login has arrived. You can close this window and go back to the terminal.');
  return searchParams;
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-methods', 'GET');
  response.setHeader('access-control-allow-private-network', 'true');
  response.setHeader('vary', 'origin');
}

/** Nothing of the request is repeated on the page. */
function say(response: ServerResponse, status: number, text: string): undefined {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(
    status === 204
      ? undefined
      : `<!doctype html><html lang="en"><meta charset="utf-8"><title>Hermes</title><p>${text}</p></html>\n`,
  );
}
