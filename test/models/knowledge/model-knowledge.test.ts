import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as fc from 'fast-check';
import { HomeKnowledge, type ModelKnowledgeOptions } from '../../../src/models/knowledge/model-knowledge.ts';
import { providersIn } from '../../../src/models/knowledge/parse-models-dev.ts';
import { providerCatalogue } from '../../../src/providers/catalogue.ts';
import { parseJson } from '../../../src/lib/json.ts';
import { type JsonServer, startJsonServer } from '../../fakes/json-server.ts';

const hour = 60 * 60_000;
const never = new AbortController().signal;

/** The shape of models.dev, with what its entries carry besides. */
const catalogue = {
  anthropic: {
    id: 'anthropic',
    env: ['ANTHROPIC_API_KEY'],
    models: {
      'claude-opus-4-6': {
        id: 'claude-opus-4-6',
        name: 'Claude Opus 4.6',
        reasoning: true,
        tool_call: true,
        release_date: '2026-02-05',
        modalities: { input: ['text', 'image', 'pdf'], output: ['text'] },
        cost: {
          input: 4,
          output: 20,
          cache_read: 0.4,
          cache_write: 5,
          context_over_200k: { input: 8, output: 30, cache_read: 0.8, cache_write: 10 },
        },
        limit: { context: 900_000, output: 100_000 },
      },
      'claude-next': { id: 'claude-next', release_date: '2026-10-01', limit: { context: 2_000_000, output: 1000 } },
      'claude-gone': { id: 'claude-gone', release_date: '2027-01-01', status: 'deprecated' },
    },
  },
  openai: { models: { 'gpt-5.5': { limit: { context: 1_050_000, output: 128_000 }, cost: { input: 5, output: 30 } } } },
  google: { models: { 'gemini-9': { limit: { context: 5_000_000, output: 1 }, cost: { input: 1, output: 2 } } } },
};

interface Setting {
  readonly home: string;
  readonly cachePath: string;
  readonly clock: { time: number; readonly now: () => number };
  readonly knowledge: (options?: Partial<ModelKnowledgeOptions>) => HomeKnowledge;
  /** Asks for a renewal and waits until it is over. */
  readonly renew: (server: JsonServer, options?: Partial<ModelKnowledgeOptions>) => Promise<HomeKnowledge>;
}

async function setUp(t: TestContext): Promise<Setting> {
  const home = await mkdtemp(join(tmpdir(), 'knowledge-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const cachePath = join(home, 'models_dev_cache.json');
  const clock = { time: Date.now(), now: () => clock.time };
  const knowledge = (options: Partial<ModelKnowledgeOptions> = {}) =>
    new HomeKnowledge({
      cachePath,
      enabled: true,
      ttlHours: 1,
      clock,
      traitsOf: (provider) => providerCatalogue.find(({ id }) => id === provider),
      url: 'http://127.0.0.1:9/api.json',
      ...options,
    });
  return {
    home,
    cachePath,
    clock,
    knowledge,
    async renew(server, options) {
      const renewed = knowledge({ url: `${server.url}/api.json`, ...options });
      await renewed.refresh(never);
      return renewed;
    },
  };
}

function serve(body: unknown = catalogue): Promise<JsonServer> {
  return startJsonServer({ 'GET /api.json': { body } });
}

test('without a network and a cache the shipped catalogue answers', async (t) => {
  const { knowledge } = await setUp(t);
  assert.deepEqual(await knowledge().facts('anthropic', 'claude-opus-4-1-20250805'), {
    contextLength: 200_000,
    maxOutput: 32_000,
    price: { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
    vision: true,
    reasoning: true,
    toolCalls: true,
    source: 'catalogue',
  });
});

test('models newer than the shipped catalogue are known, however their version is written', async (t) => {
  const { knowledge } = await setUp(t);
  for (const [provider, model] of [
    ['anthropic', 'claude-opus-4-6'],
    ['openrouter', 'anthropic/claude-opus-4.6'],
    ['bedrock', 'us.anthropic.claude-opus-4-6-v1:0'],
    ['vertex', 'claude-opus-4-6@20260205'],
  ] as const) {
    const facts = await knowledge().facts(provider, model);
    assert.equal(facts?.contextLength, 1_000_000, model);
    assert.deepEqual(facts?.price, { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, model);
  }
});

test('a smaller sister is another model', async (t) => {
  const { knowledge } = await setUp(t);
  const [big, small] = await Promise.all(
    ['gpt-5', 'gpt-5-mini'].map((model) => knowledge().facts('openai-api', model)),
  );
  assert.equal(big?.price?.input, 1.25);
  assert.equal(small?.price?.input, 0.25);
  assert.equal((await knowledge().facts('openai-api', 'gpt-5-huge'))?.price, undefined);
});

test('a model with a date stands for the one without, and the latest date for the name alone', async (t) => {
  const { knowledge } = await setUp(t);
  assert.equal((await knowledge().facts('openai-api', 'gpt-5-2025-08-07'))?.price?.input, 1.25);
  assert.equal((await knowledge().facts('anthropic', 'claude-opus-4-1'))?.price?.input, 15);
  assert.equal((await knowledge().facts('anthropic', 'claude-3-5-sonnet-latest'))?.maxOutput, 8192);
});

test('what an aggregator does not list is looked up with the maker', async (t) => {
  const { knowledge } = await setUp(t);
  const facts = await knowledge().facts('nous', 'anthropic/claude-3-opus');
  assert.equal(facts?.price?.output, 75);
});

test('the free variant of a model has not the price of the other', async (t) => {
  const { knowledge } = await setUp(t);
  assert.equal((await knowledge().facts('openrouter', 'anthropic/claude-opus-4.6:free'))?.price, undefined);
});

test('of an unknown model the window of its family is known, of an unknown family nothing', async (t) => {
  const { knowledge } = await setUp(t);
  assert.deepEqual(await knowledge().facts('custom', 'my-qwen-tune'), { contextLength: 131_072, source: 'catalogue' });
  assert.equal(await knowledge().facts('custom', 'house-model'), undefined);
  assert.equal(await knowledge().facts('../../etc', '../passwd'), undefined);
});

test('requests to an own server or within a plan have no price', async (t) => {
  const { knowledge } = await setUp(t);
  assert.equal((await knowledge().facts('custom:work', 'claude-opus-4-6'))?.price, undefined);
  const codex = await knowledge().facts('openai-codex', 'gpt-5');
  assert.equal(codex?.price, undefined);
  assert.equal(codex?.contextLength, 272_000);
});

test('the configuration wins, and what it does not say comes from the others', async (t) => {
  const { knowledge } = await setUp(t);
  const overrides = (provider: string, model: string) =>
    provider === 'anthropic' && model === 'claude-opus-4-6' ? { contextLength: 150_000, vision: false } : undefined;
  const facts = await knowledge({ overrides }).facts('anthropic', 'claude-opus-4-6');
  assert.equal(facts?.contextLength, 150_000);
  assert.equal(facts?.vision, false);
  assert.equal(facts?.maxOutput, 128_000);
});

test('a download beats the shipped catalogue, is split by provider and found again without a network', async (t) => {
  const { renew, knowledge, home, cachePath } = await setUp(t);
  await using server = await serve();
  const renewed = await renew(server);
  const expected = {
    contextLength: 900_000,
    maxOutput: 100_000,
    price: {
      input: 4,
      output: 20,
      cacheRead: 0.4,
      cacheWrite: 5,
      longPrompt: { aboveTokens: 200_000, input: 8, output: 30, cacheRead: 0.8, cacheWrite: 10 },
    },
    vision: true,
    reasoning: true,
    toolCalls: true,
    source: 'models.dev',
  };
  assert.deepEqual(await renewed.facts('anthropic', 'claude-opus-4-6'), expected);
  assert.deepEqual(await knowledge({ enabled: false }).facts('anthropic', 'claude-opus-4-6'), expected);
  assert.deepEqual(JSON.parse(await readFile(cachePath, 'utf8')), catalogue);
  const parts = await readdir(join(home, 'cache', 'models'));
  assert.deepEqual(parts.filter((name) => name.endsWith('.json')).toSorted(), [
    'anthropic.json',
    'google.json',
    'openai.json',
  ]);
  assert.ok(!parts.some((name) => name.endsWith('.tmp')));
});

test('an answer that was given before the download is not kept beyond it', async (t) => {
  const { knowledge } = await setUp(t);
  await using server = await serve();
  const known = knowledge({ url: `${server.url}/api.json` });
  assert.equal((await known.facts('anthropic', 'claude-opus-4-6'))?.contextLength, 1_000_000);
  await known.refresh(never);
  assert.equal((await known.facts('anthropic', 'claude-opus-4-6'))?.contextLength, 900_000);
});

test('a person can have the list fetched again although it is young and the last attempt failed', async (t) => {
  const { knowledge } = await setUp(t);
  await using server = await serve();
  const known = knowledge({ url: `${server.url}/api.json` });
  assert.equal(await knowledge({ url: `${server.url}/missing.json` }).refreshNow(never), false);
  assert.equal(await known.refreshNow(never), true);
  assert.equal((await known.facts('anthropic', 'claude-opus-4-6'))?.contextLength, 900_000);
  assert.equal(await known.refreshNow(never), true);
  assert.equal(await knowledge({ enabled: false, url: `${server.url}/api.json` }).refreshNow(never), false);
});

test('the window of a Codex login is smaller than that of the same model with a key', async (t) => {
  const { renew } = await setUp(t);
  await using server = await serve();
  const known = await renew(server);
  assert.equal((await known.facts('openai-codex', 'gpt-5.5'))?.contextLength, 272_000);
  assert.equal((await known.facts('openai-api', 'gpt-5.5'))?.contextLength, 1_050_000);
});

test('Copilot’s windows are its own, not those of the makers', async (t) => {
  const { knowledge } = await setUp(t);
  const facts = await knowledge().facts('copilot', 'claude-opus-4.6');
  assert.equal(facts?.contextLength, 128_000);
  assert.equal(facts?.vision, true);
});

test('the price of a maker is not that of others who serve the same model', async (t) => {
  const { knowledge } = await setUp(t);
  assert.equal((await knowledge().facts('zai', 'glm-4.7'))?.price?.output, 2.2);
  assert.equal((await knowledge().facts('gmi', 'glm-4.7'))?.price, undefined);
});

test('every model that a provider offers in menus is answered for without a network', async (t) => {
  const { knowledge } = await setUp(t);
  const known = knowledge();
  for (const { id, defaultModel = '', models = [] } of providerCatalogue) {
    for (const model of [defaultModel, ...models]) {
      const facts = await known.facts(id, model);
      assert.ok(facts?.contextLength === undefined || facts.contextLength >= 32_000, `${id} ${model}`);
    }
  }
  for (const id of ['anthropic', 'openai-api', 'gemini', 'bedrock', 'ai-gateway', 'deepseek', 'azure-foundry']) {
    const profile = providerCatalogue.find((entry) => entry.id === id);
    const facts = await known.facts(id, profile?.defaultModel ?? profile?.models?.[0] ?? '');
    assert.ok(facts?.contextLength !== undefined && facts.price !== undefined, id);
  }
});

test('models are listed newest first, without those that are withdrawn', async (t) => {
  const { renew } = await setUp(t);
  await using server = await serve();
  const known = await renew(server);
  assert.deepEqual(await known.models('anthropic'), ['claude-next', 'claude-opus-4-6']);
  assert.ok((await known.models('xai')).includes('grok-4'), 'from the shipped catalogue');
  assert.deepEqual(await known.models('custom'), []);
});

test('a young cache is not fetched again, an old one is', async (t) => {
  const { renew, clock } = await setUp(t);
  await using server = await serve();
  await renew(server);
  await renew(server);
  assert.equal(server.requests.length, 1);
  clock.time += hour + 1;
  await renew(server);
  assert.equal(server.requests.length, 2);
});

test('several processes fetch once', async (t) => {
  const { renew } = await setUp(t);
  await using server = await serve();
  await Promise.all([renew(server), renew(server), renew(server)]);
  assert.equal(server.requests.length, 1);
});

test('a file that another program fetched a moment ago is split, not fetched', async (t) => {
  const { renew, cachePath } = await setUp(t);
  await using server = await serve();
  await writeFile(cachePath, JSON.stringify(catalogue));
  const known = await renew(server);
  assert.equal(server.requests.length, 0);
  assert.equal((await known.facts('gemini', 'gemini-9'))?.source, 'models.dev');
});

test('an old cache is used until the new one is there', async (t) => {
  const { renew, clock, knowledge } = await setUp(t);
  await using server = await serve();
  await renew(server);
  clock.time += 30 * 24 * hour;
  assert.equal((await knowledge().facts('gemini', 'gemini-9'))?.contextLength, 5_000_000);
});

test('a failed download changes nothing, and is tried again after five minutes by whoever asks first', async (t) => {
  const { renew, clock } = await setUp(t);
  await using server = await startJsonServer({ 'GET /api.json': { status: 503 } });
  const known = await renew(server);
  assert.equal((await known.facts('anthropic', 'claude-opus-4-1'))?.source, 'catalogue');
  await renew(server);
  assert.equal(server.requests.length, 1, 'not at once');
  clock.time += 5 * 60_000 + 1;
  server.answer({ 'GET /api.json': { body: catalogue } });
  const later = await renew(server);
  assert.equal((await later.facts('anthropic', 'claude-next'))?.contextLength, 2_000_000);
});

test('nothing is fetched when it is switched off', async (t) => {
  const { renew } = await setUp(t);
  await using server = await serve();
  await renew(server, { enabled: false });
  assert.equal(server.requests.length, 0);
});

test('close ends a download that hangs and leaves no file behind', async (t) => {
  const { knowledge, home } = await setUp(t);
  const arrived = Promise.withResolvers<void>();
  await using server = await startJsonServer({
    'GET /api.json': () => {
      arrived.resolve();
      return { hang: true };
    },
  });
  const known = knowledge({ url: `${server.url}/api.json` });
  const refreshed = known.refresh(never);
  await arrived.promise;
  await known.close();
  await refreshed;
  const files = await readdir(home, { recursive: true });
  assert.deepEqual(
    files.filter((name) => name.endsWith('.json') || name.endsWith('.tmp') || name.endsWith('.tried')),
    [],
  );
  await known.refresh(never);
  assert.equal(server.requests.length, 1, 'a closed one fetches no more');
});

test('answers that are no catalogue are not kept', async (t) => {
  for (const body of ['<html>', '[]', '{}', '{"anthropic":{"models":[]}}', 'null', '"x"']) {
    const { renew, cachePath } = await setUp(t);
    await using server = await serve(body);
    await renew(server);
    await assert.rejects(stat(cachePath), { code: 'ENOENT' }, body);
  }
});

test('a download that is too long is given up', async (t) => {
  const { renew, cachePath } = await setUp(t);
  await using server = await serve(JSON.stringify(catalogue) + ' '.repeat(20 * 1024 * 1024));
  await renew(server);
  await assert.rejects(stat(cachePath), { code: 'ENOENT' });
});

test('damaged parts of the cache are passed over', async (t) => {
  const { knowledge, home } = await setUp(t);
  await mkdir(join(home, 'cache', 'models'), { recursive: true });
  const wrong = { models: { 'claude-opus-4-1': { cost: { input: 1, output: 1 } } } };
  const huge = JSON.stringify(wrong) + ' '.repeat(5 * 1024 * 1024);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  for (const text of ['', '{"models"', '{"models":[]}', '{"models":{"claude-opus-4-1":7}}', `{"models":${deep}}`]) {
    await writeFile(join(home, 'cache', 'models', 'anthropic.json'), text);
    const facts = await knowledge().facts('anthropic', 'claude-opus-4-1');
    assert.equal(facts?.price?.input, 15, text.slice(0, 40));
  }
  await writeFile(join(home, 'cache', 'models', 'anthropic.json'), huge);
  assert.equal((await knowledge().facts('anthropic', 'claude-opus-4-1'))?.price?.input, 15);
  await rm(join(home, 'cache', 'models', 'anthropic.json'));
  await mkdir(join(home, 'cache', 'models', 'anthropic.json'));
  assert.equal((await knowledge().facts('anthropic', 'claude-opus-4-1'))?.price?.input, 15);
});

test('a home that cannot be written to is no error', async (t) => {
  const { renew, home } = await setUp(t);
  await using server = await serve();
  await writeFile(join(home, 'cache'), 'a file where the directory should be');
  const known = await renew(server);
  assert.equal((await known.facts('anthropic', 'claude-opus-4-1'))?.source, 'catalogue');
});

test('a file with a time in the future does not stop the renewals', async (t) => {
  const { renew, cachePath, clock } = await setUp(t);
  await using server = await serve();
  await renew(server);
  const future = (clock.now() + 1000 * hour) / 1000;
  await utimes(cachePath, future, future);
  await renew(server);
  assert.equal(server.requests.length, 2);
});

test('wrong fields are left out, wrong entries do not spoil the others', () => {
  const text = `{
    "__proto__": {"models": {"evil": {"limit": {"context": 5000}}}},
    "../up": {"models": {"evil": {}}},
    "constructor": {"models": 7},
    "good": {"models": {
      "__proto__": {"limit": {"context": 6000}},
      "a": {"limit": {"context": "lots", "output": 10}, "cost": {"input": -1, "output": 1e99}, "reasoning": "yes"},
      "b": null, "c\\u001b[2J": {}, "d": {"modalities": 3, "limit": {"context": 1e400}, "tool_call": true}
    }}
  }`;
  const providers = new Map(providersIn(parseJson(text)));
  assert.deepEqual([...providers.keys()], ['good']);
  const models = providers.get('good');
  assert.deepEqual([...(models?.keys() ?? [])], ['a', 'd']);
  assert.equal(models?.get('a')?.limit?.output, 10);
  assert.equal(models?.get('a')?.limit?.context, undefined);
  assert.equal(models?.get('a')?.cost?.input, undefined);
  assert.equal(models?.get('d')?.tool_call, true);
  assert.equal(Object.hasOwn(Object.prototype, 'models'), false);
});

test('whatever JSON stands in a catalogue, reading it does not throw and gives only sound values', () => {
  const model = fc.oneof(
    fc.jsonValue(),
    fc.record({ limit: fc.jsonValue(), cost: fc.jsonValue(), reasoning: fc.jsonValue(), modalities: fc.jsonValue() }),
    fc.record({ limit: fc.record({ context: fc.jsonValue(), output: fc.jsonValue() }) }),
  );
  const provider = fc.oneof(fc.jsonValue(), fc.record({ models: fc.dictionary(fc.string(), model) }));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), provider)), (value) => {
      const providers = new Map(providersIn(parseJson(JSON.stringify(value))));
      for (const models of providers.values()) {
        for (const { limit } of models.values()) {
          for (const tokens of [limit?.context, limit?.output]) {
            assert.ok(tokens === undefined || (Number.isInteger(tokens) && tokens > 0));
          }
        }
      }
    }),
    { numRuns: 200 },
  );
});
