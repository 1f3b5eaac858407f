/** DeepInfra, which speaks OpenAI's format and lists what it has. https://deepinfra.com/docs/openai_api */
import * as z from 'zod';
import type { SpeechService } from '../../../config/speech-input.ts';
import { UserError } from '../../../lib/errors.ts';
import { askList } from './ask-with-sound.ts';
import { askOpenAi } from './openai-format.ts';
import type { AskService, RecogniserAccess } from './recogniser.ts';

const list = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      metadata: z
        .looseObject({ tags: z.array(z.string()) })
        .nullish()
        .catch(undefined),
    }),
  ),
});

export const askDeepInfra: AskService = async (path, service, access, signal) => {
  const model = service.model === '' ? await firstModel(service, access, signal) : service.model;
  return await askOpenAi(path, { ...service, model }, access, signal);
};

async function firstModel({ baseUrl, key }: SpeechService, access: RecogniserAccess, signal: AbortSignal) {
  const url = `${baseUrl}/models?filter=true&sort_by=hermes`;
  const listed = list.safeParse(await askList(url, { authorization: `Bearer ${key}` }, access, signal));
  const first = listed.data?.data.find(({ metadata }) => metadata?.tags.includes('stt') === true);
  if (first === undefined) throw new UserError('it lists no model that hears; name one as stt.deepinfra.model');
  return first.id;
}
