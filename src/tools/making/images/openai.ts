/** OpenAI. https://platform.openai.com/docs/api-reference/images */
import { askService } from '../ask-service.ts';
import type { ImageProvider } from './image-provider.ts';
import { firstImage, openAiSizes } from './openai-answer.ts';

/** One model in three qualities. */
const apiModel = 'gpt-image-2';
const models = ['medium', 'low', 'high'].map((quality) => `${apiModel}-${quality}`);
const timeoutMs = 300_000;

export const openai: ImageProvider = {
  id: 'openai',
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  models,
  maxSources: () => 16,
  async make({ prompt, ratio, model, sources }, service, signal) {
    const fields = {
      model: apiModel,
      prompt,
      size: openAiSizes[ratio],
      quality: model.slice(apiModel.length + 1),
      n: 1,
    };
    if (sources.length === 0) {
      const answered = await askService(service, '/images/generations', { body: fields, timeoutMs }, signal);
      return firstImage(service.name, answered);
    }
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    for (const [index, { bytes, type }] of sources.entries()) {
      const file = new Blob([Uint8Array.from(bytes)], { type });
      form.append(sources.length === 1 ? 'image' : 'image[]', file, `${index + 1}.${type.slice('image/'.length)}`);
    }
    return firstImage(service.name, await askService(service, '/images/edits', { body: form, timeoutMs }, signal));
  },
};
