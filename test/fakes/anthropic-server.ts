/**
 * Anthropic's Messages API for tests: a real HTTP server on a free local port that takes the scripted conversations
 * of `model-server.ts`.
 *
 *     await using server = await startAnthropicServer();
 *     server.enqueue({ toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }, { text: 'Hello.' });
 *     // base URL for the client: server.url (`http://127.0.0.1:<port>`)
 *     assert.deepEqual(server.violations, []);
 *
 * - Steps as in `model-steps.ts`, and `BlockAnswer` for exact content blocks. Streams named events with a ping among
 *   them when asked to, answers whole otherwise. Nothing sleeps.
 * - Every request is recorded and read strictly: `violations` lists the documented rules that it broke. Assert that it
 *   is empty; `strict: true` answers such requests with status 400 as well.
 * - Usage tells how much of the prompt a cache would have served (`PromptCache`); `usage` of a step wins over it.
 * - With `apiKey` set, a request must bring it as `x-api-key` (`sk-ant-api…`) or as a bearer token (any other).
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CachedUsage, PromptCache } from './anthropic-cache.ts';
import { anthropicProblems } from './anthropic-rules.ts';
import { type AnthropicAnswer, anthropicEvents, anthropicMessage, namedEvent } from './anthropic-steps.ts';
import type { Fault, Live, Raw } from './model-steps.ts';

export type AnthropicStep = AnthropicAnswer | Fault | Raw | Live;
type Respond = (request: AnthropicRequest) => AnthropicStep | Promise<AnthropicStep>;

/** A content block as it came over the wire. */
export interface AnthropicBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface AnthropicBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: string | readonly AnthropicBlock[];
  readonly messages: readonly { readonly role: string; readonly content: readonly AnthropicBlock[] }[];
  readonly stream?: boolean;
  readonly [key: string]: unknown;
}

export interface AnthropicRequest {
  /** Position among the requests, from 0. */
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  readonly body: AnthropicBody;
  /** What the prompt cost, by the account of the cache. */
  readonly usage: CachedUsage;
  /** Settles when the connection is done, by either side; true when the client gave up on it. */
  readonly closed: Promise<boolean>;
}

export interface AnthropicServerOptions {
  /** Answers requests that no enqueued step is left for. */
  readonly respond?: Respond;
  /** The only key that is accepted. */
  readonly apiKey?: string;
  /** Refuse requests that break a rule with status 400. */
  readonly strict?: boolean;
  /** Ids for `GET /v1/models`; default `['claude-test']`. */
  readonly models?: readonly string[];
  /** The shortest prefix that is cached; default 1024. */
  readonly minCacheTokens?: number;
}

export interface AnthropicServer extends AsyncDisposable {
  /** Base URL without `/v1`. */
  readonly url: string;
  readonly requests: readonly AnthropicRequest[];
  readonly violations: readonly string[];
  /** The last request. Throws when there was none. */
  readonly lastRequest: AnthropicRequest;
  enqueue(...steps: (AnthropicStep | Respond)[]): void;
  /** Settles when `count` requests have arrived. */
  requestArrived(count: number): Promise<AnthropicRequest>;
  close(): Promise<void>;
}

/** Starts the server; `await using` or `close()` ends it together with its open connections. */
export async function startAnthropicServer(options: AnthropicServerOptions = {}): Promise<AnthropicServer> {
  const queue: (AnthropicStep | Respond)[] = [];
  const requests: AnthropicRequest[] = [];
  const violations: string[] = [];
  const waiting: { count: number; settle: (request: AnthropicRequest) => void }[] = [];
  const cache = new PromptCache(options.minCacheTokens);
  let callCount = 0;
  const nextCallId = () => {
    callCount += 1;
    return `toolu_${callCount}`;
  };

  async function nextStep(request: AnthropicRequest, problems: readonly string[]): Promise<AnthropicStep> {
    if (options.strict === true && problems.length > 0)
      return refusal(400, 'invalid_request_error', problems.join('; '));
    const step = queue.shift() ?? options.respond;
    if (step !== undefined) return typeof step === 'function' ? await step(request) : step;
    violations.push(`request ${request.index} was not expected`);
    return refusal(400, 'invalid_request_error', 'The test has no answer for this request.');
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const rawBody = Buffer.concat(chunks).toString('utf8');
    const body = JSON.parse(rawBody) as AnthropicBody;
    const problems = [...anthropicProblems(body), ...headerProblems(incoming.headers)];
    const index = requests.length;
    const closed = new Promise<boolean>((resolve) => {
      response.once('close', () => resolve(!response.writableFinished));
    });
    const { headers } = incoming;
    const request = { index, path: incoming.url ?? '', headers, rawBody, body, usage: cache.account(body), closed };
    requests.push(request);
    for (const waiter of waiting.filter(({ count }) => count === requests.length)) waiter.settle(request);
    violations.push(...problems.map((problem) => `request ${index}: ${problem}`));
    await writeStep(await nextStep(request, problems), request, response, nextCallId);
  }

  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    if (options.apiKey !== undefined && !bringsKey(incoming.headers, options.apiKey)) {
      sendJson(response, 401, errorBody('authentication_error', 'invalid x-api-key'));
    } else if (incoming.method === 'GET' && path.endsWith('/v1/models')) {
      const data = (options.models ?? ['claude-test']).map((id) => ({ type: 'model', id, display_name: id }));
      sendJson(response, 200, { data, has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id });
    } else if (incoming.method === 'POST' && path.endsWith('/v1/messages')) {
      answer(incoming, response).catch((error: unknown) => {
        violations.push(`the fake server failed: ${String(error)}`);
        response.destroy();
      });
    } else {
      sendJson(response, 404, errorBody('not_found_error', `Nothing at ${incoming.method} ${path}`));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    violations,
    get lastRequest() {
      const last = requests.at(-1);
      if (last === undefined) throw new Error('The fake server has seen no request.');
      return last;
    },
    enqueue: (...steps) => void queue.push(...steps),
    requestArrived(count) {
      const arrived = requests[count - 1];
      if (arrived !== undefined) return Promise.resolve(arrived);
      return new Promise((settle) => waiting.push({ count, settle }));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function bringsKey(headers: IncomingHttpHeaders, key: string): boolean {
  return key.startsWith('sk-ant-api') ? headers['x-api-key'] === key : headers.authorization === `Bearer ${key}`;
}

/** The first version of the API, and the one that the vendor's own library asks for. */
const versions: ReadonlySet<string> = new Set(['2023-06-01', '2026-10-21']);

function headerProblems(headers: IncomingHttpHeaders): string[] {
  return versions.has(String(headers['anthropic-version'])) ? [] : ['anthropic-version: header is required'];
}

function errorBody(type: string, message: string): object {
  return { type: 'error', error: { type, message }, request_id: 'req_fake' };
}

function refusal(status: number, type: string, message: string): Fault {
  return { fault: 'status', status, body: errorBody(type, message) };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function writeStep(
  step: AnthropicStep,
  request: AnthropicRequest,
  response: ServerResponse,
  nextCallId: () => string,
): Promise<void> {
  if ('raw' in step) {
    response.writeHead(step.status ?? 200, { 'content-type': 'text/event-stream', ...step.headers });
    for (const chunk of step.raw) await (chunk instanceof Promise ? chunk : write(response, chunk));
    response.end();
  } else if ('chunks' in step) {
    openStream(response);
    for await (const chunk of step.chunks) if (!response.destroyed) await write(response, chunk);
    response.end();
  } else if ('fault' in step) await writeFault(step, request, response);
  else await writeAnswer(step, request, response, nextCallId);
}

async function writeAnswer(
  answer: AnthropicAnswer,
  { body, usage }: AnthropicRequest,
  response: ServerResponse,
  nextCallId: () => string,
): Promise<void> {
  await answer.gate;
  if ((answer.format ?? (body.stream === true ? 'sse' : 'json')) === 'json') {
    return sendJson(response, 200, anthropicMessage(body.model, answer, nextCallId, usage), answer.headers);
  }
  const events = anthropicEvents(body.model, answer, nextCallId, answer.usage === false ? {} : usage);
  openStream(response, answer.headers);
  if (answer.gateAfterFirst !== undefined) {
    await write(response, events.splice(0, 4).join(''));
    await answer.gateAfterFirst;
  }
  const bytes = Buffer.from(events.join(''));
  const size = answer.bytesPerWrite ?? (bytes.length || 1);
  for (let start = 0; start < bytes.length; start += size) await write(response, bytes.subarray(start, start + size));
  response.end();
}

async function writeFault(step: Fault, { body }: AnthropicRequest, response: ServerResponse): Promise<void> {
  switch (step.fault) {
    case 'status': {
      const refused = step.body ?? errorBody('api_error', `Scripted status ${step.status}`);
      if (typeof refused === 'object') return sendJson(response, step.status, refused, step.headers);
      response.writeHead(step.status, { 'content-type': 'text/plain', ...step.headers });
      response.end(refused);
      return;
    }
    case 'html':
      response.writeHead(step.status ?? 502, { 'content-type': 'text/html' });
      response.end('<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body></body></html>');
      return;
    case 'error_body':
      return sendJson(response, 200, {
        type: 'error',
        error: step.error ?? { type: 'api_error', message: 'It failed' },
      });
    case 'garbage':
      response.writeHead(200, { 'content-type': step.contentType ?? 'text/event-stream' });
      response.end(step.bytes ?? Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x0a, 0x0a, 0xc3, 0x28, 0x7b]));
      return;
    case 'close_before':
      response.destroy();
      return;
    case 'hang':
      return;
    case 'empty_choices':
      return sendJson(response, 200, errorBody('api_error', 'It failed'));
    default:
      await writeBrokenStream(step, body.model, response);
  }
}

type BrokenStream = Exclude<
  Fault,
  { fault: 'status' | 'html' | 'error_body' | 'garbage' | 'close_before' | 'hang' | 'empty_choices' }
>;

async function writeBrokenStream(step: BrokenStream, model: string, response: ServerResponse): Promise<void> {
  openStream(response);
  for (const event of beginning(model, step.text)) await write(response, event);
  switch (step.fault) {
    case 'error_event': {
      const error = step.error ?? { type: 'overloaded_error', message: 'Overloaded' };
      await write(response, namedEvent({ type: 'error', error }));
      response.end();
      return;
    }
    case 'close_after':
      response.end();
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'malformed_json':
      await write(response, 'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"te\n\n');
      response.end(namedEvent({ type: 'message_stop' }));
      return;
    case 'endless':
      while (!response.destroyed) await write(response, textDelta(step.text));
      return;
    case 'hang_after':
      return;
  }
}

/** A message that has begun to say something. */
function beginning(model: string, text: string | undefined): string[] {
  const message = { id: 'msg_fake', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  const block = { type: 'text', text: '' };
  return [
    namedEvent({ type: 'message_start', message }),
    namedEvent({ type: 'content_block_start', index: 0, content_block: block }),
    textDelta(text),
  ];
}

function textDelta(text = 'Partial answer'): string {
  return namedEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
}

function openStream(response: ServerResponse, headers: object = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
  response.flushHeaders();
}

/** Waits until the bytes were handed on, so that a slow reader slows the server and an absent one stops it. */
function write(response: ServerResponse, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    const onClose = () => resolve();
    response.once('close', onClose);
    response.write(chunk, () => {
      response.off('close', onClose);
      resolve();
    });
  });
}
