/**
 * A model provider for tests: a real HTTP server on a free local port that speaks the chat-completions wire format.
 *
 *     await using server = await startModelServer();
 *     server.enqueue(
 *       { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },   // answer to the first request
 *       { fault: 'status', status: 429, headers: { 'retry-after': '2' } },       // to the second
 *       { text: 'The file says hello.', reasoning: 'Easy.' },                    // to the third
 *     );
 *     // base URL for the client: server.url (`http://127.0.0.1:<port>/v1`); any model name and key will do
 *     assert.equal(server.requests.length, 3);
 *     assert.deepEqual(server.violations, []);
 *
 * - What can be answered: `Answer`, `Fault`, `Raw` and `Live` in `model-steps.ts`. Steps are used up in order, one a request;
 *   when the queue is empty `respond(request)` decides; without one the request is refused with status 400 and the
 *   violation "request N was not expected".
 * - Nothing sleeps: an answer waits on `gate` or `gateAfterFirst`, promises that the test settles
 *   (`Promise.withResolvers()`), and a test waits with `await server.requestArrived(n)` or `await request.closed`.
 * - Streams when the request says `stream: true`, answers whole otherwise; usage is streamed only when the request
 *   asks for it with `stream_options.include_usage`.
 * - Every request is recorded with headers, parsed body and time, and its history is read as strictly as the
 *   strictest provider would: `violations` lists broken alternation, unpaired calls, empty content, unknown fields.
 *   Assert that it is empty; set `strict: true` to have such requests answered with status 400 as well.
 * - `GET /v1/models` lists `models`. With `apiKey` set, any other key gets status 401.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestProblems } from './history-rules.ts';
import {
  type Answer,
  type Fault,
  type Raw,
  type Step,
  sseChunk,
  sseEvent,
  streamedEvents,
  wholeAnswer,
} from './model-steps.ts';

export type { Step } from './model-steps.ts';

/** A message as it came over the wire. */
export interface WireMessage {
  readonly role: string;
  readonly content:
    | string
    | readonly {
        readonly type: string;
        readonly text?: string;
        readonly image_url?: { readonly url: string };
        readonly video_url?: { readonly url: string };
      }[]
    | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly [key: string]: unknown;
}

export interface WireBody {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly {
    readonly type: string;
    readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
  }[];
  readonly stream?: boolean;
  readonly [key: string]: unknown;
}

export interface RecordedRequest {
  /** Position among the chat requests, from 0. */
  readonly index: number;
  readonly path: string;
  /** The same for all requests of one connection. */
  readonly clientPort: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  readonly body: WireBody;
  /** `performance.now()` when the whole request had arrived. */
  readonly arrivedAt: number;
  /** Settles when the connection of this request is done, by either side; true when the client gave up on it. */
  readonly closed: Promise<boolean>;
}

export interface ModelServerOptions {
  /** Answers requests that no enqueued step is left for. */
  readonly respond?: (request: RecordedRequest) => Step | Promise<Step>;
  /** Names, or whole entries, for `/v1/models`; default `['test-model']`. */
  readonly models?: readonly (string | object)[];
  /** The only key that is accepted. */
  readonly apiKey?: string;
  /** Refuse requests that break a rule with status 400. */
  readonly strict?: boolean;
  /** Answers the request for a title beside a conversation, which then is not recorded and takes no step. */
  readonly title?: string;
}

export interface ModelServer extends AsyncDisposable {
  /** Base URL with `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Chat requests in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Rules that requests broke, as `request 2: message 5 (tool): a result without a call`. */
  readonly violations: readonly string[];
  /** `GET /v1/models` requests so far. */
  readonly modelListRequests: readonly { readonly headers: IncomingHttpHeaders }[];
  /** The last request. Throws when there was none. */
  readonly lastRequest: RecordedRequest;
  /** Adds steps to the queue; a function is asked when its turn comes. */
  enqueue(...steps: (Step | ((request: RecordedRequest) => Step | Promise<Step>))[]): void;
  /** Settles when `count` chat requests have arrived. */
  requestArrived(count: number): Promise<RecordedRequest>;
  close(): Promise<void>;
}

/** Starts the server; `await using` or `close()` ends it together with its open connections. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const queue: (Step | ((request: RecordedRequest) => Step | Promise<Step>))[] = [];
  const requests: RecordedRequest[] = [];
  const modelListRequests: { headers: IncomingHttpHeaders }[] = [];
  const violations: string[] = [];
  const waiting: { count: number; settle: (request: RecordedRequest) => void }[] = [];
  let callCount = 0;
  const nextCallId = () => {
    callCount += 1;
    return `call_${callCount}`;
  };

  async function nextStep(request: RecordedRequest, problems: readonly string[]): Promise<Step> {
    if (options.strict === true && problems.length > 0) {
      return { fault: 'status', status: 400, body: { error: { message: problems.join('; ') } } };
    }
    const step = queue.shift() ?? options.respond;
    if (step !== undefined) return typeof step === 'function' ? await step(request) : step;
    violations.push(`request ${request.index} was not expected`);
    return { fault: 'status', status: 400, body: { error: { message: 'The test has no answer for this request.' } } };
  }

  async function answerChat(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const rawBody = await readBody(incoming);
    const body: WireBody = parseBody(rawBody);
    if (options.title !== undefined && isTitleQuestion(body)) {
      return sendJson(response, 200, wholeAnswer(body.model, { text: options.title }, nextCallId));
    }
    const closed = new Promise<boolean>((resolve) => {
      response.once('close', () => resolve(!response.writableFinished));
    });
    const index = requests.length;
    const request: RecordedRequest = {
      index,
      path: incoming.url ?? '',
      clientPort: incoming.socket.remotePort,
      headers: incoming.headers,
      rawBody,
      body,
      arrivedAt: performance.now(),
      closed,
    };
    requests.push(request);
    const problems = requestProblems(body);
    violations.push(...problems.map((problem) => `request ${index}: ${problem}`));
    for (const waiter of waiting.filter(({ count }) => count <= requests.length)) waiter.settle(request);
    await writeStep(await nextStep(request, problems), request, response, nextCallId);
  }

  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    const authorized = options.apiKey === undefined || incoming.headers.authorization === `Bearer ${options.apiKey}`;
    if (!authorized) {
      sendJson(response, 401, { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } });
    } else if (incoming.method === 'GET' && path.endsWith('/models')) {
      modelListRequests.push({ headers: incoming.headers });
      const data = (options.models ?? ['test-model']).map((model) =>
        typeof model === 'string' ? { id: model, object: 'model' } : model,
      );
      sendJson(response, 200, { object: 'list', data });
    } else if (incoming.method === 'POST' && path.endsWith('/chat/completions')) {
      answerChat(incoming, response).catch((error: unknown) => {
        violations.push(`the fake server failed: ${String(error)}`);
        response.destroy();
      });
    } else {
      sendJson(response, 404, { error: { message: `Nothing at ${incoming.method} ${path}` } });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    violations,
    modelListRequests,
    get lastRequest() {
      const last = requests.at(-1);
      if (last === undefined) throw new Error('The fake model server has seen no request.');
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

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): WireBody {
  try {
    return JSON.parse(text);
  } catch {
    return { model: '', messages: [] };
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function writeStep(step: Step, request: RecordedRequest, response: ServerResponse, nextCallId: () => string) {
  if ('raw' in step) return await writeRaw(step, response);
  if ('chunks' in step) {
    openStream(response);
    for await (const chunk of step.chunks) {
      if (response.destroyed) break;
      await write(response, chunk);
    }
    response.end();
    return;
  }
  if ('fault' in step) return await writeFault(step, request, response);
  await writeAnswer(step, request, response, nextCallId);
}

async function writeAnswer(
  answer: Answer,
  request: RecordedRequest,
  response: ServerResponse,
  nextCallId: () => string,
): Promise<void> {
  const { model } = request.body;
  await answer.gate;
  if ((answer.format ?? (request.body.stream === true ? 'sse' : 'json')) === 'json') {
    return sendJson(response, 200, wholeAnswer(model, answer, nextCallId), answer.headers);
  }
  const streamOptions = request.body['stream_options'] as { include_usage?: boolean } | undefined;
  const events = streamedEvents(model, answer, nextCallId, streamOptions?.include_usage === true);
  openStream(response, answer.headers);
  if (answer.gateAfterFirst !== undefined) {
    await write(response, events.splice(0, 2).join(''));
    await answer.gateAfterFirst;
  }
  if (answer.bytesPerWrite === undefined) {
    for (const event of events) await write(response, event);
  } else {
    const bytes = Buffer.from(events.join(''));
    for (let start = 0; start < bytes.length; start += answer.bytesPerWrite) {
      await write(response, bytes.subarray(start, start + answer.bytesPerWrite));
    }
  }
  response.end();
}

async function writeRaw(step: Raw, response: ServerResponse): Promise<void> {
  response.writeHead(step.status ?? 200, { 'content-type': 'text/event-stream', ...step.headers });
  for (const chunk of step.raw) {
    if (chunk instanceof Promise) await chunk;
    else await write(response, chunk);
  }
  response.end();
}

async function writeFault(step: Fault, request: RecordedRequest, response: ServerResponse): Promise<void> {
  const { model } = request.body;
  const textEvent = (text = 'Partial answer') => sseChunk(model, { role: 'assistant', content: text });
  switch (step.fault) {
    case 'status': {
      const body = step.body ?? { error: { message: `Scripted status ${step.status}` } };
      if (typeof body === 'object') return sendJson(response, step.status, body, step.headers);
      response.writeHead(step.status, { 'content-type': 'text/plain', ...step.headers });
      response.end(body);
      return;
    }
    case 'html':
      response.writeHead(step.status ?? 502, { 'content-type': 'text/html' });
      response.end(
        '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>',
      );
      return;
    case 'error_body':
      return sendJson(response, 200, { error: step.error ?? { message: 'The provider failed', code: 502 } });
    case 'error_event':
      openStream(response);
      await write(response, textEvent(step.text));
      await write(response, sseEvent({ error: step.error ?? { message: 'The provider failed midway', code: 502 } }));
      response.end();
      return;
    case 'close_before':
      response.destroy();
      return;
    case 'close_after':
      openStream(response);
      await write(response, textEvent(step.text));
      response.end();
      return;
    case 'reset':
      openStream(response);
      await write(response, textEvent(step.text));
      response.socket?.resetAndDestroy();
      return;
    case 'malformed_json':
      openStream(response);
      await write(response, textEvent(step.text));
      await write(response, 'data: {"choices":[{"delta":{"content":"x\n\n');
      response.end('data: [DONE]\n\n');
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': step.contentType ?? 'text/event-stream' });
      response.end(step.bytes ?? Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x0a, 0x0a, 0xc3, 0x28, 0x7b]));
      return;
    case 'endless':
      openStream(response);
      while (!response.destroyed) await write(response, textEvent(step.text));
      return;
    case 'hang':
      return;
    case 'hang_after':
      openStream(response);
      await write(response, textEvent(step.text));
      return;
    case 'empty_choices':
      if (request.body.stream !== true)
        return sendJson(response, 200, { id: 'x', object: 'chat.completion', choices: [] });
      openStream(response);
      response.end(`${sseEvent({ id: 'x', object: 'chat.completion.chunk', choices: [] })}data: [DONE]\n\n`);
      return;
  }
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

function isTitleQuestion({ messages }: WireBody): boolean {
  const [first] = messages;
  return first?.role === 'system' && typeof first.content === 'string' && first.content.startsWith('Write a title');
}
