/** Fal, a house of many models. https://docs.fal.ai */
import * as z from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import { type Service, ServiceError } from '../ask-service.ts';
import { falBaseUrl, runInFalQueue } from '../fal-queue.ts';
import { falModels } from './fal-models.ts';
import { dataUrl } from '../source-picture.ts';
import type { ImageProvider } from './image-provider.ts';

const picture = z.looseObject({ url: z.string().min(1) });
const made = z.looseObject({ images: z.array(picture).min(1) });
const larger = z.looseObject({ image: picture });
const upscaler = 'fal-ai/clarity-upscaler';

export const fal: ImageProvider = {
  id: 'fal',
  name: 'FAL',
  baseUrl: falBaseUrl,
  models: [...falModels.keys()],
  maxSources: (model) => falModels.get(model)?.editing?.maxSources ?? 0,
  async make({ prompt, ratio, model, sources }, service, signal) {
    const known = falModels.get(model);
    if (known === undefined) throw new ServiceError(`${model} is no model of FAL that is known here.`);
    const { shape, settings, editing, upscaled } = known;
    const isEdit = sources.length > 0 && editing !== undefined;
    const input: JsonObject = {
      ...settings,
      prompt,
      ...(isEdit && editing.takesShape !== true ? {} : { [shape.field]: shape.values[ratio] }),
      ...(isEdit ? { image_urls: sources.map(dataUrl) } : {}),
    };
    const answered = await runInFalQueue(service, isEdit ? editing.endpoint : model, input, signal);
    const url = made.safeParse(answered).data?.images[0]?.url;
    if (url === undefined) throw new ServiceError(`${service.name} answered without a picture.`);
    return { url: upscaled === true && !isEdit ? await upscale(url, prompt, service, signal) : url };
  },
};

/** The picture as it is where that fails. */
async function upscale(url: string, prompt: string, service: Service, signal: AbortSignal): Promise<string> {
  const input = {
    image_url: url,
    prompt: `masterpiece, best quality, highres, ${prompt}`,
    upscale_factor: 2,
    negative_prompt: '(worst quality, low quality, normal quality:2)',
    creativity: 0.35,
    resemblance: 0.6,
    guidance_scale: 4,
    num_inference_steps: 18,
    enable_safety_checker: false,
  };
  try {
    return larger.safeParse(await runInFalQueue(service, upscaler, input, signal)).data?.image.url ?? url;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) return url;
    throw error;
  }
}
