import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LearnedLengths } from '../../../src/models/knowledge/learned-lengths.ts';
import { listedWindow } from '../../../src/models/knowledge/listed-window.ts';
import { ContextProbe, probeContextLength } from '../../../src/models/knowledge/probe-context.ts';
import { type JsonRequest, type Routes, startJsonServer } from '../../fakes/json-server.ts';
import { keyOf } from '../../llm/protocols/ask.ts';

/** LM Studio's answer to `/api/v1/models`, two models, one of them loaded. */
const lmStudio: Routes = {
  'GET /api/v1/models': {
    body: {
      models: [
        { type: 'llm', key: 'qwen/qwen3-8b', max_context_length: 131_072, loaded_instances: [] },
        {
          type: 'llm',
          key: 'openai/gpt-oss-20b',
          max_context_length: 131_072,
          loaded_instances: [{ id: 'openai/gpt-oss-20b', config: { context_length: 65_536 } }],
        },
      ],
    },
  },
  'GET /v1/models': { body: { data: [{ id: 'openai/gpt-oss-20b' }, { id: 'qwen/qwen3-8b' }] } },
};

function ollama(parameters: string | undefined): Routes {
  return {
    'GET /api/tags': { body: { models: [{ name: 'qwen3:8b', model: 'qwen3:8b' }] } },
    'POST /api/show': ({ body }: JsonRequest) =>
      JSON.parse(body).model === 'qwen3:8b'
        ? {
            body: {
              ...(parameters === undefined ? {} : { parameters }),
              model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960, 'qwen3.block_count': 36 },
            },
          }
        : { status: 404, body: { error: 'model not found' } },
    'GET /v1/models': { body: { data: [{ id: 'qwen3:8b' }] } },
  };
}

const llamaCpp: Routes = {
  'GET /props': { body: { default_generation_settings: { n_ctx: 70_000, params: {} }, total_slots: 1 } },
  'GET /v1/models': { body: { data: [{ id: 'model.gguf', meta: { n_ctx_train: 262_144 } }] } },
};

const vllm: Routes = {
  'GET /version': { body: { version: '0.11.0' } },
  'GET /v1/models': { body: { object: 'list', data: [{ id: 'meta/llama', object: 'model', max_model_len: 98_304 }] } },
};

const cases: readonly (readonly [string, Routes, string, number | undefined])[] = [
  ['LM Studio says how its loaded instance is set', lmStudio, 'gpt-oss-20b', 65_536],
  ['a model that LM Studio has not loaded gets 64K of what it could take', lmStudio, 'qwen/qwen3-8b', 65_536],
  [
    'an older LM Studio says it at its older address',
    {
      'GET /api/v0/models': {
        body: {
          data: [{ id: 'qwen3-8b', state: 'loaded', max_context_length: 131_072, loaded_context_length: 80_000 }],
        },
      },
    },
    'qwen3-8b',
    80_000,
  ],
  [
    'Ollama with num_ctx says that',
    ollama('temperature 0.6\nnum_ctx                        65536\nstop "<|end|>"'),
    'qwen3:8b',
    65_536,
  ],
  ['Ollama without num_ctx says what the model was made for', ollama(undefined), 'qwen3:8b', 40_960],
  ['Ollama knows nothing of a model it has not', ollama(undefined), 'other:1b', undefined],
  ['llama.cpp says what it was started with, not what its model was made for', llamaCpp, 'anything', 70_000],
  ['vLLM says it in its list', vllm, 'meta/llama', 98_304],
  [
    'a server that says nothing is not guessed at',
    { 'GET /v1/models': { body: { data: [{ id: 'a' }] } } },
    'a',
    undefined,
  ],
  ['a server that answers everything with a page is none of them', everything('<html>Hello</html>'), 'a', undefined],
  ['a server that answers everything with true is none of them', everything('true'), 'a', undefined],
];

function everything(body: string): Routes {
  const paths = [
    '/api/v1/models',
    '/api/v0/models',
    '/api/tags',
    '/props',
    '/v1/props',
    '/v1/models',
    '/models',
    '/version',
  ];
  return Object.fromEntries(paths.map((path) => [`GET ${path}`, { body }]));
}

for (const [name, routes, model, tokens] of cases) {
  test(name, async () => {
    await using server = await startJsonServer(routes);
    assert.equal(await probeContextLength({ baseUrl: `${server.url}/v1/`, model }), tokens);
  });
}

test('the key is sent to the server that was named, and none where none is needed', async () => {
  await using server = await startJsonServer(vllm);
  await probeContextLength({
    baseUrl: `${server.url}/v1`,
    model: 'meta/llama',
    authorizer: keyOf('secret-1', 'chat_completions'),
  });
  await probeContextLength({ baseUrl: `${server.url}/v1`, model: 'meta/llama' });
  const sent = new Set(server.requests.map(({ headers }) => headers.authorization));
  assert.deepEqual(sent, new Set(['Bearer secret-1', undefined]));
});

test('a redirect is not followed with the key', async () => {
  await using elsewhere = await startJsonServer(vllm);
  const location = `${elsewhere.url}/v1/models`;
  await using server = await startJsonServer({ 'GET /v1/models': { status: 302, headers: { location } } });
  assert.equal(
    await probeContextLength({
      baseUrl: `${server.url}/v1`,
      model: 'meta/llama',
      authorizer: keyOf('k', 'chat_completions'),
    }),
    undefined,
  );
  assert.equal(elsewhere.requests.length, 0);
});

test('a server that is not there or an address that is none is no error', async () => {
  assert.equal(await probeContextLength({ baseUrl: 'http://127.0.0.1:9/v1', model: 'a' }), undefined);
  assert.equal(await probeContextLength({ baseUrl: 'not an address', model: 'a' }), undefined);
});

test('whoever waits for a server that hangs can leave', async () => {
  await using server = await startJsonServer({ 'GET /v1/models': { hang: true }, 'GET /api/tags': { hang: true } });
  const leaving = new AbortController();
  const answer = probeContextLength({ baseUrl: `${server.url}/v1`, model: 'a', signal: leaving.signal });
  leaving.abort();
  assert.equal(await answer, undefined);
});

test('remote endpoints are asked for their list only; Anthropic with its headers', async () => {
  const asked: { url: string; key: string | null }[] = [];
  const answer: typeof fetch = (input, init) => {
    asked.push({ url: new Request(input).url, key: new Headers(init?.headers).get('x-api-key') });
    const data = [
      { id: 'claude-opus-4', max_input_tokens: 200_000 },
      { id: 'claude-opus-4-6', max_input_tokens: 1_000_000 },
    ];
    return Promise.resolve(Response.json({ data }));
  };
  const baseUrl = 'https://api.anthropic.com';
  const authorizer = keyOf('sk-ant-api03-x', 'anthropic_messages');
  const probe = (model: string) => probeContextLength({ baseUrl, model, authorizer, fetch: answer });
  assert.equal(await probe('claude-opus-4-6'), 1_000_000);
  assert.equal(await probe('claude-opus'), undefined);
  const one = { url: 'https://api.anthropic.com/v1/models?limit=1000', key: 'sk-ant-api03-x' };
  assert.deepEqual(asked, [one, one]);
});

test('a found window is remembered for five minutes, and kept on disk when an agent can work in it', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'probe-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const path = join(home, 'context_length_cache.yaml');
  const learned = new LearnedLengths(path);
  const clock = { time: 0, now: () => clock.time };
  await using server = await startJsonServer(ollama('num_ctx 8192'));
  const probing = new ContextProbe({ learned, clock });
  const probe = (...asked: Parameters<ContextProbe['ask']>) => probing.ask(...asked);
  const endpoint = { baseUrl: `${server.url}/v1`, model: 'qwen3:8b' };

  assert.equal(await probe(endpoint, undefined), 8192);
  assert.equal(await learned.get('qwen3:8b', endpoint.baseUrl), undefined, 'its owner is about to change it');
  server.answer(ollama('num_ctx 65536'));
  assert.equal(await probe(endpoint, undefined), 8192);
  clock.time += 5 * 60_000;
  assert.equal(await probe(endpoint, undefined), 65_536);
  assert.match(
    await readFile(path, 'utf8'),
    /^context_lengths:\n {2}.?qwen3:8b@http:\/\/127\.0\.0\.1:\d+\/v1.?: 65536\n$/,
  );
});

test('the window is found in the entry of the model, the only entry, or one with a similar name', () => {
  const data = [
    { id: 'a/one', context_length: 10_000 },
    { id: 'b/two', top_provider: { context_length: '131,072' } },
  ];
  assert.equal(listedWindow({ data }, 'a/one'), 10_000);
  assert.equal(listedWindow({ data }, 'two'), 131_072);
  assert.equal(listedWindow({ data }, 'three'), undefined);
  assert.equal(listedWindow({ data: data.slice(0, 1) }, 'three'), 10_000);
  assert.equal(listedWindow({ data: [{ id: 'x', n_ctx: 100, max_model_len: 99_999_999 }] }, 'x'), undefined);
});

test('whatever JSON a server answers, the window is a possible one or nothing', () => {
  const entry = fc.record({ id: fc.constant('m'), context_length: fc.jsonValue(), meta: fc.jsonValue() });
  const answers = fc.oneof(fc.jsonValue(), fc.record({ data: fc.oneof(fc.array(entry), fc.jsonValue()) }));
  fc.assert(
    fc.property(answers, (answer) => {
      const tokens = listedWindow(JSON.parse(JSON.stringify(answer)), 'm');
      assert.ok(tokens === undefined || (tokens >= 1024 && tokens <= 10_000_000));
    }),
  );
});
