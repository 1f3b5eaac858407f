/** ElevenLabs. https://elevenlabs.io/docs/api-reference/text-to-speech/convert */
import * as z from 'zod';
import type { AudioFormat } from '../audio-format.ts';
import { askSpeaker } from '../ask-speaker.ts';
import type { SpeechProvider } from '../speech-provider.ts';

const settings = z.looseObject({
  voice_id: z.string().min(1).catch('pNInz6obpgDQGcFmaJgB'),
  model_id: z.string().min(1).catch('eleven_multilingual_v2'),
});
/** https://elevenlabs.io/docs/overview/models */
const longest: ReadonlyMap<string, number> = new Map([
  ['eleven_v3', 5000],
  ['eleven_ttv_v3', 5000],
  ['eleven_flash_v2', 30_000],
  ['eleven_flash_v2_5', 40_000],
]);
const usualLongest = 10_000;
const names: Readonly<Partial<Record<AudioFormat, string>>> = { mp3: 'mp3_44100_128', ogg: 'opus_48000_64' };
const [slowest, fastest] = [0.7, 1.2];

export const elevenlabs: SpeechProvider = {
  formats: () => ['mp3', 'ogg'],
  maxCharacters: ({ settings: own }) => longest.get(settings.parse(own).model_id) ?? usualLongest,
  async speak({ text, format, speaker }, access, signal) {
    const { voice_id, model_id } = settings.parse(speaker.settings);
    const speed = Math.min(fastest, Math.max(slowest, speaker.speed));
    const url = `${speaker.baseUrl}/text-to-speech/${encodeURIComponent(voice_id)}?output_format=${names[format] ?? 'mp3_44100_128'}`;
    const headers = { 'xi-api-key': speaker.key ?? '' };
    const body = { text, model_id, ...(speaker.speed === 1 ? {} : { voice_settings: { speed } }) };
    return (await askSpeaker({ url, headers, body }, access, signal)).bytes;
  },
};
