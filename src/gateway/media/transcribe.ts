/** Turns a voice message into text, at a service that speaks OpenAI's format. */
import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import * as z from 'zod';
import type { SpeechService } from '../../config/speech-input.ts';
import type { Connections } from '../../lib/connections.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { maskKeys } from '../../lib/secrets.ts';

const maxBytes = 25 * 1024 * 1024;
const maxAnswerBytes = 1_000_000;
const deadlineMs = 60_000;
const endings = new Set('.mp3 .mp4 .mpeg .mpga .m4a .wav .webm .ogg .aac .flac'.split(' '));
const answerSchema = z.object({ text: z.string() });

/**
 * What was said. Throws `UserError` with a line for people, the key masked, for a file that is too large or of another kind,
 * and when the service does not give a text.
 * https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export async function transcribe(
  path: string,
  service: SpeechService,
  connections: Pick<Connections, 'send'>,
  signal: AbortSignal,
): Promise<string> {
  const ending = extname(path).toLowerCase();
  if (!endings.has(ending)) throw new UserError(`${service.name} takes no ${ending || 'such'} files`);
  if ((await stat(path)).size > maxBytes) throw new UserError('it is larger than 25 MB');
  const form = new FormData();
  form.set('model', service.model);
  if (service.language !== undefined) form.set('language', service.language);
  form.set('file', new Blob([await readFile(path)]), basename(path));
  const packed = new Response(form);
  const body = Buffer.from(await packed.arrayBuffer());
  const headers = {
    authorization: `Bearer ${service.key}`,
    'content-type': packed.headers.get('content-type') ?? '',
    'content-length': String(body.length),
  };
  const url = `${service.baseUrl}/audio/transcriptions`;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  try {
    const answer = await connections.send({ url, headers, body: () => Readable.from([body]) }, deadline);
    const said = await readText(answer);
    if (answer.statusCode !== 200) throw new UserError(`status ${answer.statusCode}: ${said.slice(0, 200)}`);
    return answerSchema.parse(JSON.parse(said)).text.trim();
  } catch (cause) {
    signal.throwIfAborted();
    const what =
      cause instanceof z.ZodError || cause instanceof SyntaxError ? 'no text in its answer' : errorMessage(cause);
    throw new UserError(maskKeys(`${service.name}: ${what}`, [service.key]), { cause });
  }
}

async function readText(answer: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new UserError('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
