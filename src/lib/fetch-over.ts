/** What `fetch` does, over connections that know the proxies, authorities and sockets of this house. */
import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { Connections, type Network } from './connections.ts';

export interface FetchRequest {
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `manual` returns the redirect; otherwise it is an error. Redirects are never followed: a key could travel along. */
  readonly redirect?: 'manual' | 'error';
  readonly signal?: AbortSignal;
}

/** Every `fetch` is one; those of tests and of this file know no more. */
export type Fetch = (url: string, request: FetchRequest) => Promise<Response>;

/** Keep it as long as there is something to ask: it holds the connections. */
export function fetchOver(network: Network): Fetch {
  const connections = new Connections(network);
  return async (url, { method = 'GET', headers = {}, body, redirect, signal = new AbortController().signal }) => {
    signal.throwIfAborted();
    const sent = { 'user-agent': 'hermes-agent', 'accept-encoding': 'gzip', ...headers };
    try {
      return responseOf(await connections.send({ url, method, headers: sent, body }, signal), redirect);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
}

function responseOf(answer: IncomingMessage, redirect: FetchRequest['redirect'] = 'error'): Response {
  const { statusCode: status = 500 } = answer;
  if (status >= 300 && status < 400 && status !== 304 && redirect === 'error') {
    answer.destroy();
    throw new Error('the address redirects, which is not followed');
  }
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((text): [string, string] => [name, text]),
  );
  if (!bodyless.has(status)) return new Response(Readable.toWeb(unpacked(answer)), { status, headers });
  answer.resume();
  return new Response(null, { status, headers });
}

/** Lists of models are a tenth of their size when they are packed. */
function unpacked(answer: IncomingMessage): Readable {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  const { createGunzip } = process.getBuiltinModule('node:zlib');
  // What goes wrong with either is told by the one that is read.
  return pipeline(answer, createGunzip(), () => undefined);
}

/** https://fetch.spec.whatwg.org/#null-body-status */
const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);
