/** DeepInfra, which speaks OpenAI's format. https://deepinfra.com/docs/inference */
import { deepinfraListPath, firstWithTag } from '../../../llm/lists/deepinfra.ts';
import { askService } from '../ask-service.ts';
import type { ImageProvider } from './image-provider.ts';
import { firstImage, openAiSizes } from './openai-answer.ts';

const listMs = 15_000;

export const deepinfra: ImageProvider = {
  id: 'deepinfra',
  name: 'DeepInfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  models: [],
  takesOthers: true,
  maxSources: () => 0,
  async findModel(service, signal) {
    const answered = await askService(service, deepinfraListPath, { timeoutMs: listMs }, signal);
    return firstWithTag(answered, 'image-gen');
  },
  async make({ prompt, ratio, model }, service, signal) {
    const body = { model, prompt, size: openAiSizes[ratio], n: 1 };
    return firstImage(service.name, await askService(service, '/images/generations', { body }, signal));
  },
};
