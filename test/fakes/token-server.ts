/** The token services of clouds for tests: a real HTTP server that records what it is asked and answers in turn. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The form that was sent, or the query of a GET. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface TokenAnswer {
  readonly status?: number;
  readonly body: object;
  /** The answer waits for it. */
  readonly gate?: Promise<void>;
}

export async function startTokenServer() {
  const answers: TokenAnswer[] = [];
  const requests: TokenRequest[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const fields = Object.fromEntries(request.method === 'GET' ? url.searchParams : new URLSearchParams(text));
      requests.push({ method: request.method ?? '', path: url.pathname, headers: request.headers, fields });
      const answer = answers.shift() ?? { status: 500, body: { error: 'not expected' } };
      void (answer.gate ?? Promise.resolve()).then(() => {
        response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer.body));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    enqueue: (...more: TokenAnswer[]) => void answers.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
