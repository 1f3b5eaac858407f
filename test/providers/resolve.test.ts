/** Which provider, endpoint, key and model a request ends up with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { chooseProvider } from '../../src/providers/choose-provider.ts';
import type { ModelSettings } from '../../src/providers/model-settings.ts';
import { NotConfiguredError } from '../../src/providers/not-configured.ts';
import type { ModelRoute } from '../../src/llm/protocol.ts';
import { openEndpoint, parseModelSpec, type RouteRequest } from '../../src/providers/resolve.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { ask } from '../llm/protocols/ask.ts';
import { resolveRoute, sourcesOf } from './sources.ts';

type Env = Record<string, string>;
const openRouterKey = { OPENROUTER_API_KEY: 'sk-or-v1-0123456789' };
const openAiKey = { OPENAI_API_KEY: 'sk-proj-0123456789' };

const short = ({ provider, model, baseUrl }: ModelRoute) => [provider, model, baseUrl];

function rejects(request: RouteRequest, settings: ModelSettings, env: Env, pattern: RegExp): Promise<void> {
  return assert.rejects(resolveRoute(request, settings, env), (error) => {
    assert.ok(error instanceof UserError && !(error instanceof NotConfiguredError), String(error));
    assert.match(`${error.message} ${error.hint}`, pattern);
    return true;
  });
}

/** The Authorization header that a real request carries. */
async function keySent(settings: ModelSettings, env: Env, request: RouteRequest = {}): Promise<string | undefined> {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const route = await resolveRoute({ model: 'm', ...request }, { ...settings, base_url: server.url }, env);
  await ask(route.protocol, { model: route.model });
  return server.lastRequest.headers.authorization;
}

test('an explicit provider beats the configured one, which beats the environment', async () => {
  const env = { ...openRouterKey, ...openAiKey, HERMES_INFERENCE_PROVIDER: 'openai-api' };
  const settings = { provider: 'openrouter', default: 'a/b' };
  assert.equal((await resolveRoute({ provider: 'demo' }, settings, env)).provider, 'demo');
  assert.deepEqual(short(await resolveRoute({}, settings, env)), ['openrouter', 'a/b', 'https://openrouter.ai/api/v1']);
  assert.equal((await resolveRoute({}, { provider: 'auto', default: 'm' }, env)).provider, 'openai-api');
});

test('auto takes the provider whose key is set, and placeholders are not set', async () => {
  assert.deepEqual(short(await resolveRoute({}, {}, openRouterKey)), [
    'openrouter',
    'openrouter/auto',
    'https://openrouter.ai/api/v1',
  ]);
  assert.equal((await resolveRoute({}, {}, openAiKey)).provider, 'openai-api');
  for (const placeholder of [
    '***',
    'changeme',
    'your_api_key',
    'YOUR-API-KEY',
    'none',
    'example',
    'abc',
    '  ',
    '${OPENROUTER_API_KEY}',
  ]) {
    await assert.rejects(resolveRoute({}, {}, { OPENROUTER_API_KEY: placeholder }), NotConfiguredError, placeholder);
  }
});

test('nothing configured is its own error, a missing key and an unknown provider say what to do', async () => {
  await assert.rejects(resolveRoute({}, {}, {}), NotConfiguredError);
  await assert.rejects(resolveRoute({}, { provider: 'auto', default: '', base_url: '' }, {}), NotConfiguredError);
  await rejects(
    { provider: 'openrouter' },
    {},
    {},
    /OPENROUTER_API_KEY is not set.*hermes config set OPENROUTER_API_KEY.*hermes setup/,
  );
  await rejects({}, { default: 'a/b' }, {}, /OPENROUTER_API_KEY/);
  const settings = { custom_providers: [{ name: 'My Box', base_url: 'http://x/v1' }] };
  await rejects(
    { provider: 'nosuch' },
    settings,
    openRouterKey,
    /Unknown provider 'nosuch'.*openrouter, nous, .*custom, demo, custom:my-box/,
  );
  await rejects({ provider: 'custom:gone' }, settings, {}, /Unknown provider 'custom:gone'/);
});

test('a provider that this version does not know does not get in the way of another one', async () => {
  const settings = {
    provider: 'nosuch',
    default: 'their-model',
    base_url: 'https://nosuch.test/v1',
    api_key: 'their-key',
  };
  const route = await resolveRoute({ provider: 'openrouter' }, settings, openRouterKey);
  assert.deepEqual(short(route), ['openrouter', 'openrouter/auto', 'https://openrouter.ai/api/v1']);
});

test("OpenRouter's key stays away from other hosts, however they are configured", async () => {
  assert.equal(await keySent({ provider: 'custom' }, openRouterKey), 'Bearer no-key-required');
  assert.equal(await keySent({ provider: 'openrouter' }, openRouterKey), 'Bearer no-key-required');
  assert.equal(await keySent({}, openRouterKey), 'Bearer no-key-required');
  const evil = await resolveRoute({}, { base_url: 'https://openrouter.ai.evil.test/v1', default: 'm' }, openRouterKey);
  assert.equal(evil.provider, 'custom');
  const evilUrl = 'https://openrouter.ai.evil.test/v1';
  for (const provider of ['openrouter', 'custom', undefined]) {
    const settings = { base_url: evilUrl, default: 'm', ...(provider === undefined ? {} : { provider }) };
    const { authorizer } = await openEndpoint({}, sourcesOf(settings, openRouterKey));
    assert.deepEqual(authorizer?.secrets, [], provider);
  }
});

test('`local` with an address is a server there, as in configurations of the original', async () => {
  const baseUrl = 'http://localhost:8080/v1';
  const settings = { provider: 'local', base_url: baseUrl, default: 'qwen' };
  assert.deepEqual(short(await resolveRoute({}, settings, {})), ['custom', 'qwen', baseUrl]);
  assert.deepEqual(short(await resolveRoute({ provider: 'Local', model: 'm' }, settings, {})), [
    'custom',
    'm',
    baseUrl,
  ]);
  const fallback = { provider: 'local', model: 'm', baseUrl };
  assert.deepEqual(short(await resolveRoute(fallback, { provider: 'demo' }, {})), ['custom', 'm', baseUrl]);
  const elsewhere = { ...settings, provider: 'custom' };
  await assert.rejects(resolveRoute({ provider: 'local' }, elsewhere, {}), /'local' cannot be used here/);
});

test('a custom endpoint takes its own key, then the named variable, then OPENAI_API_KEY', async () => {
  const env = { ...openAiKey, CORP_KEY: 'corp-key-1' };
  assert.equal(
    await keySent({ provider: 'custom', api_key: 'own-key-1', key_env: 'CORP_KEY' }, env),
    'Bearer own-key-1',
  );
  assert.equal(await keySent({ provider: 'custom', api_key: '***', key_env: 'CORP_KEY' }, env), 'Bearer corp-key-1');
  assert.equal(await keySent({ provider: 'custom' }, env), `Bearer ${openAiKey.OPENAI_API_KEY}`);
  assert.equal(await keySent({ provider: 'custom' }, env, { apiKey: 'flag-key-1' }), 'Bearer flag-key-1');
});

test('the key of one endpoint is not sent to another', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const settings = { provider: 'custom', base_url: 'http://127.0.0.1:9/v1', api_key: 'secret-of-port-9', default: 'm' };
  const route = await resolveRoute({ provider: 'custom', baseUrl: server.url, model: 'n' }, settings, {});
  await ask(route.protocol);
  assert.equal(server.lastRequest.headers.authorization, 'Bearer no-key-required');
});

test('OPENAI_BASE_URL is for openai-api only, CUSTOM_BASE_URL for custom', async () => {
  const env = {
    ...openRouterKey,
    ...openAiKey,
    OPENAI_BASE_URL: 'http://localhost:1/v1/',
    CUSTOM_BASE_URL: 'http://localhost:2/v1',
  };
  const baseUrl = async (provider: string) => (await resolveRoute({ provider, model: 'm' }, {}, env)).baseUrl;
  assert.equal(await baseUrl('openrouter'), 'https://openrouter.ai/api/v1');
  assert.equal(await baseUrl('openai-api'), 'http://localhost:1/v1');
  assert.equal(await baseUrl('custom'), 'http://localhost:2/v1');
  await rejects({ provider: 'custom', model: 'm' }, {}, {}, /No address is set.*model\.base_url/);
  await rejects(
    { provider: 'custom', model: 'm' },
    { provider: 'custom', base_url: 'localhost:1' },
    {},
    /not an http\(s\) URL/,
  );
});

test('a saved endpoint brings its key, model, limits and extra body, and only to itself', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const settings: ModelSettings = {
    custom_providers: [
      {
        name: 'My Work',
        base_url: server.url,
        key_env: 'CORP',
        model: 'big',
        extra_body: { enable_thinking: true },
        models: { big: { context_length: 70_000, max_tokens: 900 } },
      },
      { name: 'openrouter', base_url: 'http://localhost:3/v1', model: 'x' },
    ],
  };
  const env = { CORP: 'corp-key-1', ...openRouterKey };
  for (const name of ['custom:my-work', 'custom:My Work', 'MY WORK']) {
    const route = await resolveRoute({ provider: name }, settings, env);
    assert.deepEqual(short(route), ['custom:my-work', 'big', server.url]);
    assert.deepEqual([route.contextLength, route.maxTokens], [70_000, 900]);
    await ask(route.protocol);
    assert.equal(server.lastRequest.headers.authorization, 'Bearer corp-key-1');
    assert.equal(server.lastRequest.body['enable_thinking'], true);
  }
  assert.equal((await resolveRoute({ provider: 'openrouter' }, settings, env)).baseUrl, 'https://openrouter.ai/api/v1');
  assert.equal((await resolveRoute({ provider: 'custom:openrouter' }, settings, env)).baseUrl, 'http://localhost:3/v1');
  const plain = await resolveRoute({ provider: 'custom', baseUrl: server.url, model: 'big' }, settings, env);
  await ask(plain.protocol);
  assert.ok(!('enable_thinking' in server.lastRequest.body));
});

test('the model comes from the flag, the process, the configuration, in this order', async () => {
  const env = { ...openRouterKey, HERMES_INFERENCE_MODEL: 'from/env' };
  const model = async (request: RouteRequest, settings: ModelSettings, vars: Env) =>
    (await resolveRoute(request, settings, vars)).model;
  assert.equal(await model({ model: 'from/flag' }, { default: 'from/config' }, env), 'from/flag');
  assert.equal(await model({}, { default: 'from/config' }, env), 'from/env');
  assert.equal(await model({}, { default: 'from/config', model: 'synonym' }, openRouterKey), 'from/config');
  assert.equal(await model({}, { model: 'synonym' }, openRouterKey), 'synonym');
  assert.equal(
    await model({ provider: 'openai-api' }, { provider: 'openrouter', default: 'a/b' }, openAiKey),
    'gpt-5.4',
  );
});

test('a local server with one model needs no model to be named; with several it asks', async () => {
  await using one = await startModelServer({ models: ['only-model'], apiKey: 'local-key-1' });
  const settings = { provider: 'custom', base_url: one.url, api_key: 'local-key-1' };
  assert.equal((await resolveRoute({}, settings, {})).model, 'only-model');
  await using two = await startModelServer({ models: ['first', 'second'] });
  await rejects({}, { provider: 'custom', base_url: two.url }, {}, /No model is set.*first, second/);
  await rejects({}, { provider: 'custom', base_url: 'http://127.0.0.1:9/v1' }, {}, /No model is set.*model\.default/);
});

test('aliases stand for a model, its provider and its endpoint', async () => {
  const settings: ModelSettings = {
    aliases: { fast: 'openai-api/gpt-5-mini', deep: 'some-maker/claude-opus-4.6', both: 'x' },
    model_aliases: { Both: { model: 'y', provider: 'custom', base_url: 'http://localhost:5/v1' } },
  };
  const env = { ...openRouterKey, ...openAiKey };
  assert.deepEqual(short(await resolveRoute({ model: 'fast' }, settings, env)), [
    'openai-api',
    'gpt-5-mini',
    'https://api.openai.com/v1',
  ]);
  assert.deepEqual(short(await resolveRoute({ model: 'deep' }, settings, env)).slice(0, 2), [
    'openrouter',
    'some-maker/claude-opus-4.6',
  ]);
  assert.deepEqual(short(await resolveRoute({ model: 'both' }, settings, env)), [
    'custom',
    'y',
    'http://localhost:5/v1',
  ]);
});

test('/model understands names, providers, saved endpoints and tags with colons', () => {
  const settings: ModelSettings = {
    custom_providers: [{ name: 'Local', base_url: 'http://localhost:1/v1' }],
    aliases: { quick: 'openrouter/a/b' },
  };
  const openrouter = { provider: 'openrouter', model: 'a/b', baseUrl: 'https://openrouter.ai/api/v1' };
  const own = { provider: 'custom', model: 'x', baseUrl: 'http://localhost:2/v1' };
  const cases: readonly (readonly [string, RouteRequest, typeof own])[] = [
    ['c/d', { provider: 'openrouter', model: 'c/d' }, openrouter],
    ['qwen:7b', { provider: 'openrouter', model: 'qwen:7b' }, openrouter],
    ['qwen:7b', { provider: 'custom', baseUrl: 'http://localhost:2/v1', model: 'qwen:7b' }, own],
    ['a/b:free', { provider: 'openrouter', model: 'a/b:free' }, openrouter],
    ['gpt-oss:120b-cloud', { provider: 'openrouter', model: 'gpt-oss:120b-cloud' }, openrouter],
    ['grok:grok-4', { provider: 'xai', model: 'grok-4' }, openrouter],
    ['openai-api:gpt-5', { provider: 'openai-api', model: 'gpt-5' }, openrouter],
    ['OpenRouter', { provider: 'openrouter', ownModel: true }, own],
    ['custom', { provider: 'custom', ownModel: true }, openrouter],
    ['custom:qwen:7b', { provider: 'custom', model: 'qwen:7b' }, openrouter],
    ['custom:local', { provider: 'custom:local', ownModel: true }, openrouter],
    ['custom:local:qwen:7b', { provider: 'custom:local', model: 'qwen:7b' }, openrouter],
    ['local:qwen:7b', { provider: 'custom:local', model: 'qwen:7b' }, openrouter],
    ['quick', { provider: 'openrouter', model: 'a/b' }, own],
    ['c/d', { provider: 'openrouter', model: 'c/d' }, { ...openrouter, provider: 'openai-api' }],
    ['c/d', { model: 'c/d' }, { provider: 'demo', model: 'demo', baseUrl: '' }],
  ];
  for (const [spec, expected, current] of cases)
    assert.deepEqual(parseModelSpec(spec, current, settings), expected, spec);
  assert.throws(() => parseModelSpec('  ', openrouter, settings), UserError);
  assert.throws(() => parseModelSpec('nosuch:x', own, settings), /Unknown provider 'nosuch'/);
});

test('unknown modes are ignored', async () => {
  const route = await resolveRoute({}, { base_url: 'https://proxy.test/v1', default: 'm', api_mode: 'nonsense' }, {});
  assert.equal(route.apiMode, 'chat_completions');
});

test('limits and windows come from the configuration, else from the family of the model', async () => {
  const window = async (settings: ModelSettings) => (await resolveRoute({}, settings, openRouterKey)).contextLength;
  assert.equal(await window({ default: 'anthropic/claude-opus-4-6' }), 1_000_000);
  assert.equal(await window({ default: 'anthropic/claude-haiku-4.5' }), 200_000);
  assert.equal(await window({ default: 'openai/gpt-4.1-mini' }), 1_047_576);
  assert.equal(await window({ default: 'who/knows' }), undefined);
  assert.equal(await window({ default: 'who/knows', context_length: 99_000 }), 99_000);
  const route = await resolveRoute({}, { default: 'a/b', max_tokens: 5, temperature: 0 }, openRouterKey);
  assert.deepEqual([route.maxTokens, route.temperature], [5, 0]);
});

test('a configured window is not looked up: neither the server is asked nor what was learned of it', async () => {
  await using server = await startModelServer();
  const asked: string[] = [];
  const refuse = (what: string) => async () => {
    asked.push(what);
    throw new Error(`${what} was asked`);
  };
  const services = { probeContext: refuse('the server'), learnedContext: refuse('the cache') };
  const settings: ModelSettings = { provider: 'custom', base_url: server.url, default: 'm', api_key: 'key-of-mine' };
  const route = await resolveRoute({}, { ...settings, context_length: 131_072 }, {}, services);
  assert.equal(route.contextLength, 131_072);
  assert.deepEqual([asked, server.requests.length, server.modelListRequests.length], [[], 0, 0]);
  await assert.rejects(resolveRoute({}, settings, {}, services), /the server was asked/);
  const learned = { learnedContext: async () => 70_000 };
  assert.equal((await resolveRoute({}, settings, {}, learned)).contextLength, 70_000);
});

test('configured time limits reach the wire', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  const settings: ModelSettings = {
    provider: 'custom',
    base_url: server.url,
    providers: { custom: { request_timeout_seconds: 60, models: { m: { timeout_seconds: 0.1 } } } },
  };
  const route = await resolveRoute({ model: 'm' }, settings, { HERMES_API_TIMEOUT: '50' });
  await assert.rejects(ask(route.protocol, { model: 'm', stream: false }), /no complete answer within 100 ms/);
});

test('auto takes the login that was used last, then keys, those of auth.json among them', async () => {
  const stored = (active: string | undefined, ...held: string[]): ModelSettings => ({
    default: 'm',
    stored: { active: () => active, has: (provider) => held.includes(provider), login: () => undefined },
  });
  const provider = async (settings: ModelSettings, env: Env = {}) => chooseProvider({}, sourcesOf(settings, env)).id;
  assert.equal(await provider(stored('nous', 'nous'), openRouterKey), 'nous');
  assert.equal(await provider(stored('nous'), openRouterKey), 'openrouter', 'a login that has ended');
  assert.equal(await provider(stored('openai-api', 'openai-api'), openRouterKey), 'openrouter', 'a key is not a login');
  assert.equal(await provider(stored(undefined, 'deepseek')), 'deepseek');
  assert.equal(await provider({ ...stored('nous', 'nous'), provider: 'openrouter' }, openRouterKey), 'openrouter');
});

test('the model named for this process is not the one of a provider that is chosen by its name', async () => {
  const env = { ...openRouterKey, ANTHROPIC_API_KEY: 'sk-ant-0123456789', HERMES_INFERENCE_MODEL: 'openai/gpt-5' };
  const model = async (request: RouteRequest) => (await resolveRoute(request, {}, env)).model;
  assert.equal(await model({}), 'openai/gpt-5');
  assert.match(
    await model(parseModelSpec('anthropic', { provider: 'openrouter', model: 'm', baseUrl: '' }, {})),
    /^claude-/,
  );
  assert.match(await model({ provider: 'anthropic', sideTask: true }), /^claude-/);
  assert.equal(await model({ provider: 'anthropic' }), 'openai/gpt-5', 'a flag names only the provider');
});
