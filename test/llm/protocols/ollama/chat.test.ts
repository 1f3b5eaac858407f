/** Ollama's own format: what is sent, what is read, and how it ends when something goes wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { Protocol } from '../../../../src/llm/protocol.ts';
import { OllamaChat } from '../../../../src/llm/protocols/ollama/chat.ts';
import { startModelServer } from '../../../fakes/model-server.ts';
import { startOllamaServer } from '../../../fakes/ollama-server.ts';
import { ask, askInVain } from '../ask.ts';

const look = { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } };
const picture = 'data:image/png;base64,iVBORw0KGgo=';

function ollamaAt(url: string, endpoint: Partial<Endpoint> = {}): Protocol {
  return new OllamaChat({ provider: 'custom', baseUrl: `${url}/v1`, ...endpoint });
}

for (const stream of [true, false]) {
  test(`words, thoughts, calls and counts arrive (${stream ? 'streamed' : 'whole'})`, async () => {
    await using server = await startOllamaServer();
    server.enqueue({
      text: 'Hello 你好 👋',
      thinking: 'Let me see.',
      toolCalls: [{ name: 'look', arguments: { at: 'a' } }],
    });
    const { done, text, reasoning } = await ask(ollamaAt(server.url), { stream, tools: [look] });
    assert.deepEqual([text, reasoning, done.stopReason], ['Hello 你好 👋', 'Let me see.', 'tool_calls']);
    assert.deepEqual(done.message.tool_calls?.[0]?.function, { name: 'look', arguments: '{"at":"a"}' });
    assert.deepEqual([done.usage?.input, done.usage?.output], [26, 7]);
    assert.deepEqual(server.violations, []);
  });
}

test('the window, the limit, the effort and a whole history are sent in its own terms', async () => {
  await using server = await startOllamaServer();
  server.enqueue({ text: 'ok' });
  const protocol = ollamaAt(server.url, {
    contextLength: 32_768,
    extraBody: { keep_alive: '30m', options: { top_k: 10 } },
  });
  await ask(protocol, {
    maxTokens: 500,
    temperature: 0.1,
    reasoningEffort: 'none',
    tools: [look],
    messages: [
      { role: 'system', content: 'Be good.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: picture } },
        ],
      },
      {
        role: 'assistant',
        content: '<think>hm</think>',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', tool_name: 'look', content: 'a cat' },
      { role: 'user', content: 'And?' },
    ],
  });
  const [request] = server.requests;
  const { options, think, keep_alive: kept } = request?.body ?? {};
  assert.deepEqual(options, { num_ctx: 32_768, num_predict: 500, temperature: 0.1, top_k: 10 });
  assert.deepEqual([think, kept], [false, '30m']);
  assert.deepEqual(request?.messages, [
    { role: 'system', content: 'Be good.' },
    { role: 'user', content: 'What is it?', images: ['iVBORw0KGgo='] },
    {
      role: 'assistant',
      content: '',
      thinking: 'hm',
      tool_calls: [{ id: 'c1', function: { name: 'look', arguments: { at: 1 } } }],
    },
    { role: 'tool', content: 'a cat', tool_name: 'look', tool_call_id: 'c1' },
    { role: 'user', content: 'And?' },
  ]);
  assert.deepEqual(server.violations, []);
});

test('a model that cannot think or call tools is asked without, and that is remembered', async () => {
  await using server = await startOllamaServer();
  server.enqueue(
    { error: { status: 400, message: '"smollm2" does not support thinking' } },
    { error: { status: 400, message: 'registry.ollama.ai/library/smollm2 does not support tools' } },
    { text: 'one' },
    { text: 'two' },
  );
  const protocol = ollamaAt(server.url);
  const request = { model: 'smollm2', reasoningEffort: 'high', tools: [look] } as const;
  assert.equal((await ask(protocol, request)).text, 'one');
  assert.equal((await ask(protocol, request)).text, 'two');
  const sent = server.requests.map(({ body }) => ['think' in body, 'tools' in body]);
  assert.deepEqual(sent, [
    [true, true],
    [false, true],
    [false, false],
    [false, false],
  ]);
});

test('what goes wrong is one error, and what had come is kept', async () => {
  await using server = await startOllamaServer();
  const protocol = ollamaAt(server.url);
  server.enqueue({ error: { status: 404, message: "model 'nope' not found" } });
  assert.equal((await askInVain(protocol)).error.kind, 'not_found');
  server.enqueue({ text: 'Half', done: false });
  const torn = await askInVain(protocol);
  assert.deepEqual([torn.error.kind, torn.events], ['network', [{ type: 'text', text: 'Half' }]]);
  server.enqueue({ text: 'Half', error: { status: 500, message: 'llama runner process has terminated' } });
  const broken = await askInVain(protocol);
  assert.deepEqual([broken.error.kind, broken.events], ['overloaded', [{ type: 'text', text: 'Half' }]]);
  assert.match(broken.error.message, /llama runner process has terminated/);
  server.enqueue({ text: 'So much', doneReason: 'length' });
  assert.equal((await ask(protocol)).done.stopReason, 'length');
  assert.equal(server.requests.length, 4);
});

test('a server at its address that is not Ollama is spoken to in chat completions', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'from another' }) });
  const protocol = ollamaAt(server.url.replace(/\/v1$/, ''));
  assert.equal((await ask(protocol)).text, 'from another');
  assert.equal((await ask(protocol)).text, 'from another');
});
