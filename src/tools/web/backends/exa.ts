/** Exa: searches and reads pages, with a key. https://docs.exa.ai/reference */
import * as z from 'zod';
import { askService } from './ask-service.ts';
import type { WebBackend, WebRequest } from './web-backend.ts';

const base = 'https://api.exa.ai';
const timeoutMs = 60_000;

const answered = z.looseObject({
  results: z
    .array(
      z.looseObject({
        id: z.string().nullish(),
        url: z.string(),
        title: z.string().nullish(),
        highlights: z.array(z.string()).nullish(),
        text: z.string().nullish(),
      }),
    )
    .default([]),
});

export const exa: WebBackend = {
  async search(query, limit, request) {
    const results = await ask('/search', { query, numResults: limit, contents: { highlights: true } }, request);
    return results.map(({ title, url, highlights }) => ({
      title: title ?? '',
      url,
      description: highlights?.join(' ') ?? '',
    }));
  },
  async extract(urls, request) {
    const results = await ask('/contents', { urls, text: true }, request);
    // The id of a page is the address that it was asked for.
    return results.map(({ id, url, title, text }) => ({
      asked: id ?? url,
      url,
      title: title ?? '',
      content: text ?? '',
    }));
  },
};

async function ask(path: string, body: object, request: WebRequest) {
  const headers = { 'x-api-key': request.access.variables.exaKey ?? '' };
  const { results } = await askService({ name: 'Exa', url: base + path, headers, body, timeoutMs }, answered, request);
  return results;
}
