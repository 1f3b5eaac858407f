/** What becomes of an answer in Anthropic's format: text, thoughts, calls, stop reasons, counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signatureFor } from '../../../fakes/anthropic-rules.ts';
import { startAnthropicServer } from '../../../fakes/anthropic-server.ts';
import { namedEvent } from '../../../fakes/anthropic-steps.ts';
import { ask } from '../ask.ts';
import { claudeAt, claudeRequest } from './support.ts';

for (const stream of [true, false]) {
  const how = stream ? 'streamed' : 'whole';

  test(`text arrives (${how})`, async () => {
    await using server = await startAnthropicServer();
    server.enqueue({ text: 'Grüße, 世界 👋 — and more than one piece.' });
    const { text, done } = await ask(claudeAt(server.url), claudeRequest({ stream }));
    assert.equal(text, 'Grüße, 世界 👋 — and more than one piece.');
    assert.deepEqual(done.message, { role: 'assistant', content: text, finish_reason: 'stop' });
    assert.equal(done.stopReason, 'stop');
    assert.equal(server.lastRequest.path, '/v1/messages');
    assert.equal(server.lastRequest.body.stream, stream ? true : undefined);
    assert.deepEqual(server.violations, []);
  });

  test(`thoughts, text and parallel calls arrive (${how})`, async () => {
    await using server = await startAnthropicServer();
    server.enqueue({
      reasoning: 'Two files to read.',
      text: 'Reading both.',
      toolCalls: [
        { name: 'read_file', arguments: { path: 'a' } },
        { name: 'read_file', arguments: { path: 'b' } },
      ],
    });
    const { events, text, reasoning, done } = await ask(claudeAt(server.url), claudeRequest({ stream }));
    assert.equal(text, 'Reading both.');
    assert.equal(reasoning, 'Two files to read.');
    assert.deepEqual(
      events.filter((event) => event.type === 'tool_call_started'),
      [
        { type: 'tool_call_started', index: 0, name: 'read_file' },
        { type: 'tool_call_started', index: 1, name: 'read_file' },
      ],
    );
    assert.equal(done.stopReason, 'tool_calls');
    assert.deepEqual(done.message, {
      role: 'assistant',
      content: 'Reading both.',
      tool_calls: [
        { id: 'toolu_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
        { id: 'toolu_2', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } },
      ],
      reasoning: 'Two files to read.',
      reasoning_details: [
        { type: 'thinking', thinking: 'Two files to read.', signature: signatureFor('Two files to read.') },
      ],
      finish_reason: 'tool_calls',
    });
  });

  test(`text blocks are joined with a line break, in the events as in the message (${how})`, async () => {
    await using server = await startAnthropicServer();
    server.enqueue({
      blocks: [
        { type: 'text', text: 'One.' },
        { type: 'text', text: '' },
        { type: 'text', text: 'Two.' },
      ],
    });
    const { text, done } = await ask(claudeAt(server.url), claudeRequest({ stream }));
    assert.equal(text, 'One.\nTwo.');
    assert.equal(done.message.content, 'One.\nTwo.');
  });

  test(`text behind a call is kept but not shown (${how})`, async () => {
    await using server = await startAnthropicServer();
    server.enqueue({
      blocks: [
        { type: 'text', text: 'Before.' },
        { type: 'tool_use', name: 'terminal', input: {} },
        { type: 'text', text: 'Behind.' },
      ],
    });
    const { text, done } = await ask(claudeAt(server.url), claudeRequest({ stream }));
    assert.equal(text, 'Before.');
    assert.equal(done.message.content, 'Before.\nBehind.');
  });

  test(`tokens are counted, cached ones apart (${how})`, async () => {
    await using server = await startAnthropicServer();
    server.enqueue({
      text: 'x',
      usage: {
        input_tokens: 20,
        cache_read_input_tokens: 3000,
        cache_creation_input_tokens: 400,
        output_tokens: 50,
        output_tokens_details: { thinking_tokens: 30 },
      },
    });
    const { done } = await ask(claudeAt(server.url), claudeRequest({ stream }));
    assert.deepEqual(done.usage, { input: 20, output: 50, cacheRead: 3000, cacheWrite: 400, reasoning: 30 });
  });
}

test('counts of the beginning hold when the end reports the output only', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({
    raw: [
      'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":9,"output_tokens":1}}}\n\n',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":null,"output_tokens":4}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ],
  });
  const { done } = await ask(claudeAt(server.url), claudeRequest());
  assert.deepEqual(done.usage, { input: 7, output: 4, cacheRead: 9, cacheWrite: 0, reasoning: 0 });
});

test('an answer without counts has no usage', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ text: 'x', usage: false, format: 'json' });
  const { done } = await ask(claudeAt(server.url), claudeRequest());
  assert.equal(done.usage, undefined);
});

const stops = [
  ['end_turn', 'stop', 'stop'],
  ['stop_sequence', 'stop', 'stop'],
  ['max_tokens', 'length', 'length'],
  ['model_context_window_exceeded', 'length', 'length'],
  ['pause_turn', 'length', 'length'],
  ['refusal', 'content_filter', 'content_filter'],
  ['something_new', 'other', 'something_new'],
] as const;
for (const [word, stopReason, finishReason] of stops) {
  test(`stop reason ${word} is ${stopReason}`, async () => {
    await using server = await startAnthropicServer();
    server.enqueue({ text: 'x', finishReason: word }, { text: 'x', finishReason: word });
    for (const stream of [true, false]) {
      const { done } = await ask(claudeAt(server.url), claudeRequest({ stream }));
      assert.equal(done.stopReason, stopReason);
      assert.equal(done.message.finish_reason, finishReason);
    }
  });
}

test('why Claude refuses is passed on', async () => {
  await using server = await startAnthropicServer();
  const stop = {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: 'cyber', explanation: 'Too risky.' },
  };
  server.enqueue({
    raw: [
      namedEvent({ type: 'message_start', message: { role: 'assistant' } }),
      namedEvent({ type: 'message_delta', delta: stop }),
      namedEvent({ type: 'message_stop' }),
    ],
  });
  const { done } = await ask(claudeAt(server.url), claudeRequest());
  assert.deepEqual([done.stopReason, done.stopDetail], ['content_filter', 'cyber: Too risky.']);
});

test('calls count although the server says that the turn ended', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ toolCalls: [{ name: 'terminal' }], finishReason: 'end_turn' });
  const { done } = await ask(claudeAt(server.url), claudeRequest());
  assert.equal(done.stopReason, 'tool_calls');
  assert.equal(done.message.tool_calls?.[0]?.function.arguments, '{}');
});

test('arguments that were cut off stay as they were written', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ toolCalls: [{ name: 'terminal', arguments: '{"command":"rm -' }], finishReason: 'max_tokens' });
  const { done } = await ask(claudeAt(server.url), claudeRequest());
  assert.equal(done.stopReason, 'length');
  assert.equal(done.message.tool_calls?.[0]?.function.arguments, '{"command":"rm -');
});

test('a redacted thought is kept, an unsigned one is shown only', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({
    blocks: [
      { type: 'redacted_thinking', data: 'b3BhcXVl' },
      { type: 'thinking', thinking: 'Unsigned.', signature: '' },
      { type: 'text', text: 'Done.' },
    ],
  });
  const { reasoning, done } = await ask(claudeAt(server.url), claudeRequest());
  assert.equal(reasoning, 'Unsigned.');
  assert.deepEqual(done.message.reasoning_details, [{ type: 'redacted_thinking', data: 'b3BhcXVl' }]);
});

test('inline thinking of a model behind this format is no part of the shown answer', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ text: '<think>Hm.</think>Yes.' });
  const { text, reasoning, done } = await ask(claudeAt(server.url), claudeRequest());
  assert.equal(text, 'Yes.');
  assert.equal(reasoning, 'Hm.');
  assert.equal(done.message.content, '<think>Hm.</think>Yes.');
  assert.equal(done.message.reasoning, 'Hm.');
});

test('an endpoint that answers whole although asked to stream is understood', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ text: 'Whole.', toolCalls: [{ name: 'terminal', arguments: { a: 1 } }], format: 'json' });
  const { text, done } = await ask(claudeAt(server.url), claudeRequest({ stream: true }));
  assert.equal(text, 'Whole.');
  assert.equal(done.message.tool_calls?.[0]?.function.arguments, '{"a":1}');
});

test('a stream that ends behind the stop reason, without message_stop, is complete', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ text: 'All of it.', done: false });
  const { text, done } = await ask(claudeAt(server.url), claudeRequest());
  assert.equal(text, 'All of it.');
  assert.equal(done.stopReason, 'stop');
});

test('blocks of tools that run at the service are passed over', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({
    blocks: [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'text', text: 'Found.' },
    ],
  });
  const { done } = await ask(claudeAt(server.url), claudeRequest());
  assert.deepEqual(done.message, { role: 'assistant', content: 'Found.', finish_reason: 'stop' });
});

test('a server that does not say that a block begins is understood', async () => {
  await using server = await startAnthropicServer();
  const delta = (fields: object) => `data: ${JSON.stringify({ type: 'content_block_delta', ...fields })}\n\n`;
  server.enqueue({
    raw: [
      delta({ index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
      delta({ index: 1, delta: { type: 'text_delta', text: 'Ye' } }),
      delta({ index: 1, delta: { type: 'text_delta', text: 's.' } }),
      'data: {"type":"message_stop"}\n\n',
    ],
  });
  const { text, reasoning } = await ask(claudeAt(server.url), claudeRequest());
  assert.equal(text, 'Yes.');
  assert.equal(reasoning, 'Hm.');
});

test('empty and repeated call ids are replaced', async () => {
  await using server = await startAnthropicServer();
  const ids = ['same', 'same', ''];
  server.enqueue({ toolCalls: ids.map((id) => ({ id, name: 'terminal' })) });
  const { done } = await ask(claudeAt(server.url), claudeRequest());
  const given = (done.message.tool_calls ?? []).map(({ id }) => id);
  assert.equal(given[0], 'same');
  assert.equal(new Set(given).size, 3);
  assert.ok(!given.includes(''));
});
