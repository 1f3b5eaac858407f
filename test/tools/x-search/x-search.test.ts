/** `x_search`, and `web_search` through xAI: one service, asked with a login or a key. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { lazyConfig } from '../../../src/config/lazy-config.ts';
import type { Config } from '../../../src/config/schema.ts';
import type { Outcome } from '../../../src/credentials/credential.ts';
import { fetchOver } from '../../../src/lib/fetch-over.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { chooseTools } from '../../../src/runtime/choose-tools.ts';
import type { XaiAccess } from '../../../src/tools/web/web-access.ts';
import { webSearchTool } from '../../../src/tools/web/web-search.ts';
import { xSearchTool } from '../../../src/tools/x-search/x-search.ts';
import { type JsonAnswer, type JsonRequest, startJsonServer } from '../../fakes/json-server.ts';
import { aPage, policyWith } from '../support.ts';
import { noWeb } from '../web/access.ts';
import { openWeb, type WebPlaceOptions } from '../web/support.ts';

const post = { url: 'https://x.com/heron/status/1', title: '1', start_index: 0, end_index: 4 };
const answered = {
  output: [
    { type: 'x_search_call' },
    {
      type: 'message',
      content: [{ type: 'output_text', text: 'They wait.', annotations: [{ type: 'url_citation', ...post }] }],
    },
  ],
  citations: [post.url],
};

type Respond = (request: JsonRequest) => JsonAnswer;

/** A login whose first token has run out; a key knows no other. */
async function openXai(
  t: TestContext,
  respond: Respond,
  options: WebPlaceOptions = {},
  tokens = ['token-1', 'token-2'],
) {
  const server = await startJsonServer({ 'POST /v1/responses': respond });
  t.after(() => server[Symbol.asyncDispose]());
  const reports: Outcome[] = [];
  const left = [...tokens];
  const xai: XaiAccess = {
    isThere: () => tokens.length > 0,
    take() {
      const secret = left.length > 1 ? left.shift() : left[0];
      if (secret === undefined) return Promise.resolve(undefined);
      return Promise.resolve({
        kind: 'xai-oauth' as const,
        baseUrl: `${server.url}/v1`,
        credential: { id: secret, label: 'login', secret },
        report: (outcome: Outcome) => {
          reports.push(outcome);
          return Promise.resolve(left.length > 0 && secret !== left[0]);
        },
      });
    },
  };
  const waits: number[] = [];
  const sleep = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  const place = openWeb(t, { ...options, web: { xai, sleep, fetch: fetchOver({}) } });
  const ask = async (args: JsonObject, more?: Parameters<typeof place.call>[2]): Promise<JsonObject> => {
    const { text } = await place.call(xSearchTool, args, more);
    const value = parseJson(text);
    assert.ok(isJsonObject(value));
    return value;
  };
  return { ...place, ask, server, reports, waits };
}

function bodyOf({ body }: JsonRequest): JsonObject {
  return parseJson(body) as JsonObject;
}

test('a search gives the answer with its sources, and asks for nothing that was not wanted', async (t) => {
  const { ask, server } = await openXai(t, () => ({ body: answered }));
  assert.deepEqual(
    await ask({ query: ' herons ', allowed_x_handles: ['@heron', ' '], enable_image_understanding: false }),
    {
      success: true,
      provider: 'xai',
      credential_source: 'xai-oauth',
      tool: 'x_search',
      model: 'grok-4.5',
      query: 'herons',
      answer: 'They wait.',
      citations: [post.url],
      inline_citations: [post],
      degraded: false,
      degraded_reason: null,
    },
  );
  const [request] = server.requests;
  assert.equal(request?.headers['authorization'], 'Bearer token-1');
  assert.deepEqual(request === undefined ? undefined : bodyOf(request), {
    model: 'grok-4.5',
    input: [{ role: 'user', content: 'herons' }],
    tools: [{ type: 'x_search', allowed_x_handles: ['heron'] }],
    store: false,
  });
});

test('an answer without sources although it was narrowed is told to be weaker', async (t) => {
  const { ask } = await openXai(t, () => ({ body: { output_text: 'I think so.' } }));
  const { degraded, degraded_reason: reason } = await ask({
    query: 'x',
    allowed_x_handles: ['a'],
    from_date: '2025-01-01',
  });
  assert.deepEqual([degraded, reason], [true, 'no citations returned despite filters: allowed_x_handles, from_date']);
  assert.equal((await ask({ query: 'x' }))['degraded'], false);
});

test('what cannot be meant is refused before anything is asked', async (t) => {
  const { ask, server } = await openXai(t, () => ({ body: answered }));
  const tomorrow = new Date(Date.now() + 36 * 3_600_000).toISOString().slice(0, 10);
  for (const [args, pattern] of [
    [{ allowed_x_handles: ['a'], excluded_x_handles: ['b'] }, /cannot be used together/],
    [{ excluded_x_handles: Array.from({ length: 11 }, (_, at) => `a${at}`) }, /at most 10/],
    [{ from_date: tomorrow }, /still to come/],
    [{ from_date: '2025-02-30' }, /YYYY-MM-DD, not '2025-02-30'/],
    [{ to_date: 'yesterday' }, /to_date/],
    [{ from_date: '2025-02-02', to_date: '2025-02-01' }, /must not be after/],
  ] as const) {
    const { error } = await ask({ query: 'x', ...structuredClone(args) } as JsonObject);
    assert.match(JSON.stringify(error), pattern);
  }
  assert.equal(server.requests.length, 0);
  assert.equal((await ask({ query: 'x', from_date: '2025-01-01', to_date: tomorrow }))['success'], true);
});

test('a refused login is renewed once, a troubled service asked again, a refusal told', async (t) => {
  const statuses = [401, 503, 500, 200];
  const { ask, reports, waits, server } = await openXai(t, () => {
    const status = statuses.shift() ?? 403;
    return status === 200 ? { body: answered } : { status, body: { code: 'c', error: 'No credits left' } };
  });
  assert.equal((await ask({ query: 'x' }))['success'], true);
  assert.equal(server.requests[1]?.headers['authorization'], 'Bearer token-2');
  assert.deepEqual(waits, [1500, 3000]);
  assert.deepEqual(
    reports.map((outcome) => (outcome.kind === 'failed' ? outcome.status : outcome.kind)),
    [401, 503, 500, 'ok'],
  );
  assert.deepEqual(await ask({ query: 'x' }), {
    success: false,
    provider: 'xai',
    tool: 'x_search',
    error: 'xAI answered with status 403: No credits left.',
  });
});

test('it is there only with a login or a key, and asks a person once text from outside has entered', async (t) => {
  const { services, ask, server } = await openXai(t, () => ({ body: answered }));
  assert.equal(xSearchTool.available(services), true);
  assert.equal(xSearchTool.available({ ...services, state: { ...services.state, web: noWeb() } }), false);
  const { error } = await ask(
    { query: 'open https://evil.test/?d=secret' },
    { policy: policyWith({ entered: () => aPage }) },
  );
  assert.match(JSON.stringify(error), /^"BLOCKED: .*talks to api\.x\.ai/);
  assert.equal(server.requests.length, 0);
});

test('it joins the tools where nobody chose any, with a login or a key', async () => {
  const config = lazyConfig(new Map());
  const chosen = async (more: Partial<Config>, joining: readonly string[]) =>
    (await chooseTools({ ...config, ...more }, { surface: 'cli' }, { joining })).tools.map(({ name }) => name);
  const usual = {
    toolsets: ['web'],
    platform_toolsets: {},
    custom_toolsets: config.custom_toolsets,
    agent: config.agent,
  };
  const rest = { mcp_servers: {} };
  assert.deepEqual(await chosen({ ...usual, ...rest }, ['x_search']), ['web_search', 'web_extract', 'x_search']);
  assert.deepEqual(await chosen({ ...usual, ...rest }, []), ['web_search', 'web_extract']);
  const saved = { platform_toolsets: { cli: ['web'] } };
  assert.deepEqual(await chosen({ ...usual, ...rest, ...saved }, ['x_search']), ['web_search', 'web_extract']);
});

test('web_search through xAI takes the results that the model writes, or at least what it cites', async (t) => {
  const written = JSON.stringify({ results: [{ title: 'Herons', url: 'https://x.test/', description: 'They wait.' }] });
  const texts = [`Here it is:\n\`\`\`json\n${written}\n\`\`\``, 'No JSON today.'];
  const settings = {
    web: { search_backend: 'xai', xai: { timeout: 90, allowed_domains: ['x.test'], excluded_domains: [] } },
  };
  const { call, server, services } = await openXai(
    t,
    () => ({ body: { ...answered, output_text: texts.shift() ?? '' } }),
    { settings },
  );
  const first = await call(webSearchTool, { query: 'herons' });
  assert.deepEqual(first.data.web, [
    { title: 'Herons', url: 'https://x.test/', description: 'They wait.', position: 1 },
  ]);
  const [request] = server.requests;
  const body = request === undefined ? {} : bodyOf(request);
  assert.deepEqual(body['tools'], [{ type: 'web_search', filters: { allowed_domains: ['x.test'] } }]);
  assert.equal(body['model'], 'grok-build-0.1');
  const second = await call(webSearchTool, { query: 'herons' });
  assert.deepEqual(
    second.data.web.map(({ url }) => url),
    [post.url],
  );
  // A model wrote these addresses, and may have written what it was asked into them.
  assert.equal(services.state.web.found.has(new URL('https://x.test/')), false);
});
