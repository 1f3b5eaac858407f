/** DeepInfra, which speaks OpenAI's format. https://deepinfra.com/docs/inference */
import * as z from 'zod';
import { askService } from '../ask-service.ts';
import type { ImageProvider } from './image-provider.ts';
import { firstImage, openAiSizes } from './openai-answer.ts';

const list = z.object({
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
const listMs = 15_000;

export const deepinfra: ImageProvider = {
  id: 'deepinfra',
  name: 'DeepInfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  models: [],
  takesOthers: true,
  maxSources: () => 0,
  async findModel(service, signal) {
    const answered = await askService(service, '/models?filter=true&sort_by=hermes', { timeoutMs: listMs }, signal);
    const found = list.safeParse(answered).data?.data ?? [];
    return found.find(({ metadata }) => metadata?.tags.includes('image-gen') === true)?.id;
  },
  async make({ prompt, ratio, model }, service, signal) {
    const body = { model, prompt, size: openAiSizes[ratio], n: 1 };
    return firstImage(service.name, await askService(service, '/images/generations', { body }, signal));
  },
};
