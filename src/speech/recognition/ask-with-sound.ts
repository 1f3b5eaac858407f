/** Asks a service that hears, within bounds: a form with the sound in it, and JSON that comes back. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type { RecogniserAccess } from './recogniser.ts';

export interface SoundQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly path: string;
}

const maxAnswerBytes = 1_000_000;
const maxListBytes = 5_000_000;
const maxTold = 200;
const textSchema = z.object({ text: z.string() });

/** None without a key. */
export function bearer(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

/** A status that is no success. */
export class RecogniserRefusal extends UserError {
  readonly status: number | undefined;
  readonly told: string;

  constructor(status: number | undefined, told: string) {
    super(`status ${status ?? 0}: ${told}`);
    this.status = status;
    this.told = told;
  }
}

/** The field `text` of the answer. Rejects with a `RecogniserRefusal` for any status but 200, and with a `UserError` for an answer without text. Sent once. */
export async function askWithSound(
  { url, headers, fields, path }: SoundQuestion,
  { connections }: RecogniserAccess,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([await readFile(path, { signal })]), basename(path));
  const packed = new Response(form);
  const body = Buffer.from(await packed.arrayBuffer());
  const all = {
    'user-agent': 'hermes-agent',
    'content-type': packed.headers.get('content-type') ?? '',
    'content-length': String(body.length),
    ...headers,
  };
  const answer = await connections.send({ url, headers: all, once: true, body: () => Readable.from([body]) }, signal);
  const read = textSchema.safeParse(jsonOf(answer.statusCode, await readText(answer, maxAnswerBytes)));
  if (!read.success) throw new UserError('no text in its answer');
  return read.data.text;
}

/** What a service lists. Rejects as above. */
export async function askList(
  url: string,
  headers: Readonly<Record<string, string>>,
  { connections }: RecogniserAccess,
  signal: AbortSignal,
): Promise<JsonObject> {
  const answer = await connections.send({ url, method: 'GET', headers }, signal);
  return jsonOf(answer.statusCode, await readText(answer, maxListBytes)) ?? {};
}

function jsonOf(status: number | undefined, said: string): JsonObject | undefined {
  const read = parseJson(said);
  const answer = isJsonObject(read) ? read : undefined;
  if (status !== 200) throw new RecogniserRefusal(status, toldIn(answer, said));
  return answer;
}

/** What a service says of a failure, in its own words. */
function toldIn(answer: JsonObject | undefined, said: string): string {
  const error = answer?.['error'] ?? answer?.['detail'] ?? answer?.['message'];
  const message = isJsonObject(error) ? error['message'] : error;
  return (typeof message === 'string' ? message : said).slice(0, maxTold).toWellFormed();
}

async function readText(answer: AsyncIterable<Buffer>, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > most) throw new UserError('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
