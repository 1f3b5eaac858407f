/** Videos of DeepInfra, made in the background in OpenAI's format. https://deepinfra.com/docs/openai_api */
import * as z from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import { deepinfraListPath, firstWithTag } from '../../../llm/lists/deepinfra.ts';
import { askService, ServiceError } from '../ask-service.ts';
import { dataUrl } from '../source-picture.ts';
import { waitForJob } from '../wait-for-job.ts';
import type { VideoProvider, VideoRequest } from './video-provider.ts';

const [fewestSeconds, mostSeconds] = [1, 10];
const jobMs = 900_000;
const listMs = 15_000;
const ratios: ReadonlySet<string> = new Set(['16:9', '9:16', '1:1']);
const sizes: ReadonlySet<string> = new Set(['480p', '720p', '1080p']);
const done: ReadonlySet<string> = new Set(['completed', 'succeeded']);
const ended: ReadonlySet<string> = new Set(['failed', 'error', 'cancelled', 'canceled']);

const job = z.looseObject({
  id: z.string().regex(/^[\w.-]{1,200}$/),
  status: z.string().catch(''),
  data: z
    .array(z.looseObject({ url: z.string().min(1) }))
    .nullish()
    .catch(undefined),
  error: z
    .union([z.string(), z.looseObject({ message: z.string() }).transform(({ message }) => message)])
    .nullish()
    .catch(undefined),
});

export const deepinfra: VideoProvider = {
  id: 'deepinfra',
  name: 'DeepInfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  models: [],
  takesOthers: true,
  maxReferences: 0,
  limits: () => `${fewestSeconds}-${mostSeconds} s, without sound`,
  async findModel(service, signal) {
    const answered = await askService(service, deepinfraListPath, { timeoutMs: listMs }, signal);
    return firstWithTag(answered, 'video-gen');
  },
  async make(request, service, signal) {
    const seconds =
      request.duration === undefined
        ? undefined
        : Math.min(mostSeconds, Math.max(fewestSeconds, Math.round(request.duration)));
    const until = AbortSignal.any([signal, AbortSignal.timeout(jobMs)]);
    const read = (answered: JsonObject): z.infer<typeof job> => {
      const state = job.safeParse(answered).data;
      if (state === undefined) throw new ServiceError(`${service.name} did not say which request it began.`);
      return state;
    };
    const begun = read(await askService(service, '/videos', { body: bodyOf(request, seconds) }, until));
    let state: z.infer<typeof job> | undefined = begun;
    const url = await waitForJob(async () => {
      const { status, data, error } = state ?? read(await askService(service, `/videos/${begun.id}`, {}, until));
      state = undefined;
      const now = status.toLowerCase();
      if (ended.has(now)) throw new ServiceError(`${service.name} did not make it: ${error ?? now}.`);
      if (!done.has(now)) return undefined;
      const found = data?.[0]?.url;
      if (found === undefined) throw new ServiceError(`${service.name} answered without a video.`);
      return found;
    }, until);
    return { url, model: request.model, duration: seconds ?? 0 };
  },
};

/** What it does not know of is left to the model. */
function bodyOf({ model, prompt, image, seed, ratio, resolution, negativePrompt }: VideoRequest, seconds?: number) {
  return {
    model,
    prompt,
    ...(seconds === undefined ? {} : { seconds: `${seconds}` }),
    ...(sizes.has(resolution) ? { size: resolution } : {}),
    ...(ratios.has(ratio) ? { aspect_ratio: ratio } : {}),
    ...(image === undefined ? {} : { image_url: dataUrl(image) }),
    ...(negativePrompt === undefined ? {} : { negative_prompt: negativePrompt }),
    ...(seed === undefined ? {} : { seed }),
  };
}
