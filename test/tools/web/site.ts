/** A web site on this machine, and how tests ask it. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import type { TestContext } from 'node:test';

export interface Site {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly IncomingMessage[];
}

/** Answers every request with `respond`; closed after the test. */
export async function startSite(t: TestContext, respond: RequestListener): Promise<Site> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.on('error', () => {});
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

/** One answer for every request. */
export async function startPage(t: TestContext, contentType: string, body: string | Uint8Array): Promise<Site> {
  return await startSite(t, (_, response) => response.writeHead(200, { 'content-type': contentType }).end(body));
}

/** A resolver that gives `answers` in turn, the last one for ever, and remembers what it was asked. */
export function fakeResolver(...answers: (readonly string[])[]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, _options, callback) => {
    const found = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup, asked };
}

/** A signal that never aborts. */
export function calm(): AbortSignal {
  return new AbortController().signal;
}
