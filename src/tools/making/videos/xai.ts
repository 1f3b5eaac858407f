/** Videos of xAI, made in the background. https://docs.x.ai/docs/guides/video-generations */
import * as z from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import { askService, type Service, ServiceError } from '../ask-service.ts';
import { Unsupported } from '../load-sources.ts';
import { dataUrl } from '../source-picture.ts';
import { waitForJob } from '../wait-for-job.ts';
import type { VideoProvider, VideoRequest } from './video-provider.ts';

const plainModel = 'grok-imagine-video';
/** The one for a picture that is to move; it makes nothing from words alone. */
const imageModel = 'grok-imagine-video-1.5';
const usualSeconds = 8;
const mostSeconds = 15;
const mostWithReferences = 10;
const jobMs = 600_000;
const ended: ReadonlySet<string> = new Set(['failed', 'error', 'expired', 'cancelled']);
const begun = z.looseObject({ request_id: z.string().regex(/^[\w-]{1,100}$/) });
const state = z.looseObject({
  status: z.string().optional(),
  video: z.looseObject({ url: z.string().min(1), duration: z.number().nullish().catch(undefined) }).nullish(),
});

export const xai: VideoProvider = {
  id: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  models: [plainModel, imageModel],
  maxReferences: 7,
  limits: () => `1-${mostSeconds} s`,
  async make(request, service, signal) {
    const { image, references } = request;
    if (image !== undefined && references.length > 0) {
      throw new Unsupported('xAI takes image_url or reference_image_urls, not both.');
    }
    const model = modelFor(request);
    const most = references.length > 0 ? mostWithReferences : mostSeconds;
    const duration = Math.min(most, Math.max(1, request.duration ?? usualSeconds));
    const body = {
      model,
      prompt: request.prompt,
      duration,
      aspect_ratio: request.ratio,
      resolution: request.resolution === '480p' ? '480p' : '720p',
      ...(image === undefined ? {} : { image: { url: dataUrl(image) } }),
      ...(references.length === 0 ? {} : { reference_images: references.map((one) => ({ url: dataUrl(one) })) }),
    };
    const video = await xaiVideo(service, 'generations', body, signal);
    return { url: video.url, publicUrl: video.url, model, duration: video.duration ?? duration };
  },
};

/** Begins the job and waits for it. Throws `ServiceError` and the signal's reason. */
export async function xaiVideo(
  service: Service,
  endpoint: 'generations' | 'edits' | 'extensions',
  body: JsonObject,
  signal: AbortSignal,
): Promise<{ readonly url: string; readonly duration?: number | null | undefined }> {
  const id = begun.safeParse(await askService(service, `/videos/${endpoint}`, { body }, signal)).data?.request_id;
  if (id === undefined) throw new ServiceError(`${service.name} did not say which request it began.`);
  const until = AbortSignal.any([signal, AbortSignal.timeout(jobMs)]);
  return await waitForJob(async () => {
    const { data } = state.safeParse(await askService(service, `/videos/${id}`, {}, until));
    const status = (data?.status ?? '').toLowerCase();
    if (ended.has(status)) throw new ServiceError(`${service.name} did not make it: ${status}.`);
    if (status !== 'done') return undefined;
    if (data?.video === undefined || data.video === null)
      throw new ServiceError(`${service.name} answered without a video.`);
    return data.video;
  }, until);
}

function modelFor({ model, isModelAsked, image, references }: VideoRequest): string {
  if (isModelAsked) {
    if (references.length > 0 && model !== plainModel)
      throw new Unsupported(`Only ${plainModel} takes reference_image_urls.`);
    return model;
  }
  return image === undefined ? plainModel : imageModel;
}
