/** An HTTP server for tests that answers fixed paths with JSON and remembers who asked. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface JsonRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Text and bytes are sent as they are, everything else as JSON. */
export interface JsonAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The answer never comes. */
  readonly hang?: boolean;
}

export type Routes = Readonly<Record<string, JsonAnswer | ((request: JsonRequest) => JsonAnswer)>>;

export interface JsonServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: readonly JsonRequest[];
  /** From now on these are answered instead. */
  answer(routes: Routes): void;
}

/** Keys of `routes` are `GET /path` or `POST /path`, without the query; all else is status 404. */
export async function startJsonServer(routes: Routes = {}): Promise<JsonServer> {
  let current = routes;
  const requests: JsonRequest[] = [];
  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url = '', headers } = incoming;
    const request: JsonRequest = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
    requests.push(request);
    const route = current[`${method} ${url.split('?')[0]}`] ?? { status: 404, body: { error: 'not found' } };
    const answer = typeof route === 'function' ? route(request) : route;
    if (answer.hang === true) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    const { body } = answer;
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? null));
  }

  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    respond(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (next) => {
      current = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
