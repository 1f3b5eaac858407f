/** Krea, which makes pictures in the background. https://docs.krea.ai/api-reference */
import * as z from 'zod';
import { askService, ServiceError } from '../ask-service.ts';
import { waitForJob } from '../wait-for-job.ts';
import { dataUrl } from '../source-picture.ts';
import type { ImageProvider } from './image-provider.ts';
import { plainRatios } from './openai-answer.ts';

const family = 'krea-2-';
const strength = 0.6;
const jobMs = 180_000;
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504]);
const begun = z.looseObject({ job_id: z.string().regex(/^[\w-]{1,100}$/) });
const state = z.looseObject({
  status: z.string(),
  result: z.looseObject({ urls: z.array(z.string()).nullish(), url: z.string().nullish() }).nullish(),
});

export const krea: ImageProvider = {
  id: 'krea',
  name: 'Krea',
  baseUrl: 'https://api.krea.ai',
  models: ['medium', 'large', 'medium-turbo'].map((name) => family + name),
  maxSources: () => 10,
  async make({ prompt, ratio, model, sources }, service, signal) {
    const references = sources.map((source) => ({ url: source.address ?? dataUrl(source), strength }));
    const body = {
      prompt,
      aspect_ratio: plainRatios[ratio],
      resolution: '1K',
      creativity: 'medium',
      ...(references.length === 0 ? {} : { image_style_references: references }),
    };
    const path = `/generate/image/krea/krea-2/${model.slice(family.length)}`;
    const job = begun.safeParse(await askService(service, path, { body, timeoutMs: 30_000 }, signal)).data?.job_id;
    if (job === undefined) throw new ServiceError(`${service.name} did not say which job it began.`);
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(jobMs)]);
    const look = async () => {
      const answered = await askService(service, `/jobs/${job}`, { timeoutMs: 30_000 }, deadline).catch(
        (error: unknown) => {
          if (error instanceof ServiceError && passing.has(error.status ?? 0)) return {};
          throw error;
        },
      );
      const { data } = state.safeParse(answered);
      if (data?.status === 'failed' || data?.status === 'cancelled') {
        throw new ServiceError(
          `${service.name} did not make it: the job ${data.status === 'failed' ? 'failed' : 'was cancelled'}.`,
        );
      }
      return data?.status === 'completed' ? { url: data.result?.urls?.[0] ?? data.result?.url ?? '' } : undefined;
    };
    const { url } = await waitForJob(look, deadline);
    if (url === '') throw new ServiceError(`${service.name} answered without a picture.`);
    return { url };
  },
};
