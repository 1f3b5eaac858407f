/** Mistral's Voxtral. https://docs.mistral.ai/api/#tag/audio.speech */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import type { AudioFormat } from '../audio-format.ts';
import { askSpeaker, jsonIn } from '../ask-speaker.ts';
import type { SpeechProvider } from '../speech-provider.ts';

const settings = z.looseObject({
  model: z.string().min(1).catch('voxtral-mini-tts-2603'),
  voice_id: z.string().min(1).catch('c69964a6-ab8b-4f8a-9465-ec0925096ec8'),
});
const answered = z.looseObject({ audio_data: z.string() });
const names: Readonly<Record<AudioFormat, string>> = { mp3: 'mp3', ogg: 'opus', wav: 'wav', flac: 'flac' };

export const mistral: SpeechProvider = {
  formats: () => ['mp3', 'ogg', 'wav', 'flac'],
  maxCharacters: () => 4000,
  async speak({ text, format, speaker }, access, signal) {
    const { model, voice_id } = settings.parse(speaker.settings);
    const body = { model, input: text, voice_id, response_format: names[format] };
    const headers = { authorization: `Bearer ${speaker.key ?? ''}` };
    const answer = await askSpeaker({ url: `${speaker.baseUrl}/audio/speech`, headers, body }, access, signal);
    const sound = answered.safeParse(jsonIn(answer)).data?.audio_data;
    if (sound === undefined) throw new UserError('there is no sound in its answer');
    return Buffer.from(sound, 'base64');
  },
};
