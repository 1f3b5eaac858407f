/** The requests of an HTTP server: over the connections of this house, with its certificates, and bounded. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { ClientCertificate, Network } from '../lib/connections.ts';
import { UserError } from '../lib/errors.ts';
import { fetchOver } from '../lib/fetch-over.ts';
import type { HttpReach } from './settings.ts';

/** A binary resource of 50 MiB as base64. Of a stream of events: one of them. */
const maxBytes = 72 * 1024 * 1024;
const probeMs = 10_000;

/** Throws `UserError` for certificates that cannot be read. */
export function fetchFor(name: string, reach: HttpReach, network: Network): FetchLike {
  const trusted = typeof reach.verify === 'string' ? [readable(name, reach.verify)] : [];
  const known = network.trusts === 'anybody' || network.trusts === undefined ? [] : network.trusts;
  const certificate = certificateOf(name, reach);
  const send = fetchOver({
    ...network,
    trusts: reach.verify === false ? 'anybody' : [...known, ...trusted],
    ...(certificate === undefined ? {} : { certificate }),
  });
  return async (url, init = {}) => {
    const { method = 'GET', headers, body, redirect, signal } = init;
    const answer = await send(String(url), {
      method,
      // A packed stream of events would come late.
      headers: { 'accept-encoding': 'identity', ...Object.fromEntries(new Headers(headers)) },
      ...(body === undefined || body === null ? {} : { body: await new Response(body).text() }),
      redirect: redirect === 'manual' ? 'manual' : 'error',
      ...(signal === undefined || signal === null ? {} : { signal }),
    });
    return bounded(answer);
  };
}

/** Throws `UserError` when the address answers with a page for people; what goes wrong otherwise the connection will tell. */
export async function refusePages(
  name: string,
  reach: HttpReach,
  fetch: FetchLike,
  signal: AbortSignal,
): Promise<void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(probeMs)]);
  const headers = { ...reach.headers, accept: 'text/event-stream, application/json' };
  const answer = await fetch(reach.url, { method: 'GET', headers, redirect: 'manual', signal: within }).catch(
    () => undefined,
  );
  await answer?.body?.cancel().catch(() => undefined);
  if (answer?.ok === true && /^text\/html\b/i.test(answer.headers.get('content-type') ?? '')) {
    throw new UserError(`mcp_servers.${name}.url answers with a web page; it is not the address of an MCP server.`, {
      hint: 'If it is one all the same, set skip_preflight: true for it.',
    });
  }
}

function certificateOf(name: string, { certificate }: HttpReach): ClientCertificate | undefined {
  if (certificate === undefined) return undefined;
  const { cert, key = cert, password } = certificate;
  const read = (path: string): string => readFileSync(readable(name, path), 'utf8');
  return { cert: read(cert), key: read(key), ...(password === undefined ? {} : { passphrase: password }) };
}

function readable(name: string, written: string): string {
  const path = written.startsWith('~/') ? join(homedir(), written.slice(2)) : written;
  try {
    readFileSync(path);
    return path;
  } catch (error) {
    throw new UserError(`mcp_servers.${name}: the certificate ${path} cannot be read.`, { cause: error });
  }
}

function bounded(answer: Response): Response {
  const { body, status, statusText, headers } = answer;
  if (body === null) return answer;
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  const ends = new EventEnds();
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      const end = isStream ? ends.last(piece) : -1;
      bytes = end === -1 ? bytes + piece.length : piece.length - end;
      if (bytes > maxBytes) controller.error(new Error('the server sent a message that is too long'));
      else controller.enqueue(piece);
    },
  });
  return new Response(body.pipeThrough(counted), { status, statusText, headers });
}

const [lineFeed, carriageReturn] = [10, 13];

/** Where events end in a stream of them: at a line without anything. https://html.spec.whatwg.org/#parsing-an-event-stream */
class EventEnds {
  /** Bytes of the line that has begun, and the last of them. */
  #line = 0;
  #lastByte = 0;

  /** Index of the byte that ends the last event which ends in this piece; -1 for none. */
  last(piece: Uint8Array): number {
    let end = -1;
    let from = 0;
    for (let at = piece.indexOf(lineFeed); at !== -1; at = piece.indexOf(lineFeed, from)) {
      const length = this.#line + at - from;
      const before = at > from ? piece[at - 1] : this.#lastByte;
      if (length === 0 || (length === 1 && before === carriageReturn)) end = at;
      this.#line = 0;
      from = at + 1;
    }
    this.#line += piece.length - from;
    this.#lastByte = piece.at(-1) ?? this.#lastByte;
    return end;
  }
}
