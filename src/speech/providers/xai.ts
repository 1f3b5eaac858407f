/** xAI, at an address of its own. https://docs.x.ai/developers/model-capabilities/audio/text-to-speech */
import * as z from 'zod';
import { askSpeaker } from '../ask-speaker.ts';
import { signedIn } from '../signed-in.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { withXaiTags } from './xai-tags.ts';

const usualRate = 24_000;
const usualBits = 128_000;
const maxCharacters = 15_000;
const [slowest, fastest] = [0.7, 1.5];

const settings = z.looseObject({
  voice_id: z.string().trim().min(1).catch('eve'),
  language: z.string().trim().min(1).catch('en'),
  sample_rate: z.coerce.number().int().positive().catch(usualRate),
  bit_rate: z.coerce.number().int().positive().catch(usualBits),
  optimize_streaming_latency: z.coerce.number().int().min(0).max(2).catch(0),
  auto_speech_tags: z.boolean().catch(false),
});

export const xai: SpeechProvider = {
  formats: () => ['mp3', 'wav'],
  maxCharacters: () => maxCharacters,
  async speak({ text, format, speaker }, access, signal) {
    const own = settings.parse(speaker.settings);
    const { voice_id, language, sample_rate, bit_rate, optimize_streaming_latency: latency } = own;
    const speed = Math.min(fastest, Math.max(slowest, speaker.speed));
    const codec = format === 'wav' ? 'wav' : 'mp3';
    const isUsual = codec === 'mp3' && sample_rate === usualRate && bit_rate === usualBits;
    const marked = own.auto_speech_tags ? await withXaiTags(text, access, signal) : text;
    const body = {
      text: marked.length <= maxCharacters ? marked : text,
      voice_id,
      language,
      ...(isUsual ? {} : { output_format: { codec, sample_rate, ...(codec === 'mp3' ? { bit_rate } : {}) } }),
      ...(speed === 1 ? {} : { speed }),
      ...(latency === 0 ? {} : { optimize_streaming_latency: latency }),
    };
    const { bytes } = await signedIn(speaker, access, signal, ({ baseUrl, key }) =>
      askSpeaker({ url: `${baseUrl}/tts`, headers: { authorization: `Bearer ${key}` }, body }, access, signal),
    );
    return bytes;
  },
};
