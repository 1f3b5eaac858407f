/** Reads what a request sends, within bounds of size and time, and as the JSON object that it has to be. */
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { isJsonObject, type JsonObject, type JsonValue, maxJsonDepth, nestsTooDeep } from '../lib/json.ts';
import { HttpError } from './answers.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** What every body gets, in milliseconds; a large one gets a second more for each `bytesPerSecond`. */
  readonly patienceMs: number;
  readonly bytesPerSecond: number;
}

/** Bytes of all bodies that are being read or held at the same time. */
export class BodyRoom {
  readonly #maxBytes: number;
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  take(bytes: number): void {
    if (this.#held + bytes > this.#maxBytes) {
      throw new HttpError(503, 'The server is reading too many large requests; try again in a moment.', {
        code: 'busy',
        headers: { 'retry-after': '1' },
      });
    }
    this.#held += bytes;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

/** Throws `HttpError`. What is not read is left to the server, which ends the connection. */
export async function readRequestBody(incoming: IncomingMessage, limits: BodyLimits, room: BodyRoom): Promise<Buffer> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') {
    throw new HttpError(415, 'Compressed request bodies are not taken; send it as it is.', {
      code: 'unsupported_content_encoding',
    });
  }
  if (Number(incoming.headers['content-length'] ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  return await new BodyReader(incoming, limits, room).read();
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `Request body is too large (at most ${maxBytes} bytes).`, { code: 'body_too_large' });
}

class BodyReader {
  readonly #incoming: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #room: BodyRoom;
  readonly #startedAt = performance.now();
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(incoming: IncomingMessage, limits: BodyLimits, room: BodyRoom) {
    this.#incoming = incoming;
    this.#limits = limits;
    this.#room = room;
  }

  async read(): Promise<Buffer> {
    const incoming = this.#incoming;
    const ended = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const check = (): void => {
          const left = this.#allowedMs - (performance.now() - this.#startedAt);
          if (left > 0) timer = setTimeout(check, left);
          else reject(tooSlow());
        };
        const add = (chunk: Buffer): void => {
          try {
            this.#add(chunk);
          } catch (error) {
            incoming.off('data', add);
            reject(error);
          }
        };
        timer = setTimeout(check, this.#allowedMs);
        ended.signal.addEventListener('abort', () => incoming.off('data', add));
        incoming.on('data', add);
        finished(incoming, { writable: false, signal: ended.signal }, (error) => {
          if (error) reject(brokenOff());
          else resolve(Buffer.concat(this.#chunks));
        });
      });
    } finally {
      clearTimeout(timer);
      ended.abort();
      this.#room.give(this.#size);
    }
  }

  /** More for what is large and comes steadily. */
  get #allowedMs(): number {
    return this.#limits.patienceMs + (this.#size / this.#limits.bytesPerSecond) * 1000;
  }

  #add(chunk: Buffer): void {
    if (this.#size + chunk.length > this.#limits.maxBytes) throw tooLarge(this.#limits.maxBytes);
    this.#room.take(chunk.length);
    this.#size += chunk.length;
    this.#chunks.push(chunk);
  }
}

function tooSlow(): HttpError {
  return new HttpError(408, 'The request body came too slowly.', {
    code: 'request_timeout',
    headers: { connection: 'close' },
  });
}

function brokenOff(): HttpError {
  return new HttpError(400, 'The request broke off.', { code: 'invalid_request', headers: { connection: 'close' } });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Throws `HttpError` for whatever is no JSON object that a model and a store can take. */
export function parseJsonBody(bytes: Uint8Array): JsonObject {
  const text = decode(bytes);
  if (nestsTooDeep(text)) throw notJson(`it nests deeper than ${maxJsonDepth} levels`);
  const value = parse(text);
  if (!isJsonObject(value)) {
    throw new HttpError(400, 'The request body must be a JSON object.', { code: 'invalid_request' });
  }
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw notJson('it is not UTF-8', error);
  }
}

function parse(text: string): JsonValue {
  try {
    const value: JsonValue = halfSurrogate.test(text) ? JSON.parse(text, refuseHalf) : JSON.parse(text);
    return value;
  } catch (error) {
    throw error instanceof HttpError ? error : notJson(undefined, error);
  }
}

/** Only an escape can make half a character: the bytes are UTF-8. */
const halfSurrogate = /\\u[dD][89a-fA-F]/;

function refuseHalf(key: string, value: JsonValue): JsonValue {
  if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) {
    throw notJson('a text in it holds half of a surrogate pair');
  }
  return value;
}

function notJson(why?: string, cause?: unknown): HttpError {
  const message = why === undefined ? 'Invalid JSON in request body' : `Invalid JSON in request body: ${why}`;
  return new HttpError(400, message, { code: 'invalid_json', ...(cause === undefined ? {} : { cause }) });
}
