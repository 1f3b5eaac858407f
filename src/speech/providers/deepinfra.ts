/** DeepInfra, which speaks OpenAI's format and lists what it has. https://deepinfra.com/docs/openai_api */
import * as z from 'zod';
import type { Speaker } from '../../config/speech-output.ts';
import { UserError } from '../../lib/errors.ts';
import { askSpeaker, jsonIn } from '../ask-speaker.ts';
import type { SpeechAccess } from '../speech-access.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { openai } from './openai.ts';

const settings = z.looseObject({
  model: z.string().trim().catch(''),
  voice: z.string().trim().min(1).catch('default'),
});
const model = z.looseObject({
  id: z.string(),
  metadata: z
    .looseObject({ tags: z.array(z.string()) })
    .nullish()
    .catch(undefined),
});
const list = z.looseObject({ data: z.array(model) });

export const deepinfra: SpeechProvider = {
  formats: (speaker) => openai.formats(speaker),
  maxCharacters: () => 4000,
  async speak(request, access, signal) {
    const { speaker } = request;
    const own = settings.parse(speaker.settings);
    const chosen = own.model === '' ? await firstModel(speaker, access, signal) : own.model;
    const named = { ...speaker, settings: { model: chosen, voice: own.voice } };
    return await openai.speak({ ...request, speaker: named }, access, signal);
  },
};

async function firstModel({ baseUrl, key }: Speaker, access: SpeechAccess, signal: AbortSignal): Promise<string> {
  const url = `${baseUrl}/models?filter=true&sort_by=hermes`;
  const headers = { authorization: `Bearer ${key ?? ''}` };
  const found = list.safeParse(jsonIn(await askSpeaker({ url, headers }, access, signal))).data?.data ?? [];
  const first = found.find(({ metadata }) => metadata?.tags.includes('tts') === true);
  if (first === undefined) throw new UserError('it lists no model that speaks; name one as tts.deepinfra.model');
  return first.id;
}
