/** xAI. https://docs.x.ai/docs/guides/image-generations */
import { askService } from '../ask-service.ts';
import { dataUrl } from '../source-picture.ts';
import type { ImageProvider } from './image-provider.ts';
import { firstImage, plainRatios } from './openai-answer.ts';

/** The only one that changes pictures. */
const editing = 'grok-imagine-image-quality';

export const xai: ImageProvider = {
  id: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  models: ['grok-imagine-image', editing],
  maxSources: () => 3,
  async make({ prompt, ratio, model, sources }, service, signal) {
    if (sources.length === 0) {
      const body = { model, prompt, aspect_ratio: plainRatios[ratio], resolution: '1k' };
      return firstImage(service.name, await askService(service, '/images/generations', { body }, signal));
    }
    const images = sources.map((source) => ({ url: dataUrl(source), type: 'image_url' }));
    const [first] = images;
    const given = images.length === 1 && first !== undefined ? { image: first } : { images };
    const body = { model: editing, prompt, ...given };
    return firstImage(service.name, await askService(service, '/images/edits', { body }, signal));
  },
};
