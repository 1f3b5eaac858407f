/** SearXNG: a search server of one's own. https://docs.searxng.org/dev/search_api.html */
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import { askService, below, ServiceRefusal } from './ask-service.ts';
import type { WebBackend } from './web-backend.ts';

const timeoutMs = 15_000;

const found = z.looseObject({
  results: z
    .array(
      z.looseObject({
        url: z.string(),
        title: z.string().nullish(),
        content: z.string().nullish(),
        score: z.number().nullish(),
      }),
    )
    .default([]),
});

export const searxng: WebBackend = {
  async search(query, limit, request) {
    const asked = new URLSearchParams({ q: query, format: 'json', pageno: '1' });
    const url = below(request.access.variables.searxngUrl ?? '', `/search?${asked.toString()}`);
    const headers = { accept: 'application/json' };
    const { results } = await askService({ name: 'SearXNG', url, headers, timeoutMs }, found, request).catch(
      (error: unknown) => {
        if (!(error instanceof ServiceRefusal) || error.status !== 403) throw error;
        throw new UserError('SearXNG does not give results as JSON: add json to search.formats in its settings.yml.');
      },
    );
    return results
      .toSorted((left, right) => (right.score ?? 0) - (left.score ?? 0))
      .slice(0, limit)
      .map(({ title, url: address, content }) => ({ title: title ?? '', url: address, description: content ?? '' }));
  },
};
