/** Turns a voice message into text: what may be sent, for how long somebody works on it, and what is told of a failure. */
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { SpeechService } from '../../config/speech-input.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { maskKeys } from '../../lib/secrets.ts';
import { serviceCatalogue } from './recognition/catalogue.ts';
import type { RecogniserAccess } from './recognition/recogniser.ts';

const maxBytes = 25 * 1024 * 1024;
/** An hour of speech fits into the size, and takes minutes to send and to work on. */
const serviceSeconds = 300;
const longestError = 300;
const endings = new Set('.mp3 .mp4 .mpeg .mpga .m4a .wav .webm .ogg .aac .flac'.split(' '));

/**
 * What was said. Rejects with a `UserError` in one line for people, the key masked: for a file that is too large or of another
 * kind, when it takes too long, and when there is no text.
 */
export async function transcribe(path: string, service: SpeechService, access: RecogniserAccess): Promise<string> {
  const ending = extname(path).toLowerCase();
  if (!endings.has(ending)) throw new UserError(`${service.id} takes no ${ending || 'such'} files`);
  if ((await stat(path)).size > maxBytes) throw new UserError('it is larger than 25 MB');
  const deadline = AbortSignal.timeout(serviceSeconds * 1000);
  try {
    const ask = await serviceCatalogue[service.id]();
    return (await ask(path, service, access, deadline)).trim();
  } catch (cause) {
    const what = deadline.aborted ? `no answer within ${serviceSeconds} seconds` : errorMessage(cause);
    const line = maskKeys(`${service.id}: ${what}`, [service.key]).replace(/\s+/g, ' ').trim();
    throw new UserError(line.slice(0, longestError).toWellFormed(), { cause });
  }
}
