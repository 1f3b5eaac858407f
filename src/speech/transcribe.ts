/** Turns a voice message into text: what may be sent, for how long somebody works on it, and what is told of a failure. */
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { SpeechInput } from '../config/speech-input.ts';
import { startDeadline } from '../lib/deadline.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import { maskKeys } from '../lib/secrets.ts';
import { RecogniserRefusal } from './recognition/ask-with-sound.ts';
import { programCatalogue, serviceCatalogue } from './recognition/catalogue.ts';
import type { RecogniserAccess } from './recognition/recogniser.ts';

const maxBytes = 25 * 1024 * 1024;
/** An hour of speech fits into the size, and takes minutes to send and to work on. */
const serviceSeconds = 300;
const longestError = 300;
const endings = new Set('.mp3 .mp4 .mpeg .mpga .m4a .wav .webm .ogg .aac .flac'.split(' '));

export type Hearing = Extract<SpeechInput, { readonly kind: 'service' | 'program' | 'plugin' }>;

/**
 * What was said. Rejects with a `UserError` in one line for people, the key masked: for a file that is too large or of another
 * kind, when it takes too long, and when there is no text; with the signal's reason when it aborts.
 */
export async function transcribe(
  path: string,
  asked: Hearing,
  access: RecogniserAccess,
  signal: AbortSignal,
): Promise<string> {
  const { name, seconds } = factsOf(asked);
  const ending = extname(path).toLowerCase();
  if (!endings.has(ending)) throw new UserError(`${name} takes no ${ending || 'such'} files`);
  if ((await stat(path)).size > maxBytes) throw new UserError('it is larger than 25 MB');
  using deadline = startDeadline(seconds * 1000, signal);
  const hearing = await withToken(asked, deadline.signal);
  try {
    return (await hear(path, hearing, access, deadline.signal)).trim();
  } catch (cause) {
    signal.throwIfAborted();
    const what = deadline.signal.aborted ? `it was not done within ${seconds} seconds` : whyNot(cause, hearing);
    const { key } = factsOf(hearing);
    const line = maskKeys(`${name}: ${what}`, key === undefined ? [] : [key]);
    throw new UserError(line.replace(/\s+/g, ' ').trim().slice(0, longestError).toWellFormed(), { cause });
  }
}

/** Through the gateway its token is the key. */
async function withToken(hearing: Hearing, signal: AbortSignal): Promise<Hearing> {
  if (hearing.kind !== 'service' || hearing.service.gateway === undefined) return hearing;
  const { service } = hearing;
  return { ...hearing, service: { ...service, key: await hearing.service.gateway.token(signal) } };
}

function whyNot(cause: unknown, hearing: Hearing): string {
  const gateway = hearing.kind === 'service' ? hearing.service.gateway : undefined;
  const refusal = cause instanceof RecogniserRefusal ? gateway?.refusal(cause.status, cause.told) : undefined;
  return refusal ?? errorMessage(cause);
}

function factsOf(hearing: Hearing): { readonly name: string; readonly seconds: number; readonly key?: string } {
  if (hearing.kind === 'program') return hearing.program;
  if (hearing.kind === 'plugin') return { name: hearing.plugged.name, seconds: serviceSeconds };
  const { id, key } = hearing.service;
  return { name: id, seconds: serviceSeconds, ...(key === undefined ? {} : { key }) };
}

async function hear(path: string, hearing: Hearing, access: RecogniserAccess, signal: AbortSignal): Promise<string> {
  if (hearing.kind === 'service') {
    const ask = await serviceCatalogue[hearing.service.id]();
    return await ask(path, hearing.service, access, signal);
  }
  if (hearing.kind === 'plugin') {
    const found = access.added?.find(({ name }) => name === hearing.plugged.name);
    if (found === undefined) throw new UserError('its plug-in is not loaded here');
    return await found.hear(path, hearing.plugged, signal);
  }
  const run = await programCatalogue[hearing.program.id]();
  return await run(path, hearing.program, access, signal);
}
