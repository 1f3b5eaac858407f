/** A listener with one route that says what it was sent, and connections that speak to it byte by byte. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { jsonAnswer } from '../../src/http/answers.ts';
import type { RouteGroup } from '../../src/http/routes.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../src/http/server.ts';
import { noLog } from '../../src/lib/log.ts';

export const key = 'k-0123456789abcdef';

export const echo: RouteGroup = {
  name: 'echo',
  routes: [
    { method: 'POST', path: '/echo', access: 'key', handle: async (request) => jsonAnswer(await request.json()) },
    { method: 'GET', path: '/open', access: 'everybody', handle: async () => jsonAnswer({ open: true }) },
  ],
  drain: async () => undefined,
};

export async function startListener(t: TestContext, options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const server = await startHttpServer({
    name: 'Test',
    host: '127.0.0.1',
    port: 0,
    groups: [echo],
    key: { current: async () => key },
    log: noLog,
    ...options,
  });
  t.after(() => server.stop());
  return server;
}

export interface Line {
  readonly socket: Socket;
  readonly write: (text: string | Uint8Array) => void;
  /** All that came until the other side closed. */
  readonly closed: Promise<string>;
}

export async function dial(t: TestContext, port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  t.after(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => void chunks.push(chunk));
  // A reset is an end too.
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
  await once(socket, 'connect');
  return { socket, write: (text) => void socket.write(text), closed };
}

/** A request line and headers. */
export function head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { host: '127.0.0.1', authorization: `Bearer ${key}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
