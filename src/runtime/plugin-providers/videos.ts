/** Videos that the code of a plug-in makes. */
import * as z from 'zod';
import type { PluginProvider } from '../../plugins/packages/provider.ts';
import { dataUrl } from '../../tools/making/source-picture.ts';
import type { VideoProvider } from '../../tools/making/videos/video-provider.ts';
import { generate } from './generate.ts';
import { isWebAddress, modelsOf, readMade } from './read-answer.ts';

const maxBytes = 100 * 1024 * 1024;
const answer = z.looseObject({
  video: z.string().min(1),
  public_url: z.string().optional().catch(undefined),
  model: z.string().min(1).optional().catch(undefined),
  duration: z.number().min(0).catch(0),
});
const seconds = z.number().positive().optional().catch(undefined);
const abilities = z
  .looseObject({
    max_reference_images: z.int().min(0).max(32).catch(0),
    min_duration: seconds,
    max_duration: seconds,
  })
  .catch({ max_reference_images: 0 });

export function addedVideos(provider: PluginProvider): VideoProvider {
  const able = () => abilities.parse(provider.told('capabilities'));
  return {
    id: provider.name,
    name: provider.displayName,
    baseUrl: '',
    get models() {
      const listed = modelsOf(provider);
      // Where it lists none, it has but one, which goes by its name.
      return listed.length === 0 ? [provider.name] : listed;
    },
    takesOthers: true,
    isAvailable: () => provider.isAvailable(),
    get maxReferences() {
      return able().max_reference_images;
    },
    limits() {
      const { min_duration: least = 1, max_duration: most } = able();
      return most === undefined ? 'as the service has it' : `${least}-${most} s`;
    },
    async make(request, _service, signal) {
      const { prompt, model, image, references, duration, ratio, resolution, negativePrompt, audio, seed } = request;
      const asked = {
        ...(model === provider.name ? {} : { model }),
        ...(image === undefined ? {} : { image_url: dataUrl(image) }),
        ...(references.length === 0 ? {} : { reference_image_urls: references.map(dataUrl) }),
        duration,
        aspect_ratio: ratio,
        resolution,
        negative_prompt: negativePrompt,
        audio,
        seed,
      };
      const wishes = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
      const made = await generate(provider, [prompt, wishes], answer, signal);
      return {
        url: isWebAddress(made.video) ? made.video : '',
        ...(isWebAddress(made.video) ? {} : { bytes: await readMade(made.video, maxBytes, provider) }),
        ...(made.public_url === undefined ? {} : { publicUrl: made.public_url }),
        model: made.model ?? model,
        duration: made.duration,
      };
    },
  };
}
