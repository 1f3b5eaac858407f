/** Answers in the form of OpenAI's image interface, which several services speak. */
import * as z from 'zod';
import type { JsonObject } from '../../../lib/json.ts';
import { ServiceError } from '../ask-service.ts';
import type { MadeImage, Ratio } from './image-provider.ts';

const answer = z.object({
  data: z.array(z.looseObject({ b64_json: z.string().min(1).nullish(), url: z.string().min(1).nullish() })).min(1),
});

/** Throws `ServiceError` when there is no picture in it. */
export function firstImage(name: string, answered: JsonObject): MadeImage {
  const first = answer.safeParse(answered).data?.data[0];
  if (typeof first?.b64_json === 'string') return { base64: first.b64_json };
  if (typeof first?.url === 'string') return { url: first.url };
  throw new ServiceError(`${name} answered without a picture.`);
}

export const openAiSizes: Readonly<Record<Ratio, string>> = {
  landscape: '1536x1024',
  square: '1024x1024',
  portrait: '1024x1536',
};

export const plainRatios: Readonly<Record<Ratio, string>> = { landscape: '16:9', square: '1:1', portrait: '9:16' };
