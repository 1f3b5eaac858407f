/**
 * OpenAI's Responses API for tests: a real HTTP server on a free local port that takes the scripted conversations of
 * `model-server.ts`.
 *
 *     await using server = await startResponsesServer();
 *     server.enqueue({ toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }, { text: 'Hello.' });
 *     // base URL for the client: server.url (`http://127.0.0.1:<port>/v1`)
 *     assert.deepEqual(server.violations, []);
 *
 * - Steps as in `model-steps.ts`, and `ItemAnswer` for exact output items. Streams named events when asked to, answers
 *   whole otherwise; `done: false` or `finishReason: null` leaves out the event that ends a response. Nothing sleeps.
 * - Every request is recorded and read strictly: `violations` lists the documented rules that it broke. Assert that it
 *   is empty; `strict: true` answers such requests with status 400 as well.
 * - Reasoning comes in its encrypted form when the request includes it.
 * - With `apiKey` set, any other key gets status 401. With `streamOnly`, whole answers are refused, as on a subscription.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fault, Live, Raw } from './model-steps.ts';
import { responsesProblems } from './responses-rules.ts';
import {
  type AnswerContext,
  type ResponsesAnswer,
  responsesEvent,
  responsesEvents,
  wholeResponse,
} from './responses-steps.ts';

export type ResponsesStep = ResponsesAnswer | Fault | Raw | Live;
type Respond = (request: ResponsesRequest) => ResponsesStep | Promise<ResponsesStep>;

export interface ResponsesBody {
  readonly model: string;
  readonly instructions?: string;
  readonly input: readonly { readonly [key: string]: unknown }[];
  readonly stream?: boolean;
  readonly [key: string]: unknown;
}

export interface ResponsesRequest {
  /** Position among the requests, from 0. */
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ResponsesBody;
  /** Settles when the connection is done, by either side; true when the client gave up on it. */
  readonly closed: Promise<boolean>;
}

export interface ResponsesServerOptions {
  /** Answers requests that no enqueued step is left for. */
  readonly respond?: Respond;
  /** The only key that is accepted. */
  readonly apiKey?: string;
  /** Refuse requests that break a rule with status 400. */
  readonly strict?: boolean;
  readonly streamOnly?: boolean;
}

export interface ResponsesServer extends AsyncDisposable {
  /** Base URL with `/v1`. */
  readonly url: string;
  readonly requests: readonly ResponsesRequest[];
  readonly violations: readonly string[];
  /** The last request. Throws when there was none. */
  readonly lastRequest: ResponsesRequest;
  enqueue(...steps: (ResponsesStep | Respond)[]): void;
  close(): Promise<void>;
}

/** Starts the server; `await using` or `close()` ends it together with its open connections. */
export async function startResponsesServer(options: ResponsesServerOptions = {}): Promise<ResponsesServer> {
  const queue: (ResponsesStep | Respond)[] = [];
  const requests: ResponsesRequest[] = [];
  const violations: string[] = [];
  let items = 0;
  const nextId = () => {
    items += 1;
    return items;
  };

  async function nextStep(request: ResponsesRequest, problems: readonly string[]): Promise<ResponsesStep> {
    if (options.strict === true && problems.length > 0) return refusal(400, problems.join('; '));
    if (options.streamOnly === true && request.body.stream !== true) {
      return { fault: 'status', status: 400, body: { detail: 'Stream must be set to true' } };
    }
    const step = queue.shift() ?? options.respond;
    if (step !== undefined) return typeof step === 'function' ? await step(request) : step;
    violations.push(`request ${request.index} was not expected`);
    return refusal(400, 'The test has no answer for this request.');
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ResponsesBody;
    const problems = responsesProblems(body);
    const index = requests.length;
    const closed = new Promise<boolean>((resolve) => {
      response.once('close', () => resolve(!response.writableFinished));
    });
    const request = { index, path: incoming.url ?? '', headers: incoming.headers, body, closed };
    requests.push(request);
    violations.push(...problems.map((problem) => `request ${index}: ${problem}`));
    const { include } = body;
    const encrypted = Array.isArray(include) && include.includes('reasoning.encrypted_content');
    await writeStep(await nextStep(request, problems), body, { model: body.model, encrypted, nextId }, response);
  }

  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    if (options.apiKey !== undefined && incoming.headers.authorization !== `Bearer ${options.apiKey}`) {
      sendJson(response, 401, errorBody('Incorrect API key provided.', 'invalid_api_key'));
    } else if (incoming.method === 'POST' && path.endsWith('/responses')) {
      answer(incoming, response).catch((error: unknown) => {
        violations.push(`the fake server failed: ${String(error)}`);
        response.destroy();
      });
    } else {
      sendJson(response, 404, errorBody(`Nothing at ${incoming.method} ${path}`, 'not_found'));
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
    requests,
    violations,
    get lastRequest() {
      const last = requests.at(-1);
      if (last === undefined) throw new Error('The fake server has seen no request.');
      return last;
    },
    enqueue: (...steps) => void queue.push(...steps),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function errorBody(message: string, code: string): object {
  return { error: { message, type: 'invalid_request_error', param: null, code } };
}

function refusal(status: number, message: string): Fault {
  return { fault: 'status', status, body: errorBody(message, 'invalid_value') };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function writeStep(
  step: ResponsesStep,
  body: ResponsesBody,
  context: AnswerContext,
  response: ServerResponse,
): Promise<void> {
  if ('raw' in step) {
    response.writeHead(step.status ?? 200, { 'content-type': 'text/event-stream', ...step.headers });
    for (const chunk of step.raw) await (chunk instanceof Promise ? chunk : write(response, chunk));
    response.end();
  } else if ('chunks' in step) {
    openStream(response);
    for await (const chunk of step.chunks) if (!response.destroyed) await write(response, chunk);
    response.end();
  } else if ('fault' in step) await writeFault(step, response);
  else await writeAnswer(step, body, context, response);
}

async function writeAnswer(
  answer: ResponsesAnswer,
  body: ResponsesBody,
  context: AnswerContext,
  response: ServerResponse,
): Promise<void> {
  await answer.gate;
  if ((answer.format ?? (body.stream === true ? 'sse' : 'json')) === 'json') {
    return sendJson(response, 200, wholeResponse(answer, context), answer.headers);
  }
  const events = responsesEvents(answer, context);
  openStream(response, answer.headers);
  if (answer.gateAfterFirst !== undefined) {
    // Created, in progress, item added, part added, and the first delta of a text.
    await write(response, events.splice(0, 5).join(''));
    await answer.gateAfterFirst;
  }
  const bytes = Buffer.from(events.join(''));
  const size = answer.bytesPerWrite ?? (bytes.length || 1);
  for (let start = 0; start < bytes.length; start += size) await write(response, bytes.subarray(start, start + size));
  response.end();
}

async function writeFault(step: Fault, response: ServerResponse): Promise<void> {
  switch (step.fault) {
    case 'status': {
      const refused = step.body ?? errorBody(`Scripted status ${step.status}`, 'scripted');
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
      return sendJson(response, 200, { error: step.error ?? { message: 'It failed', code: 'server_error' } });
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
      return sendJson(response, 200, { object: 'chat.completion', choices: [] });
    default:
      await writeBrokenStream(step, response);
  }
}

type BrokenStream = Exclude<
  Fault,
  { fault: 'status' | 'html' | 'error_body' | 'garbage' | 'close_before' | 'hang' | 'empty_choices' }
>;

async function writeBrokenStream(step: BrokenStream, response: ServerResponse): Promise<void> {
  openStream(response);
  await write(response, responsesEvent({ type: 'response.created', response: { id: 'resp_fake' } }));
  await write(response, textDelta(step.text));
  switch (step.fault) {
    case 'error_event': {
      const error = step.error ?? { code: 'server_error', message: 'It failed midway' };
      const fields = typeof error === 'string' ? { message: error } : error;
      await write(response, responsesEvent({ ...fields, type: 'error' }));
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
      response.end('event: response.output_text.delta\ndata: {"type":"response.output_text.delta","del\n\n');
      return;
    case 'endless':
      while (!response.destroyed) await write(response, textDelta(step.text));
      return;
    case 'hang_after':
      return;
  }
}

function textDelta(delta = 'Partial answer'): string {
  const at = { item_id: 'msg_fake', output_index: 0, content_index: 0 };
  return responsesEvent({ type: 'response.output_text.delta', ...at, delta });
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
