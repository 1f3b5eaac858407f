/** Firecrawl: searches and reads pages, with a key, on a server of one's own, or through the tool gateway. https://docs.firecrawl.dev/api-reference */
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import { askService, below } from './ask-service.ts';
import { usualFirecrawl } from './usual-addresses.ts';
import type { ExtractedPage, WebBackend, WebRequest } from './web-backend.ts';

const timeoutMs = 60_000;

const hit = z.looseObject({
  url: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
});
const hits = z.array(hit);

/** Servers of several versions put the list in several places. */
const found = z
  .looseObject({ data: z.union([hits, z.looseObject({ web: hits.nullish(), results: hits.nullish() })]).nullish() })
  .transform(({ data }) => (Array.isArray(data) ? data : (data?.web ?? data?.results ?? [])));

const scraped = z.looseObject({
  success: z.boolean().optional(),
  error: z.string().nullish(),
  data: z
    .looseObject({
      markdown: z.string().nullish(),
      metadata: z
        .looseObject({
          title: z.union([z.string(), z.array(z.string()).transform(([first]) => first)]).nullish(),
          sourceURL: z.string().nullish(),
          url: z.string().nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

export const firecrawl: WebBackend = {
  async search(query, limit, request) {
    const results = await ask('/v2/search', { query, limit }, found, request);
    return results.map(({ title, url, description }) => ({ title: title ?? '', url, description: description ?? '' }));
  },
  async extract(urls, request) {
    const pages: ExtractedPage[] = [];
    for (const url of urls) pages.push(await scrape(url, request));
    return pages;
  },
};

async function scrape(asked: string, request: WebRequest): Promise<ExtractedPage> {
  try {
    const { success, data, error } = await ask('/v2/scrape', { url: asked, formats: ['markdown'] }, scraped, request);
    const { title, url, sourceURL } = data?.metadata ?? {};
    const page = { asked, url: url ?? sourceURL ?? asked, title: title ?? '', content: data?.markdown ?? '' };
    return success === false ? { ...page, error: error ?? 'scraping failed' } : page;
  } catch (error) {
    // One page that fails takes none of the others with it.
    if (!(error instanceof UserError)) throw error;
    return { asked, url: asked, title: '', content: '', error: error.message };
  }
}

async function ask<Schema extends z.ZodType>(path: string, body: object, schema: Schema, request: WebRequest) {
  const { variables, firecrawl: way } = request.access;
  const gateway = way.kind === 'gateway' ? way : undefined;
  const key = gateway === undefined ? variables.firecrawlKey : await gateway.token(request.signal);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const url = below(gateway?.address ?? variables.firecrawlUrl ?? usualFirecrawl, path);
  return await askService({ name: 'Firecrawl', url, headers, body, timeoutMs, gateway }, schema, request);
}
