/** Turns text into sound: who does it, how much of the text is taken, and in which format it comes out. */
import { errorMessage, UserError } from '../lib/errors.ts';
import type { Speaker } from '../config/speech-output.ts';
import { maskKeys } from '../lib/secrets.ts';
import type { AudioFormat } from './audio-format.ts';
import { SpeakerRefusal } from './ask-speaker.ts';
import { speechCatalogue } from './catalogue.ts';
import { convert } from './convert.ts';
import type { SpeechAccess } from './speech-access.ts';
import type { SpeechProvider } from './speech-provider.ts';

export interface Speech {
  readonly bytes: Uint8Array;
  readonly format: AudioFormat;
  /** As `tts.provider` names it. */
  readonly provider: string;
  /** Only the beginning was spoken, as the whole was too long. */
  readonly cut: boolean;
}

const longestError = 300;

/**
 * What comes out is one of `wanted` where the provider makes it, else the first of them where ffmpeg does, else what the
 * provider makes by itself. Rejects with a `UserError` in one line that holds no key, and with the signal's reason.
 */
export async function speak(
  text: string,
  wanted: AudioFormat | readonly [AudioFormat, ...AudioFormat[]],
  access: SpeechAccess,
  signal: AbortSignal,
): Promise<Speech> {
  const { output } = access;
  if (output.kind === 'none') throw new UserError(`${output.why}.`);
  const speaker = await withToken(output.speaker, signal);
  const provider = await providerOf(speaker, access);
  const most = speaker.maxCharacters ?? provider.maxCharacters(speaker);
  const spoken = text.slice(0, most).toWellFormed().trim();
  if (spoken === '') throw new UserError('There is nothing to say.');
  const formats = provider.formats(speaker);
  const accepted: readonly [AudioFormat, ...AudioFormat[]] = typeof wanted === 'string' ? [wanted] : wanted;
  const format = formats.find((made) => accepted.includes(made)) ?? formats[0];
  try {
    const given = await provider.speak({ text: spoken, format, speaker }, access, signal);
    const sound = given instanceof Uint8Array ? { bytes: given, format } : given;
    if (sound.bytes.byteLength === 0) throw new UserError('there is no sound in its answer');
    const made = accepted.includes(sound.format) ? sound : await convert(sound, accepted[0], access, signal);
    return { ...made, provider: speaker.provider, cut: text.length > most };
  } catch (cause) {
    signal.throwIfAborted();
    const why = maskKeys(whyNot(cause, speaker), speaker.key === undefined ? [] : [speaker.key]);
    const line = why.replace(/\s+/g, ' ').trim().slice(0, longestError).toWellFormed();
    throw new UserError(line.startsWith(speaker.name) ? line : `${speaker.name}: ${line}`, { cause });
  }
}

async function providerOf({ id, provider, name }: Speaker, { added = [] }: SpeechAccess): Promise<SpeechProvider> {
  if (id !== 'plugin') return await speechCatalogue[id]();
  const found = added.find((one) => one.name === provider);
  if (found === undefined) throw new UserError(`${name} is of a plug-in that is not loaded here.`);
  return {
    formats: (speaker) => found.formats(speaker),
    maxCharacters: (speaker) => found.maxCharacters(speaker),
    speak: async (request, _access, signal) => await found.speak(request, signal),
  };
}

/** Through the gateway its token is the key. */
async function withToken(speaker: Speaker, signal: AbortSignal): Promise<Speaker> {
  return speaker.gateway === undefined ? speaker : { ...speaker, key: await speaker.gateway.token(signal) };
}

function whyNot(cause: unknown, { gateway }: Speaker): string {
  const refusal = cause instanceof SpeakerRefusal ? gateway?.refusal(cause.status, cause.told) : undefined;
  return refusal ?? errorMessage(cause);
}
