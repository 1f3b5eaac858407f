/** DeepInfra, which speaks OpenAI's format and lists what it has. https://deepinfra.com/docs/openai_api */
import * as z from 'zod';
import type { Speaker } from '../../config/speech-output.ts';
import { UserError } from '../../lib/errors.ts';
import { deepinfraListPath, firstWithTag } from '../../llm/lists/deepinfra.ts';
import { askSpeaker, jsonIn } from '../ask-speaker.ts';
import type { SpeechAccess } from '../speech-access.ts';
import type { SpeechProvider } from '../speech-provider.ts';
import { openai } from './openai.ts';

const settings = z.looseObject({
  model: z.string().trim().catch(''),
  voice: z.string().trim().min(1).catch('default'),
});

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
  const url = `${baseUrl}${deepinfraListPath}`;
  const headers = { authorization: `Bearer ${key ?? ''}` };
  const first = firstWithTag(jsonIn(await askSpeaker({ url, headers }, access, signal)), 'tts');
  if (first === undefined) throw new UserError('it lists no model that speaks; name one as tts.deepinfra.model');
  return first;
}
