/** Tavily: searches and reads pages, with a key. https://docs.tavily.com/documentation/api-reference */
import * as z from 'zod';
import type { WebAccess } from '../web-access.ts';
import { askService, below } from './ask-service.ts';
import { usualTavily } from './usual-addresses.ts';
import type { WebBackend } from './web-backend.ts';

const timeoutMs = 60_000;
const maxResults = 20;

const found = z.looseObject({
  results: z
    .array(z.looseObject({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() }))
    .default([]),
});

const extracted = z.looseObject({
  results: z
    .array(
      z.looseObject({
        url: z.string(),
        title: z.string().nullish(),
        raw_content: z.string().nullish(),
        content: z.string().nullish(),
      }),
    )
    .default([]),
  failed_results: z.array(z.looseObject({ url: z.string(), error: z.string().nullish() })).default([]),
});

export const tavily: WebBackend = {
  async search(query, limit, request) {
    const body = {
      ...keyOf(request.access),
      query,
      max_results: Math.min(limit, maxResults),
      include_raw_content: false,
      include_images: false,
    };
    const call = { name: 'Tavily', url: below(baseOf(request.access), '/search'), body, timeoutMs };
    const { results } = await askService(call, found, request);
    return results.map(({ title, url, content }) => ({ title: title ?? '', url, description: content ?? '' }));
  },
  async extract(urls, request) {
    const body = { ...keyOf(request.access), urls, include_images: false };
    const call = { name: 'Tavily', url: below(baseOf(request.access), '/extract'), body, timeoutMs };
    const { results, failed_results } = await askService(call, extracted, request);
    return [
      ...results.map(({ url, title, raw_content, content }) => ({
        asked: url,
        url,
        title: title ?? '',
        content: raw_content || (content ?? ''),
      })),
      ...failed_results.map(({ url, error }) => ({
        asked: url,
        url,
        title: '',
        content: '',
        error: error ?? 'extraction failed',
      })),
    ];
  },
};

function baseOf({ variables }: WebAccess): string {
  return variables.tavilyUrl ?? usualTavily;
}

function keyOf({ variables }: WebAccess): { readonly api_key: string | undefined } {
  return { api_key: variables.tavilyKey };
}
