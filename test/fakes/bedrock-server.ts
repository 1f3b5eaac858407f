/**
 * AWS Bedrock for tests: a real HTTP server that speaks Converse and ConverseStream with its binary event stream.
 *
 *     await using server = await startBedrockServer({ region: 'eu-west-1' });
 *     server.enqueue({ events: [messageStart, textDelta('Hello.'), messageStop('end_turn')] });
 *     // base URL: server.url
 *     assert.deepEqual(server.violations, []);
 *
 * Answers are used up in order, one a request. Every request has to be signed for the region and the service, or carry
 * the API key, and is read as strictly as AWS's documents are written.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import type { JsonObject } from '../../src/lib/json.ts';
import { converseProblems } from './bedrock-rules.ts';

export interface StreamEvent {
  readonly type: string;
  readonly data: object;
  /** An exception in place of an event. */
  readonly exception?: boolean;
}

export type BedrockStep =
  | { readonly events: readonly StreamEvent[]; readonly hold?: Promise<void>; readonly cutOff?: boolean }
  /** The answer of Converse. */
  | { readonly whole: object }
  /** Bytes of an event stream as they are. */
  | { readonly raw: readonly Uint8Array[] }
  | { readonly status: number; readonly type: string; readonly message: string };

export interface BedrockRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

export interface BedrockServerOptions {
  /** Default `us-east-1`. */
  readonly region?: string;
  /** Requests carry this as a bearer token instead of a signature. */
  readonly apiKey?: string;
}

export async function startBedrockServer(options: BedrockServerOptions = {}) {
  const steps: BedrockStep[] = [];
  const requests: BedrockRequest[] = [];
  const violations: string[] = [];
  const abandoned = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('close', () => {
      if (!response.writableEnded) abandoned.resolve();
    });
    request.on('end', () => {
      const bytes = Buffer.concat(pieces);
      const body: JsonObject = JSON.parse(bytes.toString());
      requests.push({ path: request.url ?? '', headers: request.headers, body });
      violations.push(...converseProblems(body), ...loginProblems(request.headers, bytes, options));
      const step = steps.shift();
      if (step === undefined) violations.push(`request ${requests.length} was not expected`);
      void answer(response, step ?? { status: 500, type: 'InternalServerException', message: 'no step' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    violations,
    /** Settles when a client has given up on an answer. */
    abandoned: abandoned.promise,
    enqueue: (...more: BedrockStep[]) => void steps.push(...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const messageStart: StreamEvent = { type: 'messageStart', data: { role: 'assistant' } };

export function delta(contentBlockIndex: number, value: object): StreamEvent {
  return { type: 'contentBlockDelta', data: { contentBlockIndex, delta: value } };
}

export function callStart(contentBlockIndex: number, toolUseId: string, name: string): StreamEvent {
  return { type: 'contentBlockStart', data: { contentBlockIndex, start: { toolUse: { toolUseId, name } } } };
}

export function messageStop(stopReason: string): StreamEvent {
  return { type: 'messageStop', data: { stopReason } };
}

/** One message of the `application/vnd.amazon.eventstream` format: lengths, headers, payload, two checksums. */
export function encodeEvent({ type, data, exception }: StreamEvent): Buffer {
  const headers = Buffer.concat([
    header(exception === true ? ':exception-type' : ':event-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', exception === true ? 'exception' : 'event'),
  ]);
  const payload = Buffer.from(JSON.stringify(data));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const head = Buffer.concat([prelude, checksum(prelude)]);
  const body = Buffer.concat([head, headers, payload]);
  return Buffer.concat([body, checksum(body)]);
}

/** Name and a value of type 7, a string. */
function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(7), length, Buffer.from(value)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

function loginProblems(headers: IncomingHttpHeaders, body: Buffer, options: BedrockServerOptions): string[] {
  const given = headers.authorization ?? '';
  if (options.apiKey !== undefined) return given === `Bearer ${options.apiKey}` ? [] : ['the API key is missing'];
  const scope = `\\d{8}/${options.region ?? 'us-east-1'}/bedrock/aws4_request`;
  const pattern = new RegExp(
    `^AWS4-HMAC-SHA256 Credential=\\w+/${scope}, SignedHeaders=([\\w;-]+), Signature=[0-9a-f]{64}$`,
  );
  const signed = pattern.exec(given)?.[1]?.split(';');
  if (signed === undefined) return [`not signed for this region and service: ${given}`];
  const problems = ['host', 'x-amz-date']
    .filter((name) => !signed.includes(name))
    .map((name) => `${name} is not signed`);
  const missing = signed.filter((name) => headers[name] === undefined).map((name) => `${name} was signed but not sent`);
  const hash = headers['x-amz-content-sha256'];
  const wrong = hash !== undefined && hash !== createHash('sha256').update(body).digest('hex');
  return [...problems, ...missing, ...(wrong ? ['the body is not the one that was signed'] : [])];
}

async function answer(response: ServerResponse, step: BedrockStep): Promise<void> {
  if ('status' in step) {
    response.writeHead(step.status, {
      'content-type': 'application/json',
      'x-amzn-errortype': `${step.type}:http://x/`,
    });
    response.end(JSON.stringify({ message: step.message }));
    return;
  }
  if ('whole' in step) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(step.whole));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  for (const piece of 'raw' in step ? step.raw : step.events.map(encodeEvent)) {
    response.write(piece);
    if ('raw' in step) await new Promise((resolve) => setImmediate(resolve));
  }
  if ('events' in step) await step.hold;
  if ('events' in step && step.cutOff === true) response.destroy();
  else response.end();
}
