/** Parallel: searches and reads pages, with a key. https://docs.parallel.ai/api-reference */
import * as z from 'zod';
import { askService } from './ask-service.ts';
import type { WebBackend, WebRequest } from './web-backend.ts';

const base = 'https://api.parallel.ai/v1beta';
const timeoutMs = 60_000;
const maxResults = 20;
const modes: ReadonlySet<string> = new Set(['fast', 'one-shot', 'agentic']);

const answered = z.looseObject({
  results: z
    .array(
      z.looseObject({
        url: z.string(),
        title: z.string().nullish(),
        excerpts: z.array(z.string()).nullish(),
        full_content: z.string().nullish(),
      }),
    )
    .default([]),
  errors: z
    .array(z.looseObject({ url: z.string(), content: z.string().nullish(), error_type: z.string().nullish() }))
    .nullish(),
});

export const parallel: WebBackend = {
  async search(query, limit, request) {
    const wanted = request.access.variables.parallelMode?.toLowerCase() ?? '';
    const body = {
      search_queries: [query],
      objective: query,
      mode: modes.has(wanted) ? wanted : 'agentic',
      max_results: Math.min(limit, maxResults),
    };
    const { results } = await ask('/search', body, request);
    return results.map(({ title, url, excerpts }) => ({
      title: title ?? '',
      url,
      description: excerpts?.join(' ') ?? '',
    }));
  },
  async extract(urls, request) {
    const { results, errors } = await ask('/extract', { urls, full_content: true }, request);
    return [
      ...results.map(({ url, title, full_content, excerpts }) => ({
        asked: url,
        url,
        title: title ?? '',
        content: full_content || (excerpts?.join('\n\n') ?? ''),
      })),
      ...(errors ?? []).map(({ url, content, error_type }) => ({
        asked: url,
        url,
        title: '',
        content: '',
        error: content || (error_type ?? 'extraction failed'),
      })),
    ];
  },
};

async function ask(path: string, body: object, request: WebRequest) {
  const headers = {
    'x-api-key': request.access.variables.parallelKey ?? '',
    'parallel-beta': 'search-extract-2025-10-10',
  };
  return await askService({ name: 'Parallel', url: base + path, headers, body, timeoutMs }, answered, request);
}
