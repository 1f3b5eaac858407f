/** MiniMax, with both of its addresses. https://platform.minimax.io/docs/api-reference/speech-t2a-http */
import * as z from 'zod';
import { UserError } from '../../lib/errors.ts';
import { askSpeaker, jsonIn } from '../ask-speaker.ts';
import type { SpeechProvider } from '../speech-provider.ts';

const settings = z.looseObject({
  model: z.string().min(1).catch('speech-02-hd'),
  voice_id: z.string().min(1).catch('English_expressive_narrator'),
  group_id: z.string().catch(''),
  vol: z.coerce.number().catch(1),
  pitch: z.coerce.number().catch(0),
  emotion: z.string().min(1).catch('neutral'),
  sample_rate: z.coerce.number().int().positive().catch(32_000),
  bitrate: z.coerce.number().int().positive().catch(128_000),
});
const answered = z.looseObject({
  base_resp: z.looseObject({ status_code: z.number(), status_msg: z.string().catch('it does not say why') }),
  data: z.looseObject({ audio: z.string().catch('') }).nullish(),
});

export const minimax: SpeechProvider = {
  formats: () => ['mp3'],
  maxCharacters: () => 10_000,
  async speak({ text, speaker }, access, signal) {
    const own = settings.parse(speaker.settings);
    const { model, voice_id, vol, pitch, emotion, sample_rate, bitrate } = own;
    const url = new URL(speaker.baseUrl);
    // Whose account it is goes in the address.
    if (own.group_id !== '' && !url.searchParams.has('GroupId')) url.searchParams.set('GroupId', own.group_id);
    const body = url.pathname.includes('t2a_v2')
      ? {
          model,
          text,
          voice_setting: { voice_id, speed: speaker.speed, vol, pitch, emotion },
          audio_setting: { sample_rate, bitrate, format: 'mp3', channel: 1 },
        }
      : { model, text, voice_id };
    const headers = { authorization: `Bearer ${speaker.key ?? ''}` };
    const answer = await askSpeaker({ url: url.href, headers, body }, access, signal);
    if (answer.type.startsWith('audio/')) return answer.bytes;
    const read = answered.safeParse(jsonIn(answer)).data;
    if (read === undefined) throw new UserError('its answer cannot be read');
    const { status_code: code, status_msg: message } = read.base_resp;
    if (code !== 0) throw new UserError(`code ${code}: ${message}`);
    return Buffer.from(read.data?.audio ?? '', 'hex');
  },
};
