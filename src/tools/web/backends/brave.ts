/** Brave Search, with the key of its free plan. https://api-dashboard.search.brave.com/app/documentation */
import * as z from 'zod';
import { askService } from './ask-service.ts';
import type { WebBackend } from './web-backend.ts';

const timeoutMs = 15_000;
const maxResults = 20;

const found = z.looseObject({
  web: z
    .looseObject({
      results: z
        .array(z.looseObject({ url: z.string(), title: z.string().nullish(), description: z.string().nullish() }))
        .nullish(),
    })
    .nullish(),
});

export const brave: WebBackend = {
  async search(query, limit, request) {
    const asked = new URLSearchParams({ q: query, count: String(Math.min(limit, maxResults)) });
    const url = `https://api.search.brave.com/res/v1/web/search?${asked.toString()}`;
    const headers = { accept: 'application/json', 'x-subscription-token': request.access.variables.braveKey ?? '' };
    const { web } = await askService({ name: 'Brave Search', url, headers, timeoutMs }, found, request);
    return (web?.results ?? []).map(({ title, url: address, description }) => ({
      title: withoutMarks(title),
      url: address,
      description: withoutMarks(description),
    }));
  },
};

/** The words that were found stand between tags. */
function withoutMarks(text: string | null | undefined): string {
  return (text ?? '').replace(/<\/?(?:strong|em|b)>/g, '');
}
