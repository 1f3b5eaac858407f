/** DeepInfra, which speaks OpenAI's format and lists what it has. https://deepinfra.com/docs/openai_api */
import type { SpeechService } from '../../config/speech-input.ts';
import { UserError } from '../../lib/errors.ts';
import { deepinfraListPath, firstWithTag } from '../../llm/lists/deepinfra.ts';
import { askList, bearer } from './ask-with-sound.ts';
import { askOpenAi } from './openai-format.ts';
import type { AskService, RecogniserAccess } from './recogniser.ts';

export const askDeepInfra: AskService = async (path, service, access, signal) => {
  const model = service.model === '' ? await firstModel(service, access, signal) : service.model;
  return await askOpenAi(path, { ...service, model }, access, signal);
};

async function firstModel({ baseUrl, key }: SpeechService, access: RecogniserAccess, signal: AbortSignal) {
  const url = `${baseUrl}${deepinfraListPath}`;
  const first = firstWithTag(await askList(url, bearer(key), access, signal), 'stt');
  if (first === undefined) throw new UserError('it lists no model that hears; name one as stt.deepinfra.model');
  return first;
}
