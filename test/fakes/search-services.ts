/** Services that search the web and read pages, in their own wire formats: they refuse what the real ones refuse. */
import { type Fetch, fetchOver } from '../../src/lib/fetch-over.ts';
import { parseJson } from '../../src/lib/json.ts';
import { type JsonAnswer, type JsonRequest, type JsonServer, type Routes, startJsonServer } from './json-server.ts';

export interface SearchServices extends AsyncDisposable {
  readonly server: JsonServer;
  /** Where a service of one's own is: SearXNG, Firecrawl, Tavily. */
  at(service: 'searxng' | 'firecrawl' | 'tavily'): string;
  /** Leads the addresses of the real services here; asks everything else as it is. */
  readonly fetch: Fetch;
}

/** The only key that any of them takes. */
export const serviceKey = 'key-of-the-test';

export interface Hit {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

const hosts = ['api.exa.ai', 'api.parallel.ai', 'api.search.brave.com', 'html.duckduckgo.com', 'api.tavily.com'];

/** Every search finds `hits`, and every page of theirs can be read. */
export async function startSearchServices(hits: readonly Hit[], more: Routes = {}): Promise<SearchServices> {
  const server = await startJsonServer({ ...routesFor(hits), ...more });
  const real = fetchOver({});
  return {
    server,
    at: (service) => `${server.url}/${service}`,
    fetch(url, request) {
      const { host, pathname, search } = new URL(url);
      const path = host === 'api.tavily.com' ? `/tavily${pathname}` : `/${host}${pathname}`;
      return real(hosts.includes(host) ? server.url + path + search : url, request);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function routesFor(hits: readonly Hit[]): Routes {
  const found = (count: number) => hits.slice(0, count);
  return {
    'POST /tavily/search': guarded(({ body }) => {
      const { api_key, query, max_results } = bodyOf(body);
      if (api_key !== serviceKey)
        return refused(401, { detail: { error: 'Unauthorized: missing or invalid API key.' } });
      if (typeof query !== 'string' || Number(max_results) > 20)
        return refused(400, { detail: { error: 'bad request' } });
      const results = found(Number(max_results)).map(({ title, url, text }) => ({
        title,
        url,
        content: text,
        score: 0.9,
      }));
      return { body: { query, results, response_time: 0.5 } };
    }),
    'POST /tavily/extract': guarded(({ body }) => {
      const { api_key, urls } = bodyOf(body);
      if (api_key !== serviceKey) return refused(401, { detail: { error: 'Unauthorized' } });
      const known = pagesFor(hits, urls);
      const failed_results = listed(urls).filter((url) => !known.some((hit) => hit.url === url));
      return {
        body: {
          results: known.map(({ url, text }) => ({ url, raw_content: text, images: [] })),
          failed_results: failed_results.map((url) => ({ url, error: 'Failed to fetch url' })),
        },
      };
    }),
    'POST /api.exa.ai/search': keyed('x-api-key', ({ body }) => {
      const { query, numResults, contents } = bodyOf(body);
      if (typeof query !== 'string' || contents === undefined) return refused(400, { error: 'Invalid request body' });
      const results = found(Number(numResults)).map(({ title, url, text }) => ({
        id: url,
        title,
        url,
        highlights: [text],
      }));
      return { body: { requestId: 'r', results } };
    }),
    'POST /api.exa.ai/contents': keyed('x-api-key', ({ body }) => ({
      body: {
        results: pagesFor(hits, bodyOf(body)['urls']).map(({ title, url, text }) => ({ id: url, url, title, text })),
        statuses: [],
      },
    })),
    'POST /api.parallel.ai/v1beta/search': keyed('x-api-key', ({ body, headers }) => {
      const { search_queries, mode, max_results } = bodyOf(body);
      if (headers['parallel-beta'] === undefined)
        return refused(422, { error: { message: 'a beta header is needed' } });
      if (!Array.isArray(search_queries) || !['fast', 'one-shot', 'agentic'].includes(String(mode))) {
        return refused(422, { error: { message: 'Request validation error' } });
      }
      const results = found(Number(max_results)).map(({ title, url, text }) => ({ url, title, excerpts: [text] }));
      return { body: { search_id: 's', results } };
    }),
    'POST /api.parallel.ai/v1beta/extract': keyed('x-api-key', ({ body }) => ({
      body: {
        extract_id: 'e',
        results: pagesFor(hits, bodyOf(body)['urls']).map(({ title, url, text }) => ({
          url,
          title,
          full_content: text,
        })),
        errors: [],
      },
    })),
    'POST /firecrawl/v2/search': ({ body }) => {
      const web = found(Number(bodyOf(body)['limit'])).map(({ title, url, text }) => ({
        title,
        url,
        description: text,
      }));
      return { body: { success: true, data: { web } } };
    },
    'POST /firecrawl/v2/scrape': ({ body }) => {
      const [page] = pagesFor(hits, [bodyOf(body)['url']]);
      if (page === undefined) return refused(500, { success: false, error: 'The page could not be loaded' });
      const metadata = { title: page.title, sourceURL: page.url, statusCode: 200 };
      return { body: { success: true, data: { markdown: page.text, metadata } } };
    },
    'GET /searxng/search': ({ path }) => {
      const asked = new URL(path, 'http://x').searchParams;
      if (asked.get('format') !== 'json') return { body: '<html>' };
      // Not sorted, as several engines answer.
      const results = hits
        .map(({ title, url, text }, at) => ({ title, url, content: text, score: 100 - at }))
        .reverse();
      return { body: { query: asked.get('q'), results, answers: [] } };
    },
    'GET /api.search.brave.com/res/v1/web/search': keyed('x-subscription-token', ({ path }) => {
      const count = Number(new URL(path, 'http://x').searchParams.get('count'));
      if (count < 1 || count > 20)
        return refused(422, { error: { detail: 'Unable to validate request parameter(s)' } });
      const results = found(count).map(({ title, url, text }) => ({
        title,
        url,
        description: `<strong>${text}</strong>`,
      }));
      return { body: { type: 'search', web: { type: 'search', results } } };
    }),
    'POST /html.duckduckgo.com/html/': ({ body }) => {
      const form = new URLSearchParams(body);
      const start = Number(form.get('s') ?? 0);
      return {
        headers: { 'content-type': 'text/html; charset=UTF-8' },
        body: duckDuckGoPage(hits, start, form.get('q') ?? ''),
      };
    },
  };
}

const hitsOfPage = 10;

/** As the page for browsers without scripts looks. */
function duckDuckGoPage(hits: readonly Hit[], start: number, query: string): string {
  const shown = hits.slice(start, start + hitsOfPage).map(
    ({ title, url, text }) => `
    <div class="result results_links results_links_deep web-result ">
      <div class="links_main links_deep result__body">
        <h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=abc">${title}</a></h2>
        <div class="result__extras"><a class="result__url" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}">${url}</a></div>
        <a class="result__snippet" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}">About <b>${text}</b></a>
      </div></div>`,
  );
  const ad = `<div class="result results_links results_links_deep result--ad ">
    <h2 class="result__title"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.test&amp;q=${encodeURIComponent(query)}">Buy it</a></h2>
    <a class="result__snippet" href="https://duckduckgo.com/y.js?u=1">Now</a></div>`;
  const next = `<div class="nav-link"><form action="/html/" method="post"><input type="submit" class="btn" value="Next" />
    <input type="hidden" name="q" value="${query}"><input type="hidden" name="s" value="${start + hitsOfPage}"><input type="hidden" name="vqd" value="4-1"></form></div>`;
  const previous =
    '<div class="nav-link"><form action="/html/" method="post"><input type="submit" value="Previous" /><input type="hidden" name="s" value="0"></form></div>';
  return `<!DOCTYPE html><html><body><form id="search_form"><input type="hidden" name="kl"></form><div id="links" class="results">${ad}${shown.join('')}
    ${start > 0 ? previous : ''}${start + hitsOfPage < hits.length ? next : ''}</div></body></html>`;
}

function keyed(header: string, answer: (request: JsonRequest) => JsonAnswer): (request: JsonRequest) => JsonAnswer {
  return guarded((request) =>
    request.headers[header] === serviceKey ? answer(request) : refused(401, { error: 'Invalid API key' }),
  );
}

function guarded(answer: (request: JsonRequest) => JsonAnswer): (request: JsonRequest) => JsonAnswer {
  return (request) => {
    const isJson = request.method === 'GET' || request.headers['content-type'] === 'application/json';
    return isJson ? answer(request) : refused(415, { error: 'JSON is wanted' });
  };
}

function refused(status: number, body: object): JsonAnswer {
  return { status, body };
}

function bodyOf(text: string): Readonly<Record<string, unknown>> {
  return parseJson(text) as Record<string, unknown>;
}

function listed(urls: unknown): readonly string[] {
  return Array.isArray(urls) ? urls.map(String) : [];
}

function pagesFor(hits: readonly Hit[], urls: unknown): readonly Hit[] {
  return listed(urls).flatMap((url) => hits.find((hit) => hit.url === url) ?? []);
}
