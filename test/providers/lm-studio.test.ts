/** LM Studio is told to load a model with a window that an agent can work in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelEvent } from '../../src/llm/protocol.ts';
import { type JsonAnswer, startJsonServer } from '../fakes/json-server.ts';
import { requestOf } from '../llm/protocols/ask.ts';
import { resolveRoute } from './sources.ts';

const model = 'qwen/qwen3-8b';
const answer: JsonAnswer = {
  body: {
    id: '1',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  },
};
const loaded = [{ id: model, config: { context_length: 8192 } }];

interface Case {
  readonly instances: readonly unknown[];
  readonly load?: JsonAnswer;
  readonly contextLength?: number;
}

/** The bodies of the requests to load, after two requests to the model. */
async function loadsOf({ instances, load = { body: { status: 'loaded' } }, contextLength }: Case) {
  await using server = await startJsonServer({
    'GET /api/v1/models': {
      body: { models: [{ type: 'llm', key: model, max_context_length: 131_072, loaded_instances: instances }] },
    },
    'POST /api/v1/models/load': load,
    'POST /v1/chat/completions': answer,
  });
  const settings = { provider: 'lmstudio', base_url: `${server.url}/v1` };
  const route = await resolveRoute(
    { model },
    contextLength === undefined ? settings : { ...settings, context_length: contextLength },
    {},
  );
  for (let count = 0; count < 2; count += 1) {
    const { signal } = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of route.protocol.stream(requestOf({ model, stream: false }), signal)) events.push(event);
    assert.equal(events.at(-1)?.type, 'done');
  }
  assert.equal(server.requests.filter(({ path }) => path === '/v1/chat/completions').length, 2);
  return server.requests.filter(({ path }) => path === '/api/v1/models/load').map(({ body }) => JSON.parse(body));
}

test('a model that is not loaded is loaded once, with 64K or what is configured', async () => {
  assert.deepEqual(await loadsOf({ instances: [] }), [{ model, context_length: 65_536 }]);
  assert.deepEqual(await loadsOf({ instances: [], contextLength: 100_000 }), [{ model, context_length: 100_000 }]);
  assert.deepEqual(await loadsOf({ instances: [], contextLength: 500_000 }), [{ model, context_length: 131_072 }]);
});

test('a model that its owner loaded stays as it is', async () => {
  assert.deepEqual(await loadsOf({ instances: loaded, contextLength: 100_000 }), []);
});

test('a server that refuses to load gets the request all the same', async () => {
  const refused = await loadsOf({ instances: [], load: { status: 500, body: { error: 'no memory' } } });
  assert.equal(refused.length, 1);
});
