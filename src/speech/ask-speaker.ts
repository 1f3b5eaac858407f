/** Asks a service to speak, within bounds. */
import { Readable } from 'node:stream';
import { UserError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import type { SpeechAccess } from './speech-access.ts';

export interface SpeakerQuestion {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; without one it is a GET. */
  readonly body?: JsonObject;
}

export interface SpeakerAnswer {
  /** The media type, in small letters, without parameters. */
  readonly type: string;
  readonly bytes: Buffer;
}

const deadlineMs = 120_000;
/** Sound as base64 or in hexadecimal digits is longer than it is. */
const maxAnswerBytes = 100 * 1024 * 1024;
const maxErrorBytes = 100_000;
const maxTold = 200;

/** A status that is no success. */
export class SpeakerRefusal extends UserError {
  readonly status: number | undefined;
  readonly told: string;

  constructor(status: number | undefined, told: string) {
    super(`status ${status}: ${told}`);
    this.status = status;
    this.told = told;
  }
}

/** Rejects with a `SpeakerRefusal` for any status but 200, and with the signal's reason. Nothing that costs is sent twice. */
export async function askSpeaker(
  { url, headers, body }: SpeakerQuestion,
  access: Pick<SpeechAccess, 'connections'>,
  signal: AbortSignal,
): Promise<SpeakerAnswer> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const packed = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  try {
    const answer = await access.connections().send(
      {
        url,
        method: packed === undefined ? 'GET' : 'POST',
        headers: { 'user-agent': 'hermes-agent', ...typeOf(packed), ...headers },
        once: true,
        ...(packed === undefined ? {} : { body: () => Readable.from([packed]) }),
      },
      AbortSignal.any([signal, deadline]),
    );
    const isFine = answer.statusCode === 200;
    const bytes = await readAll(answer, isFine ? maxAnswerBytes : maxErrorBytes);
    if (!isFine) throw new SpeakerRefusal(answer.statusCode, toldIn(bytes));
    const type = (answer.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    return { type: type.trim().toLowerCase(), bytes };
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw new UserError(`no answer within ${deadlineMs / 1000} seconds`, { cause: error });
    throw error;
  }
}

function typeOf(packed: Buffer | undefined): Readonly<Record<string, string>> {
  if (packed === undefined) return {};
  return { 'content-type': 'application/json', 'content-length': String(packed.length) };
}

/** The answer as JSON. Throws `UserError` for anything else. */
export function jsonIn({ bytes }: SpeakerAnswer): JsonObject {
  const read = parseJson(bytes.toString('utf8'));
  if (!isJsonObject(read)) throw new UserError('its answer cannot be read');
  return read;
}

async function readAll(answer: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > most) throw new UserError(`its answer is longer than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What a service says of a failure, in its own words. */
function toldIn(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  const read = parseJson(text);
  const error = isJsonObject(read) ? (read['error'] ?? read['detail'] ?? read['message']) : undefined;
  const message = isJsonObject(error) ? (error['message'] ?? error['status']) : error;
  const said = typeof message === 'string' ? message : text;
  return said.replace(/\s+/g, ' ').trim().slice(0, maxTold).toWellFormed();
}
