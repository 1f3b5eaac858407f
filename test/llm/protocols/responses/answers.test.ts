/** What the Responses API answers, streamed and whole, as the message and the events of the house. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReasoningEffort } from '../../../../src/llm/protocol.ts';
import { startResponsesServer } from '../../../fakes/responses-server.ts';
import { encryptedFor, messageItem, responsesEvent } from '../../../fakes/responses-steps.ts';
import { ask } from '../ask.ts';
import { responsesAt } from './support.ts';

for (const stream of [true, false]) {
  const how = stream ? 'streamed' : 'whole';

  test(`text with its reasoning, ${how}`, async () => {
    await using server = await startResponsesServer();
    server.enqueue({ reasoning: 'The user greets me.', text: 'Hello there, how are you?' });
    const { done, text, reasoning } = await ask(responsesAt(server.url), { stream });
    assert.equal(text, 'Hello there, how are you?');
    assert.equal(reasoning, 'The user greets me.');
    assert.equal(done.stopReason, 'stop');
    assert.deepEqual(done.message, {
      role: 'assistant',
      content: text,
      reasoning,
      codex_reasoning_items: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: reasoning }],
          encrypted_content: encryptedFor(reasoning),
        },
      ],
      codex_message_items: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text }],
          id: 'msg_2',
        },
      ],
      finish_reason: 'stop',
    });
    assert.deepEqual(server.violations, []);
  });

  test(`parallel calls in their order, ${how}`, async () => {
    await using server = await startResponsesServer();
    server.enqueue({
      text: 'Both.',
      toolCalls: [
        { id: 'call_a', name: 'read_file', arguments: { path: 'a' } },
        { id: 'call_b', name: 'terminal', arguments: '{"broken' },
      ],
    });
    const { done, events } = await ask(responsesAt(server.url), { stream });
    assert.equal(done.stopReason, 'tool_calls');
    assert.deepEqual(done.message.tool_calls, [
      { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
      { id: 'call_b', type: 'function', function: { name: 'terminal', arguments: '{"broken' } },
    ]);
    const started = events.filter((event) => event.type === 'tool_call_started');
    assert.deepEqual(started, [
      { type: 'tool_call_started', index: 0, name: 'read_file' },
      { type: 'tool_call_started', index: 1, name: 'terminal' },
    ]);
  });

  test(`why the model stopped, ${how}`, async () => {
    await using server = await startResponsesServer();
    const protocol = responsesAt(server.url);
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };
    const cut = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 't',
      arguments: '{"a',
      status: 'incomplete',
    };
    const whole = { ...cut, id: 'fc_2', call_id: 'call_2', arguments: '{}', status: 'completed' };
    const atLimit = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const filtered = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    const refusal = { ...messageItem('msg_1', ''), content: [{ type: 'refusal', refusal: 'I will not.' }] };
    const cases = [
      [{ items: [messageItem('msg_1', 'Done.')] }, 'stop', 'stop'],
      [{ items: [messageItem('msg_1', 'Done.', 'completed', 'final_answer')] }, 'stop', 'stop'],
      [{ items: [] }, 'stop', 'stop'],
      [{ items: [reasoning] }, 'other', 'incomplete'],
      [{ items: [reasoning, messageItem('msg_1', 'I look.', 'completed', 'commentary')] }, 'other', 'incomplete'],
      [{ items: [messageItem('msg_1', 'Half', 'in_progress')] }, 'other', 'incomplete'],
      [{ items: [cut] }, 'other', 'incomplete'],
      [{ items: [reasoning], response: { status: 'incomplete' } }, 'other', 'incomplete'],
      [{ items: [cut, whole] }, 'tool_calls', 'tool_calls'],
      [{ items: [messageItem('msg_1', 'Half', 'incomplete')], response: atLimit }, 'length', 'length'],
      [{ items: [reasoning], response: atLimit }, 'length', 'length'],
      [{ items: [cut], response: atLimit }, 'length', 'length'],
      [{ items: [messageItem('msg_1', 'Ha')], response: filtered }, 'content_filter', 'content_filter'],
      [{ items: [refusal] }, 'content_filter', 'content_filter'],
    ] as const;
    for (const [answer, stopReason, finishReason] of cases) {
      server.enqueue(answer);
      const { done } = await ask(protocol, { stream });
      assert.equal(done.stopReason, stopReason, JSON.stringify(answer));
      assert.equal(done.message.finish_reason, finishReason);
      assert.equal(done.stopDetail, 'items' in answer && answer.items[0] === refusal ? 'I will not.' : undefined);
    }
  });

  test(`usage tells cached and reasoning tokens apart, ${how}`, async () => {
    await using server = await startResponsesServer();
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 40 },
    };
    server.enqueue({ text: 'x', usage }, { text: 'x', usage: false });
    const { done } = await ask(responsesAt(server.url), { stream });
    assert.deepEqual(done.usage, { input: 30, output: 50, cacheRead: 60, cacheWrite: 10, reasoning: 40 });
    assert.equal((await ask(responsesAt(server.url), { stream })).done.usage, undefined);
  });

  test(`several messages and thoughts of one answer are set apart, ${how}`, async () => {
    await using server = await startResponsesServer();
    const thought = (id: string, ...texts: string[]) => ({
      type: 'reasoning',
      id,
      summary: texts.map((text) => ({ type: 'summary_text', text })),
      encrypted_content: `enc ${id}`,
    });
    server.enqueue({
      items: [
        thought('rs_1', 'One.', 'Two.'),
        messageItem('msg_1', 'I look.', 'completed', 'commentary'),
        thought('rs_2', 'Three.'),
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        messageItem('msg_2', 'Found.', 'completed', 'final_answer'),
      ],
    });
    const { done, text, reasoning } = await ask(responsesAt(server.url), { stream });
    assert.equal(text, 'I look.\nFound.');
    assert.equal(reasoning, 'One.\n\nTwo.\n\nThree.');
    assert.equal(done.message.content, text);
    assert.equal(done.message.reasoning, reasoning);
    assert.equal(done.stopReason, 'stop');
    const phases = (done.message.codex_message_items as { phase?: string }[]).map(({ phase }) => phase);
    assert.deepEqual(phases, ['commentary', 'final_answer']);
    assert.equal((done.message.codex_reasoning_items as object[]).length, 2);
  });

  test(`reasoning in full is shown where there is no summary, ${how}`, async () => {
    await using server = await startResponsesServer();
    const content = [{ type: 'reasoning_text', text: 'All of my thoughts.' }];
    server.enqueue({
      items: [{ type: 'reasoning', id: 'rs_1', summary: [], content }, messageItem('msg_1', 'Yes.')],
    });
    const { done, reasoning } = await ask(responsesAt(server.url), { stream });
    assert.equal(reasoning, 'All of my thoughts.');
    assert.equal(done.message.reasoning, reasoning);
    // Without its encrypted form it cannot go back.
    assert.equal(done.message.codex_reasoning_items, undefined);
  });

  test(`a custom tool is called with its text as an object, ${how}`, async () => {
    await using server = await startResponsesServer();
    const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'terminal', input: 'ls -l' };
    server.enqueue({ items: [custom] });
    const { done } = await ask(responsesAt(server.url), { stream });
    assert.equal(done.message.tool_calls?.[0]?.function.arguments, '{"input":"ls -l"}');
    assert.equal(done.message.tool_calls?.[0]?.id, 'call_1');
  });
}

test('calls without an id, or with one that is taken, get one of their own', async () => {
  await using server = await startResponsesServer();
  const named = { type: 'function_call', name: 'terminal', arguments: '{}', status: 'completed' };
  server.enqueue({ items: [{ ...named, call_id: 'call_1' }, { ...named, call_id: 'call_1' }, named] });
  const { done } = await ask(responsesAt(server.url));
  const ids = (done.message.tool_calls ?? []).map(({ id }) => id);
  assert.equal(new Set(ids).size, 3);
  assert.ok(ids.every((id) => id !== ''));
  assert.equal(ids[0], 'call_1');
});

test('the first words are passed on before the answer is complete', async () => {
  await using server = await startResponsesServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'Hello, and some more words.', gateAfterFirst: gate.promise });
  let text = '';
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' } as const], tools: [], stream: true };
  for await (const event of responsesAt(server.url).stream(request, new AbortController().signal)) {
    if (event.type !== 'text') continue;
    if (text === '') gate.resolve();
    text += event.text;
  }
  assert.equal(text, 'Hello, and some more words.');
});

test('a terminal event that repeats everything says nothing twice, and one that is alone says it all', async () => {
  await using server = await startResponsesServer();
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    messageItem('msg_1', 'Yes.'),
  ];
  server.enqueue({ raw: [responsesEvent({ type: 'response.completed', response: { status: 'completed', output } })] });
  const { text, reasoning, done } = await ask(responsesAt(server.url));
  assert.deepEqual([text, reasoning, done.message.content], ['Yes.', 'Hm.', 'Yes.']);
});

test('a whole answer that is wrapped like the last event of a stream is read', async () => {
  await using server = await startResponsesServer();
  const response = { status: 'completed', output: [messageItem('msg_1', 'Yes.')] };
  server.enqueue({ raw: [JSON.stringify({ type: 'response.completed', response })] });
  assert.equal((await ask(responsesAt(server.url), { stream: false })).text, 'Yes.');
});

test('items are told apart by their place where their ids change with every event', async () => {
  await using server = await startResponsesServer();
  const at = { output_index: 0, content_index: 0 };
  const message = (id: string, text: string) => ({ ...messageItem(id, text) });
  server.enqueue({
    raw: [
      { type: 'response.output_item.added', ...at, item: { ...message('a1', ''), content: [] } },
      { type: 'response.output_text.delta', ...at, item_id: 'a2', delta: 'Once ' },
      { type: 'response.output_text.delta', ...at, item_id: 'a3', delta: 'only.' },
      { type: 'response.output_item.done', ...at, item: message('a4', 'Once only.') },
      { type: 'response.completed', response: { status: 'completed', output: [message('a5', 'Once only.')] } },
    ].map(responsesEvent),
  });
  const { text, done } = await ask(responsesAt(server.url));
  assert.equal(text, 'Once only.');
  assert.equal(done.message.content, 'Once only.');
});

test('a final list that leaves items out, under other ids, says nothing twice', async () => {
  await using server = await startResponsesServer();
  const named = { type: 'function_call', name: 'terminal', call_id: 'call_1', arguments: '{}', status: 'completed' };
  const events = [
    { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'rs_1', summary: [] } },
    { type: 'response.output_item.done', output_index: 1, item: messageItem('msg_1', 'Yes.') },
    { type: 'response.output_item.done', output_index: 2, item: { ...named, id: 'fc_1' } },
    {
      type: 'response.completed',
      response: { status: 'completed', output: [messageItem('msg_x', 'Yes.'), { ...named, id: 'fc_x' }] },
    },
  ];
  server.enqueue({ raw: events.map(responsesEvent) });
  const { done } = await ask(responsesAt(server.url));
  assert.equal(done.message.content, 'Yes.');
  assert.equal(done.message.tool_calls?.length, 1);
});

test('items of a complete response are complete, where the service says so of none', async () => {
  await using server = await startResponsesServer();
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'terminal', arguments: '' };
  const at = { output_index: 0, item_id: 'fc_1' };
  server.enqueue({
    raw: [
      { type: 'response.output_item.added', ...at, item: { ...item, status: 'in_progress' } },
      { type: 'response.function_call_arguments.delta', ...at, delta: '{"a":1}' },
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    ].map(responsesEvent),
  });
  const { done } = await ask(responsesAt(server.url));
  assert.equal(done.stopReason, 'tool_calls');
  assert.equal(done.message.tool_calls?.[0]?.function.arguments, '{"a":1}');
});

test('reasoning that streams both in full and as a summary is shown once', async () => {
  await using server = await startResponsesServer();
  const at = { output_index: 0, item_id: 'rs_1' };
  server.enqueue({
    raw: [
      { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: 'In short.' },
      { type: 'response.reasoning_text.delta', ...at, content_index: 0, delta: 'At length.' },
      { type: 'response.completed', response: { status: 'completed', output: [messageItem('msg_1', 'Yes.')] } },
    ].map(responsesEvent),
  });
  const { reasoning, done } = await ask(responsesAt(server.url));
  assert.equal(reasoning, 'In short.');
  assert.equal(done.message.reasoning, 'In short.');
});

test('a call that the output limit cut is told from a thought that it cut', async () => {
  await using server = await startResponsesServer();
  const cut = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 't', arguments: '{"a', status: 'incomplete' };
  const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  server.enqueue({ items: [cut], response });
  const { done } = await ask(responsesAt(server.url));
  assert.equal(done.stopReason, 'length');
  assert.equal(done.message.tool_calls?.[0]?.function.arguments, '{"a');
});

test('text behind a call is kept in the message only', async () => {
  await using server = await startResponsesServer();
  const item = { type: 'function_call', call_id: 'call_1', id: 'fc_1', name: 'terminal', arguments: '{}' };
  server.enqueue({ items: [messageItem('msg_1', 'Before.'), item, messageItem('msg_2', 'After.')] });
  const { text, done } = await ask(responsesAt(server.url));
  assert.equal(text, 'Before.');
  assert.equal(done.message.content, 'Before.\nAfter.');
});

test('a stream that ends without a terminal event is asked for whole when nothing was passed on', async () => {
  await using server = await startResponsesServer();
  server.enqueue({ items: [], done: false }, { text: 'Here.' });
  const { text } = await ask(responsesAt(server.url));
  assert.equal(text, 'Here.');
  assert.deepEqual(
    server.requests.map(({ body }) => body.stream),
    [true, false],
  );
});

test('where only streams are spoken, whole answers are asked for as streams, and that is remembered', async () => {
  await using server = await startResponsesServer({ streamOnly: true, respond: () => ({ text: 'ok' }) });
  const protocol = responsesAt(server.url);
  assert.equal((await ask(protocol, { stream: false })).text, 'ok');
  assert.equal((await ask(protocol, { stream: false })).text, 'ok');
  assert.deepEqual(
    server.requests.map(({ body }) => body.stream),
    [false, true, true],
  );
});

test('an endpoint that streams although it was not asked to, or the other way round, is understood', async () => {
  await using server = await startResponsesServer();
  server.enqueue({ text: 'a', format: 'sse' }, { text: 'b', format: 'json' });
  const protocol = responsesAt(server.url);
  assert.equal((await ask(protocol, { stream: false })).text, 'a');
  assert.equal((await ask(protocol, { stream: true })).text, 'b');
});

test('thinking inside the text is reasoning, and the content keeps its tags', async () => {
  await using server = await startResponsesServer();
  server.enqueue({ text: '<think>Hm.</think>Yes.' });
  const { text, reasoning, done } = await ask(responsesAt(server.url), {
    reasoningEffort: 'none' satisfies ReasoningEffort,
  });
  assert.deepEqual([text, reasoning], ['Yes.', 'Hm.']);
  assert.equal(done.message.content, '<think>Hm.</think>Yes.');
});
