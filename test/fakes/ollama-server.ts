/**
 * A server that speaks Ollama's own format and checks each request strictly.
 * https://docs.ollama.com/api/chat, https://docs.ollama.com/api/streaming
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OllamaStep {
  readonly text?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  readonly doneReason?: 'stop' | 'length';
  /** False: the body ends without its last line. */
  readonly done?: boolean;
  /** An error in place of an answer; in the middle of one when there is a text too. */
  readonly error?: { readonly status: number; readonly message: string };
}

export interface OllamaRequest {
  readonly body: Record<string, unknown>;
  readonly messages: readonly Record<string, unknown>[];
}

export interface OllamaServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly requests: readonly OllamaRequest[];
  /** What a real server would not have understood or would have passed over in silence. */
  readonly violations: readonly string[];
  enqueue(...steps: readonly OllamaStep[]): void;
}

const fields = new Set(['model', 'messages', 'tools', 'think', 'stream', 'options', 'keep_alive', 'format']);
const options = new Set(['num_ctx', 'num_predict', 'temperature', 'top_k', 'top_p', 'seed', 'stop']);
const rowFields = new Set(['role', 'content', 'thinking', 'images', 'tool_calls', 'tool_name', 'tool_call_id']);

export async function startOllamaServer(): Promise<OllamaServer> {
  const steps: OllamaStep[] = [];
  const requests: OllamaRequest[] = [];
  const violations: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (request.method !== 'POST' || request.url !== '/api/chat') {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
        return;
      }
      const body: Record<string, unknown> = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const messages = Array.isArray(body['messages']) ? body['messages'] : [];
      requests.push({ body, messages });
      violations.push(...problemsOf(body, messages));
      const step = steps.shift() ?? {};
      const { error, text = '' } = step;
      if (error !== undefined && text === '') {
        response.writeHead(error.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: error.message }));
        return;
      }
      response.writeHead(200, {
        'content-type': body['stream'] === false ? 'application/json' : 'application/x-ndjson',
      });
      for (const line of linesOf(String(body['model']), step, body['stream'] !== false)) {
        // Torn anywhere, as networks do.
        const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
        response.write(bytes.subarray(0, 7));
        response.write(bytes.subarray(7));
      }
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    violations,
    enqueue: (...more) => void steps.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function linesOf(model: string, step: OllamaStep, streamed: boolean): object[] {
  const { text = '', thinking = '', toolCalls = [], doneReason = 'stop', done = true, error } = step;
  const base = { model, created_at: '2026-01-01T00:00:00.000000Z' };
  const calls = toolCalls.map((call, index) => ({ id: `call_${index}`, function: { index, ...call } }));
  const end = { done_reason: doneReason, done: true, total_duration: 9, prompt_eval_count: 26, eval_count: 7 };
  if (!streamed) {
    const message = {
      role: 'assistant',
      content: text,
      thinking,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return [{ ...base, message, ...end }];
  }
  const line = (fields: object) => ({ ...base, message: { role: 'assistant', content: '', ...fields }, done: false });
  return [
    ...[...thinking.matchAll(/.{1,5}/gsu)].map(([piece]) => line({ thinking: piece })),
    ...[...text.matchAll(/.{1,5}/gsu)].map(([content]) => line({ content })),
    ...(calls.length === 0 ? [] : [line({ tool_calls: calls })]),
    ...(error === undefined ? [] : [{ error: error.message }]),
    ...(done && error === undefined ? [{ ...base, message: { role: 'assistant', content: '' }, ...end }] : []),
  ];
}

function problemsOf(body: Record<string, unknown>, messages: readonly Record<string, unknown>[]): string[] {
  const problems = unknownOf(body, fields, 'field');
  problems.push(...unknownOf(Object(body['options'] ?? {}), options, 'option'));
  if (messages.length === 0) problems.push('no messages');
  for (const [index, row] of messages.entries()) {
    const at = `message ${index} (${String(row['role'])})`;
    problems.push(...unknownOf(row, rowFields, `${at}: field`));
    if (typeof row['content'] !== 'string') problems.push(`${at}: content is no text`);
    for (const image of listOf(row['images'])) {
      if (typeof image !== 'string' || !/^[A-Za-z0-9+/]+=*$/.test(image)) problems.push(`${at}: an image is no base64`);
    }
    for (const call of listOf(row['tool_calls'])) {
      const { function: written } = Object(call);
      if (typeof Object(written).name !== 'string') problems.push(`${at}: a call without a name`);
      if (typeof Object(written).arguments !== 'object') problems.push(`${at}: arguments are no object`);
    }
  }
  return problems;
}

function unknownOf(value: object, known: ReadonlySet<string>, what: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => `unknown ${what} ${key}`);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
