import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listProviderModels } from '../../../src/models/knowledge/list-models.ts';
import { listModels } from '../../../src/providers/local-models.ts';
import type { ProviderProfile } from '../../../src/llm/provider.ts';
import { startJsonServer } from '../../fakes/json-server.ts';
import { keyOf } from '../../llm/protocols/ask.ts';

function profile(overrides: Partial<ProviderProfile> = {}): ProviderProfile {
  return {
    id: 'test',
    aliases: [],
    apiMode: 'chat_completions',
    baseUrl: 'https://api.example.com/v1',
    keyVariables: [],
    auth: 'api_key',
    ...overrides,
  };
}

const authorizer = keyOf('key-1', 'chat_completions');

async function cacheFile(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'lists-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  return join(home, 'cache', 'ollama_cloud_models.json');
}

test('a list in OpenAI’s format is read with the key that was given', async () => {
  await using server = await startJsonServer({
    'GET /v1/models': { body: { data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }] } },
  });
  assert.deepEqual(await listProviderModels({ profile: profile(), baseUrl: `${server.url}/v1`, authorizer }), [
    'b',
    'a',
  ]);
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer key-1');
});

test('a bare list, and lists under other names, are read as well', async () => {
  for (const body of [[{ id: 'm' }], { models: [{ slug: 'm', name: 'Model M' }] }, { data: [{ name: 'm' }] }]) {
    await using server = await startJsonServer({ 'GET /v1/models': { body } });
    assert.deepEqual(await listProviderModels({ profile: profile(), baseUrl: `${server.url}/v1`, authorizer }), ['m']);
  }
});

test('Anthropic’s list is read page by page with its version header', async () => {
  await using server = await startJsonServer({
    'GET /v1/models': ({ path }) =>
      path.includes('after_id=claude-b')
        ? { body: { data: [{ id: 'claude-c' }], has_more: false, last_id: 'claude-c' } }
        : { body: { data: [{ id: 'claude-a' }, { id: 'claude-b' }], has_more: true, last_id: 'claude-b' } },
  });
  const anthropic = profile({ apiMode: 'anthropic_messages', modelsUrl: 'https://api.anthropic.com/v1/models' });
  const ids = await listProviderModels({
    profile: anthropic,
    baseUrl: server.url,
    authorizer: keyOf('sk-ant-api-1', 'anthropic_messages'),
  });
  assert.deepEqual(ids, ['claude-a', 'claude-b', 'claude-c']);
  assert.deepEqual(
    server.requests.map(({ path, headers: sent }) => [path, sent['anthropic-version'], sent['x-api-key']]),
    [
      ['/v1/models?limit=1000', '2023-06-01', 'sk-ant-api-1'],
      ['/v1/models?limit=1000&after_id=claude-b', '2023-06-01', 'sk-ant-api-1'],
    ],
  );
});

test('Gemini’s list holds only what can chat, without the prefix', async () => {
  await using server = await startJsonServer({
    'GET /v1beta/models': ({ path }) =>
      path.includes('pageToken=two')
        ? { body: { models: [{ name: 'models/gemini-b', supportedGenerationMethods: ['generateContent'] }] } }
        : {
            body: {
              models: [
                { name: 'models/gemini-a', supportedGenerationMethods: ['generateContent', 'countTokens'] },
                { name: 'models/embedding-1', supportedGenerationMethods: ['embedContent'] },
              ],
              nextPageToken: 'two',
            },
          },
  });
  const gemini = profile({ apiMode: 'gemini_generate' });
  const ids = await listProviderModels({ profile: gemini, baseUrl: `${server.url}/v1beta`, authorizer });
  assert.deepEqual(ids, ['gemini-a', 'gemini-b']);
});

test('Ollama’s own list is asked for where there is no other', async () => {
  await using server = await startJsonServer({
    'GET /api/tags': { body: { models: [{ name: 'qwen3:8b', model: 'qwen3:8b' }] } },
  });
  assert.deepEqual(await listProviderModels({ profile: profile(), baseUrl: `${server.url}/v1`, authorizer }), [
    'qwen3:8b',
  ]);
});

test('the key goes to the address in the provider’s place, not to the provider', async () => {
  await using own = await startJsonServer({ 'GET /list': { body: { data: [{ id: 'own' }] } } });
  await using proxy = await startJsonServer({ 'GET /v1/models': { body: { data: [{ id: 'proxied' }] } } });
  const known = profile({ baseUrl: `${own.url}/v1`, modelsUrl: `${own.url}/list` });
  assert.deepEqual(await listProviderModels({ profile: known, baseUrl: `${own.url}/v1`, authorizer }), ['own']);
  assert.deepEqual(await listProviderModels({ profile: known, baseUrl: `${proxy.url}/v1`, authorizer }), ['proxied']);
  assert.equal(own.requests.length, 1);
});

test('no list, no answer and a wrong answer are told apart from an empty list', async () => {
  await using server = await startJsonServer();
  const ask = (overrides: Partial<ProviderProfile> = {}) =>
    listProviderModels({ profile: profile(overrides), baseUrl: `${server.url}/v1`, authorizer });
  assert.equal(await ask({ modelsUrl: null }), undefined);
  assert.equal(await ask({ apiMode: 'bedrock_converse' }), undefined);
  assert.equal(server.requests.length, 0);
  for (const body of ['<html>', '{"error":"x"}', '{"data":{}}', '7', '['.repeat(50_000)]) {
    server.answer({ 'GET /v1/models': { body } });
    assert.equal(await ask(), undefined, body.slice(0, 20));
  }
  server.answer({ 'GET /v1/models': { status: 401, body: { data: [{ id: 'no' }] } } });
  assert.equal(await ask(), undefined);
  server.answer({ 'GET /v1/models': { body: { data: [] } } });
  assert.deepEqual(await ask(), []);
  assert.equal(await listProviderModels({ profile: profile(), baseUrl: 'file:///etc/passwd', authorizer }), undefined);
});

test('a page that fails spoils the list, as half of it would look whole', async () => {
  await using server = await startJsonServer({
    'GET /v1/models': ({ path }) =>
      path.includes('after_id') ? { status: 500 } : { body: { data: [{ id: 'a' }], has_more: true, last_id: 'a' } },
  });
  const anthropic = profile({ apiMode: 'anthropic_messages' });
  assert.equal(await listProviderModels({ profile: anthropic, baseUrl: server.url, authorizer }), undefined);
});

test('endless pages, endless lists and ids that are none are bounded', async () => {
  let page = 0;
  await using server = await startJsonServer({
    'GET /v1/models': () => {
      page += 1;
      return { body: { data: [{ id: `m${page}` }], has_more: true, last_id: `m${page}` } };
    },
    'GET /long/models': {
      body: {
        data: [{ id: 'x'.repeat(300) }, { id: 'a\u001b[2J' }, { id: 7 }, 'b', null].concat(
          Array.from({ length: 6000 }, (_, index) => ({ id: `m${index}` })),
        ),
      },
    },
  });
  const paged = await listProviderModels({
    profile: profile({ apiMode: 'anthropic_messages' }),
    baseUrl: server.url,
    authorizer,
  });
  assert.equal(paged?.length, 20);
  const long = await listProviderModels({ profile: profile(), baseUrl: `${server.url}/long`, authorizer });
  assert.ok(long !== undefined && long.length <= 5000 && long[0] === 'm0');
});

test('whoever waits can leave', async () => {
  await using server = await startJsonServer({ 'GET /v1/models': { hang: true } });
  const leaving = new AbortController();
  const { signal } = leaving;
  const answer = listProviderModels({ profile: profile(), baseUrl: `${server.url}/v1`, authorizer, signal });
  leaving.abort();
  assert.equal(await answer, undefined);
});

test('a kept list saves the question for an hour, and is better than none after it', async (t) => {
  const cachePath = await cacheFile(t);
  const clock = { time: 1_000_000, now: () => clock.time };
  await using server = await startJsonServer({ 'GET /v1/models': { body: { data: [{ id: 'a' }] } } });
  const ask = (baseUrl = `${server.url}/v1`) =>
    listProviderModels({ profile: profile(), baseUrl, authorizer, cachePath, clock });
  assert.deepEqual(await ask(), ['a']);
  server.answer({ 'GET /v1/models': { body: { data: [{ id: 'b' }] } } });
  assert.deepEqual(await ask(), ['a']);
  clock.time += 60 * 60_000;
  assert.deepEqual(await ask(), ['b']);
  clock.time += 60 * 60_000;
  server.answer({});
  assert.deepEqual(await ask(), ['b']);
  assert.ok(!(await readFile(cachePath, 'utf8')).includes('Bearer'), 'no key is kept');
  assert.equal(await ask(`${server.url}/other`), undefined, 'the list of another address is another list');
});

test('a damaged kept list is asked for again', async (t) => {
  const cachePath = await cacheFile(t);
  await using server = await startJsonServer({ 'GET /v1/models': { body: { data: [{ id: 'a' }] } } });
  const ask = () => listProviderModels({ profile: profile(), baseUrl: `${server.url}/v1`, authorizer, cachePath });
  await ask();
  for (const text of [
    '',
    '{',
    '{"url":1}',
    `{"url":"${server.url}/v1/models","fetched_at":${Date.now()},"models":[{}]}`,
  ]) {
    await writeFile(cachePath, text);
    assert.deepEqual(await ask(), ['a']);
  }
});

test('a local server lists its models for those who named none', async () => {
  await using server = await startJsonServer({ 'GET /v1/models': { body: { data: [{ id: 'only' }, { id: 7 }] } } });
  assert.deepEqual(await listModels(`${server.url}/v1`, {}, fetch), ['only']);
  server.answer({ 'GET /v1/models': { body: { models: [] } } });
  assert.equal(await listModels(`${server.url}/v1`, {}, fetch), undefined);
  assert.equal(await listModels('http://127.0.0.1:9/v1', {}, fetch), undefined);
});
