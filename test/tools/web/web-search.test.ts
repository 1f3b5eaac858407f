/** `web_search` and `web_extract` through every service, in its own wire format. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webExtractTool } from '../../../src/tools/web/web-extract.ts';
import { webSearchTool } from '../../../src/tools/web/web-search.ts';
import { type SearchServices, serviceKey, startSearchServices } from '../../fakes/search-services.ts';
import { startPage } from './site.ts';
import { openWeb } from './support.ts';

const hits = Array.from({ length: 30 }, (_, at) => ({
  title: `Heron &amp; ${at}`.replace('&amp;', 'egret'),
  // Public, so that the guard lets a service read it; nobody here asks it.
  url: `https://1.1.1.${at + 1}/birds?page=${at}`,
  text: `What is known of heron ${at}`,
}));

let services: SearchServices;
before(async () => {
  services = await startSearchServices(hits);
});
after(async () => {
  await services[Symbol.asyncDispose]();
});

interface Service {
  readonly id: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly host: string;
  readonly most: number;
  readonly reads: boolean;
}

function known(): readonly Service[] {
  const { host } = new URL(services.server.url);
  return [
    { id: 'tavily', variables: { TAVILY_API_KEY: serviceKey }, host: 'api.tavily.com', most: 20, reads: true },
    { id: 'exa', variables: { EXA_API_KEY: serviceKey }, host: 'api.exa.ai', most: 30, reads: true },
    { id: 'parallel', variables: { PARALLEL_API_KEY: serviceKey }, host: 'api.parallel.ai', most: 20, reads: true },
    { id: 'firecrawl', variables: { FIRECRAWL_API_URL: services.at('firecrawl') }, host, most: 30, reads: true },
    { id: 'searxng', variables: { SEARXNG_URL: `${services.at('searxng')}/` }, host, most: 30, reads: false },
    {
      id: 'brave-free',
      variables: { BRAVE_SEARCH_API_KEY: serviceKey },
      host: 'api.search.brave.com',
      most: 20,
      reads: false,
    },
    { id: 'ddgs', variables: {}, host: 'html.duckduckgo.com', most: 30, reads: false },
  ];
}

test('every service searches, best first, as many as were asked for, and its host is the source', async (t) => {
  for (const { id, variables, host, most } of known()) {
    const { call } = openWeb(t, { variables, web: { fetch: services.fetch } });
    const few = await call(webSearchTool, { query: 'heron', limit: 3 });
    assert.equal(few.success, true, id);
    assert.deepEqual(
      few.data.web.map(({ title, url, position }) => ({ title, url, position })),
      hits.slice(0, 3).map(({ title, url }, at) => ({ title, url, position: at + 1 })),
      id,
    );
    assert.match(few.data.web[0]?.description ?? '', /What is known of heron 0$/, id);
    assert.deepEqual(few.sources, [`page ${host}`]);
    const many = await call(webSearchTool, { query: 'heron', limit: 1000 });
    assert.equal(many.data.web.length, most, id);
    assert.equal((await call(webSearchTool, { query: 'heron' })).data.web.length, 5, id);
  }
});

test('every service that can reads pages, in the order that was asked for, and says which it could not', async (t) => {
  for (const { id, variables } of known().filter(({ reads }) => reads)) {
    const { call } = openWeb(t, { variables, web: { fetch: services.fetch } });
    const urls = [hits[2]?.url ?? '', 'https://1.0.0.1/gone', hits[0]?.url ?? ''];
    const { results, sources } = await call(webExtractTool, { urls });
    assert.deepEqual(
      results.map(({ url, content }) => ({ url, content })),
      [
        { url: urls[0], content: 'What is known of heron 2' },
        { url: urls[1], content: '' },
        { url: urls[2], content: 'What is known of heron 0' },
      ],
      id,
    );
    assert.deepEqual([results[0]?.error, results[2]?.error], [null, null]);
    assert.ok(results[1]?.error, id);
    assert.deepEqual(sources, ['page 1.1.1.3', 'page 1.0.0.1', 'page 1.1.1.1']);
  }
});

test('a key that is refused is told without the key', async (t) => {
  for (const { id, variables } of known().filter((service) => Object.keys(service.variables)[0]?.endsWith('_KEY'))) {
    const wrong = Object.fromEntries(Object.keys(variables).map((name) => [name, 'tvly-wrongwrong12345']));
    const { call } = openWeb(t, { variables: wrong, web: { fetch: services.fetch } });
    const { success, error } = await call(webSearchTool, { query: 'heron' });
    assert.equal(success, false);
    assert.match(error ?? '', /answered with status 401: \w/, id);
    assert.doesNotMatch(error ?? '', /wrongwrong/);
  }
});

test('searching and reading may go to different services', async (t) => {
  const variables = { SEARXNG_URL: services.at('searxng'), TAVILY_API_KEY: serviceKey, EXA_API_KEY: serviceKey };
  const settings = { web: { search_backend: 'searxng', extract_backend: 'tavily' } };
  const { call } = openWeb(t, { variables, settings, web: { fetch: services.fetch } });
  const before = services.server.requests.length;
  await call(webSearchTool, { query: 'heron site:example.org "exact words"' });
  await call(webExtractTool, { urls: [hits[0]?.url ?? ''] });
  const asked = services.server.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(asked, [
    'GET /searxng/search?q=heron+site%3Aexample.org+%22exact+words%22&format=json&pageno=1',
    'POST /tavily/extract',
  ]);
});

test('a service that only searches leaves pages to the own reader, unless it is named for them', async (t) => {
  const page = await startPage(t, 'text/plain', 'What the heron does.');
  const variables = { SEARXNG_URL: services.at('searxng') };
  const web = { fetch: services.fetch };
  const { call } = openWeb(t, { variables, web });
  assert.equal((await call(webSearchTool, { query: 'heron' })).success, true);
  assert.equal((await call(webExtractTool, { urls: [page.url] })).results[0]?.content, 'What the heron does.');
  const named = openWeb(t, { variables, web, settings: { web: { backend: 'searxng', extract_backend: 'searxng' } } });
  assert.match(
    (await named.call(webExtractTool, { urls: [page.url] })).error ?? '',
    /^SearXNG is a search-only backend .*Set web\.extract_backend/,
  );
});

test('a service that was named and is not set up is not replaced by one that nobody set up', async (t) => {
  const web = { fetch: services.fetch };
  const lone = openWeb(t, { settings: { web: { search_backend: 'searxng' } }, web });
  const { error } = await lone.call(webSearchTool, { query: 'private matters' });
  assert.equal(error, "web.search_backend is 'searxng', and SEARXNG_URL is not set.");
  const other = openWeb(t, { settings: { web: { backend: 'exa' } }, variables: { TAVILY_API_KEY: serviceKey }, web });
  assert.deepEqual((await other.call(webSearchTool, { query: 'heron' })).sources, ['page api.tavily.com']);
  const unknown = openWeb(t, { settings: { web: { backend: 'altavista' } }, web });
  assert.match(
    (await unknown.call(webSearchTool, { query: 'x' })).error ?? '',
    /^web\.backend is 'altavista', which is no backend\. There are tavily, /,
  );
  const searchOnly = openWeb(t, { settings: { web: { extract_backend: 'brave-free' } }, web });
  assert.match(
    (await searchOnly.call(webExtractTool, { urls: ['https://1.1.1.1/'] })).error ?? '',
    /^Brave Search is a search-only backend and cannot extract URL content\. Set web\.extract_backend to tavily, exa, /,
  );
});

test('SearXNG that gives no JSON says what to change, and DuckDuckGo that asks for a person what to do', async (t) => {
  const blocked = '<div class="anomaly-modal__mask"><div class="anomaly-modal__title">Unfortunately, bots</div></div>';
  await using other = await startSearchServices(hits, {
    'GET /searxng/search': { status: 403, body: '<h1>Forbidden' },
    'POST /html.duckduckgo.com/html/': { status: 202, body: blocked },
  });
  const web = { fetch: other.fetch };
  const own = openWeb(t, { variables: { SEARXNG_URL: other.at('searxng') }, web });
  assert.match((await own.call(webSearchTool, { query: 'x' })).error ?? '', /add json to search\.formats/);
  const keyless = openWeb(t, { web });
  assert.match(
    (await keyless.call(webSearchTool, { query: 'x' })).error ?? '',
    /does not answer programs.*web\.search_backend/,
  );
});

test('a service that redirects, breaks off, sends nonsense or far too much is told in one line', async (t) => {
  const answers = [
    { status: 302, headers: { location: 'https://1.1.1.1/?q=secret' } },
    { body: 'no JSON' },
    { body: { results: [{ url: 7 }] } },
    { status: 500, body: '<html><body><h1>Internal Server Error</h1></body></html>' },
    { headers: { 'content-length': '9999999999' }, body: '{' },
  ];
  for (const answer of answers) {
    await using other = await startSearchServices(hits, { 'GET /searxng/search': answer });
    const { call } = openWeb(t, { variables: { SEARXNG_URL: other.at('searxng') }, web: { fetch: other.fetch } });
    const { success, error = '' } = await call(webSearchTool, { query: 'x' });
    assert.equal(success, false);
    assert.match(error, /SearXNG/);
    assert.doesNotMatch(error, /\n|</);
  }
});

test('a query with a key in it goes nowhere', async (t) => {
  const { call } = openWeb(t, { web: { fetch: services.fetch } });
  const before = services.server.requests.length;
  const { success, error } = await call(webSearchTool, { query: 'what is sk-ant-api03-aB3dE5fG7hJ9kL1mN3 for' });
  assert.deepEqual([success, error?.startsWith('Blocked: ')], [false, true]);
  assert.equal(services.server.requests.length, before);
});
