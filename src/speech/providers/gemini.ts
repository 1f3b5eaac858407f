/** Google's Gemini. https://ai.google.dev/gemini-api/docs/speech-generation */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { askSpeaker, jsonIn } from '../ask-speaker.ts';
import { withDirections } from '../directions.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { wavOf } from '../wav.ts';
import { inPersona, readPersona } from './gemini-persona.ts';

const settings = z.looseObject({
  model: z.string().trim().min(1).catch('gemini-2.5-flash-preview-tts'),
  voice: z.string().trim().min(1).catch('Kore'),
  persona_prompt_file: z.string().catch(''),
  audio_tags: z.boolean().catch(false),
});
const part = z.looseObject({ inlineData: z.looseObject({ data: z.string() }).optional() });
const answered = z.looseObject({
  candidates: z.array(z.looseObject({ content: z.looseObject({ parts: z.array(part) }) })),
});
/** How it is told to speak: there is no list of these words. */
const own = {
  signs:
    'Signs are a few English words in square brackets, as in [whispers], [excitedly], [very slow], [sighs] or [laughs]; there are no other ones.',
  sign: /\[[^[\]\n]{1,60}\]/g,
};
/** What comes is bare samples of 16 bits, in one channel. */
const samplesPerSecond = 24_000;

export const gemini: SpeechProvider = {
  formats: () => ['wav'],
  maxCharacters: () => 32_000,
  async speak({ text, speaker }, access, signal) {
    const { model, voice, persona_prompt_file: path, audio_tags: tags } = settings.parse(speaker.settings);
    const persona = await readPersona(path, access.homePath, access.userHome);
    const marked =
      tags && knowsTags(model) ? await withDirections(text, { ...own, scene: persona }, access, signal) : text;
    const body = {
      contents: [{ parts: [{ text: inPersona(marked, persona) }] }],
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

/** Others read them aloud. */
function knowsTags(model: string): boolean {
  return /gemini-3\.1[^/]*tts[^/]*$/i.test(model);
}
