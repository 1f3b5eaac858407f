/** OpenRouter, and Nous Portal, which speaks its format: models that answer with pictures. https://openrouter.ai/docs/features/multimodal/image-generation */
import * as z from 'zod';
import { askService, ServiceError } from '../ask-service.ts';
import { dataUrl } from '../source-picture.ts';
import type { ImageProvider } from './image-provider.ts';
import { plainRatios } from './openai-answer.ts';

const timeoutMs = 300_000;
const answer = z.looseObject({
  choices: z.array(
    z.looseObject({
      message: z.looseObject({
        images: z.array(z.looseObject({ image_url: z.looseObject({ url: z.string().min(1) }) })).min(1),
      }),
    }),
  ),
});

export const openrouter: ImageProvider = {
  id: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  models: ['openai/gpt-5.4-image-2', 'google/gemini-3-pro-image'],
  takesOthers: true,
  maxSources: () => 3,
  async make({ prompt, ratio, model, sources }, service, signal) {
    const pictures = sources.map((source) => ({ type: 'image_url', image_url: { url: dataUrl(source) } }));
    const body = {
      model,
      modalities: ['image', 'text'],
      messages: [{ role: 'user', content: [{ type: 'text', text: prompt }, ...pictures] }],
      image_config: { aspect_ratio: plainRatios[ratio] },
    };
    const answered = await askService(service, '/chat/completions', { body, timeoutMs }, signal);
    const url = answer.safeParse(answered).data?.choices[0]?.message.images[0]?.image_url.url;
    if (url === undefined)
      throw new ServiceError(`${service.name} answered without a picture; does ${model} make any?`);
    return { url };
  },
};

/** The same models on a subscription. */
export const nous: ImageProvider = {
  ...openrouter,
  id: 'nous',
  name: 'Nous Portal',
  baseUrl: 'https://inference-api.nousresearch.com/v1',
};
