/** What DeepInfra lists: models for everything, told apart by their tags. https://deepinfra.com/docs/openai_api */
import * as z from 'zod';

/** Below its address: those that can be used, the recommended ones first. */
export const deepinfraListPath = '/models?filter=true&sort_by=hermes';

const list = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string(),
      metadata: z
        .looseObject({ tags: z.array(z.string()) })
        .nullish()
        .catch(undefined),
    }),
  ),
});

/** Id of the first model with this tag (`stt`, `tts`, `image-gen`, `video-gen`); undefined for none, and for what is no list. */
export function firstWithTag(listed: unknown, tag: string): string | undefined {
  return list.safeParse(listed).data?.data.find(({ metadata }) => metadata?.tags.includes(tag) === true)?.id;
}
