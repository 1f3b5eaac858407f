/** Pictures that the code of a plug-in makes. */
import * as z from 'zod';
import type { PluginProvider } from '../../plugins/packages/provider.ts';
import type { ImageProvider } from '../../tools/making/images/image-provider.ts';
import { dataUrl } from '../../tools/making/source-picture.ts';
import { generate } from './generate.ts';
import { isWebAddress, modelsOf, readMade } from './read-answer.ts';

const maxBytes = 50 * 1024 * 1024;
const answer = z.looseObject({ image: z.string().min(1) });
const none = { modalities: ['text'], max_reference_images: 0 };
const abilities = z
  .looseObject({
    modalities: z.array(z.string()).catch(none.modalities),
    max_reference_images: z.int().min(0).max(32).catch(none.max_reference_images),
  })
  .catch(none);

export function addedImages(provider: PluginProvider): ImageProvider {
  return {
    id: provider.name,
    name: provider.displayName,
    baseUrl: '',
    get models() {
      return modelsOf(provider);
    },
    takesOthers: true,
    isAvailable: () => provider.isAvailable(),
    // Where it lists none, it has but one, which goes by its name.
    findModel: () => Promise.resolve(provider.name),
    maxSources() {
      const { modalities, max_reference_images: more } = abilities.parse(provider.told('capabilities'));
      return modalities.includes('image') ? 1 + more : 0;
    },
    async make({ prompt, ratio, model, sources }, _service, signal) {
      const [first, ...more] = sources.map(dataUrl);
      const wishes = {
        ...(model === provider.name ? {} : { model }),
        ...(first === undefined ? {} : { image_url: first }),
        ...(more.length === 0 ? {} : { reference_image_urls: more }),
      };
      const { image } = await generate(provider, [prompt, ratio, wishes], answer, signal);
      if (isWebAddress(image) || image.startsWith('data:')) return { url: image };
      return { base64: (await readMade(image, maxBytes, provider)).toString('base64') };
    },
  };
}
