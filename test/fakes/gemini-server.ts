/**
 * Gemini for tests: a real HTTP server that speaks `generateContent` and `streamGenerateContent?alt=sse`.
 *
 *     await using server = await startGeminiServer();
 *     server.enqueue({ chunks: [textChunk('Hello'), textChunk('', { finishReason: 'STOP' })] });
 *     // base URL: server.url (`http://127.0.0.1:<port>/v1beta`)
 *     assert.deepEqual(server.violations, []);
 *
 * Answers are used up in order, one a request. Every request is read as strictly as Google's documents are written.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/lib/json.ts';
import { geminiProblems } from './gemini-rules.ts';

export type GeminiStep =
  /** Responses of the API; streamed one an event, or only the last one when the request does not stream. */
  | { readonly chunks: readonly object[]; readonly hold?: Promise<void>; readonly cutOff?: boolean }
  /** Bytes as they are. */
  | { readonly raw: readonly (string | Buffer)[] }
  | { readonly status: number; readonly body: unknown };

export interface GeminiRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

export async function startGeminiServer() {
  const steps: GeminiStep[] = [];
  const requests: GeminiRequest[] = [];
  const violations: string[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('close', () => {
      if (!response.writableEnded) closed.resolve();
    });
    request.on('end', () => {
      const body: JsonObject = JSON.parse(Buffer.concat(pieces).toString());
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      violations.push(...geminiProblems(body));
      const step = steps.shift();
      if (step === undefined) violations.push(`request ${requests.length} was not expected`);
      void answer(response, step ?? { status: 500, body: {} }, request.url ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`,
    requests,
    violations,
    /** Settles when a client has given up on an answer. */
    abandoned: closed.promise,
    enqueue: (...more: GeminiStep[]) => void steps.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function textChunk(text: string, extra: object = {}): object {
  return partsChunk([{ text }], extra);
}

export function partsChunk(parts: readonly object[], extra: object = {}): object {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...extra }] };
}

export function sse(chunks: readonly object[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('');
}

async function answer(response: ServerResponse, step: GeminiStep, path: string): Promise<void> {
  if ('status' in step) {
    response.writeHead(step.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(step.body));
    return;
  }
  const streamed = path.includes(':streamGenerateContent?alt=sse');
  response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
  if ('raw' in step) {
    for (const piece of step.raw) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
    return;
  }
  if (!streamed) {
    response.end(JSON.stringify(step.chunks.at(-1)));
    return;
  }
  response.write(sse(step.chunks));
  await step.hold;
  if (step.cutOff === true) response.destroy();
  else response.end();
}
