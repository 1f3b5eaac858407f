/** Videos of Fal: each family has an endpoint for words and one for a picture. https://docs.fal.ai */
import * as z from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import { ServiceError } from '../ask-service.ts';
import { falBaseUrl, runInFalQueue } from '../fal-queue.ts';
import { dataUrl } from '../source-picture.ts';
import type { VideoProvider, VideoRequest } from './video-provider.ts';

interface Family {
  readonly fromText: string;
  readonly fromImage: string;
  readonly imageField?: 'start_image_url';
  /** Absent: the endpoint decides, and is told nothing. */
  readonly ratios?: readonly string[];
  readonly resolutions?: readonly string[];
  /** Seconds: a range, or the only ones there are. */
  readonly seconds?: { readonly from: number; readonly to: number } | readonly number[];
  readonly secondsEnd?: 's';
  readonly audio?: true;
  readonly negative?: true;
}

const families: ReadonlyMap<string, Family> = new Map<string, Family>([
  [
    'pixverse-v6',
    {
      fromText: 'fal-ai/pixverse/v6/text-to-video',
      fromImage: 'fal-ai/pixverse/v6/image-to-video',
      resolutions: ['360p', '540p', '720p', '1080p'],
      seconds: { from: 1, to: 15 },
      audio: true,
      negative: true,
    },
  ],
  [
    'ltx-2.3',
    {
      fromText: 'fal-ai/ltx-2.3-22b/text-to-video',
      fromImage: 'fal-ai/ltx-2.3-22b/image-to-video',
      audio: true,
      negative: true,
    },
  ],
  [
    'veo3.1',
    {
      fromText: 'fal-ai/veo3.1',
      fromImage: 'fal-ai/veo3.1/image-to-video',
      ratios: ['16:9', '9:16'],
      resolutions: ['720p', '1080p', '4k'],
      seconds: [4, 6, 8],
      secondsEnd: 's',
      audio: true,
      negative: true,
    },
  ],
  [
    'seedance-2.0',
    {
      fromText: 'bytedance/seedance-2.0/text-to-video',
      fromImage: 'bytedance/seedance-2.0/image-to-video',
      ratios: ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16'],
      resolutions: ['480p', '720p', '1080p'],
      seconds: { from: 4, to: 15 },
      audio: true,
    },
  ],
  [
    'kling-v3-4k',
    {
      fromText: 'fal-ai/kling-video/v3/4k/text-to-video',
      fromImage: 'fal-ai/kling-video/v3/4k/image-to-video',
      imageField: 'start_image_url',
      ratios: ['16:9', '9:16', '1:1'],
      seconds: { from: 3, to: 15 },
      audio: true,
      negative: true,
    },
  ],
  ['happy-horse', { fromText: 'alibaba/happy-horse/text-to-video', fromImage: 'alibaba/happy-horse/image-to-video' }],
]);

const timeoutMs = 900_000;
const made = z.looseObject({ video: z.looseObject({ url: z.string().min(1) }) });

export const fal: VideoProvider = {
  id: 'fal',
  name: 'FAL',
  baseUrl: falBaseUrl,
  models: [...families.keys()],
  maxReferences: 0,
  limits(model) {
    const { seconds } = families.get(model) ?? {};
    if (seconds === undefined) return 'the model sets the length';
    return 'from' in seconds ? `${seconds.from}-${seconds.to} s` : `${seconds.join(', ')} s`;
  },
  async make(request, service, signal) {
    const family = families.get(request.model);
    if (family === undefined) throw new ServiceError(`${request.model} is no model of FAL that is known here.`);
    const seconds = secondsOf(family, request.duration);
    const endpoint = request.image === undefined ? family.fromText : family.fromImage;
    const answered = await runInFalQueue(service, endpoint, inputOf(request, family, seconds), signal, timeoutMs);
    const url = made.safeParse(answered).data?.video.url;
    if (url === undefined) throw new ServiceError(`${service.name} answered without a video.`);
    return { url, model: request.model, duration: seconds ?? 0 };
  },
};

function inputOf(request: VideoRequest, family: Family, seconds: number | undefined): JsonObject {
  const { prompt, image, seed, ratio, resolution, audio, negativePrompt } = request;
  return {
    prompt,
    ...(image === undefined ? {} : { [family.imageField ?? 'image_url']: dataUrl(image) }),
    ...(seed === undefined ? {} : { seed }),
    ...(family.ratios?.includes(ratio) === true ? { aspect_ratio: ratio } : {}),
    ...(family.resolutions?.includes(resolution) === true ? { resolution } : {}),
    ...(seconds === undefined ? {} : { duration: `${seconds}${family.secondsEnd ?? ''}` }),
    ...(family.audio === undefined || audio === undefined ? {} : { generate_audio: audio }),
    ...(family.negative === undefined || negativePrompt === undefined ? {} : { negative_prompt: negativePrompt }),
  };
}

/** The nearest that there is; undefined leaves it to the endpoint. */
function secondsOf({ seconds }: Family, wanted: number | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  if ('from' in seconds) return wanted === undefined ? undefined : Math.min(seconds.to, Math.max(seconds.from, wanted));
  if (wanted === undefined) return seconds[0];
  return seconds.toSorted((one, other) => Math.abs(one - wanted) - Math.abs(other - wanted))[0];
}
