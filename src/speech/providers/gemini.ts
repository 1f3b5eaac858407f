/** Google's Gemini. https://ai.google.dev/gemini-api/docs/speech-generation */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { askSpeaker, jsonIn } from '../ask-speaker.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { wavOf } from '../wav.ts';

const settings = z.looseObject({
  model: z.string().trim().min(1).catch('gemini-2.5-flash-preview-tts'),
  voice: z.string().trim().min(1).catch('Kore'),
});
const part = z.looseObject({ inlineData: z.looseObject({ data: z.string() }).optional() });
const answered = z.looseObject({
  candidates: z.array(z.looseObject({ content: z.looseObject({ parts: z.array(part) }) })),
});
/** What comes is bare samples of 16 bits, in one channel. */
const samplesPerSecond = 24_000;

export const gemini: SpeechProvider = {
  formats: () => ['wav'],
  maxCharacters: () => 32_000,
  async speak({ text, speaker }, access, signal) {
    const { model, voice } = settings.parse(speaker.settings);
    const body = {
      contents: [{ parts: [{ text }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
      },
    };
    const url = `${speaker.baseUrl}/models/${encodeURIComponent(model)}:generateContent`;
    // Not in the address, where logs of others would keep it.
    const headers = { 'x-goog-api-key': speaker.key ?? '' };
    const read = answered.safeParse(jsonIn(await askSpeaker({ url, headers, body }, access, signal))).data;
    const parts = read?.candidates.flatMap(({ content }) => content.parts) ?? [];
    const sound = parts.find(({ inlineData }) => inlineData !== undefined)?.inlineData?.data ?? '';
    const samples = Buffer.from(sound, 'base64');
    if (samples.length === 0) throw new UserError('there is no sound in its answer');
    return wavOf(samples, samplesPerSecond);
  },
};
