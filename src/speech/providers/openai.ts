/** OpenAI, and every server that speaks its format. https://platform.openai.com/docs/api-reference/audio/createSpeech */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { AudioFormat } from '../audio-format.ts';
import { askSpeaker } from '../ask-speaker.ts';
import type { SpeechProvider } from '../speech-provider.ts';

const settings = z.looseObject({
  model: z.string().min(1).catch('gpt-4o-mini-tts'),
  voice: z.string().min(1).catch('alloy'),
});
const names: Readonly<Record<AudioFormat, string>> = { mp3: 'mp3', ogg: 'opus', wav: 'wav', flac: 'flac' };

export const openai: SpeechProvider = {
  formats: () => ['mp3', 'ogg', 'wav', 'flac'],
  maxCharacters: () => 4096,
  async speak({ text, format, speaker }, access, signal) {
    const { model, voice } = settings.parse(speaker.settings);
    const { key, speed } = speaker;
    const { bytes } = await askSpeaker(
      {
        url: `${speaker.baseUrl}/audio/speech`,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          'x-idempotency-key': randomUUID(),
        },
        body: {
          model,
          voice,
          input: text,
          response_format: names[format],
          ...(speed === 1 ? {} : { speed: Math.min(4, Math.max(0.25, speed)) }),
        },
      },
      access,
      signal,
    );
    return bytes;
  },
};
