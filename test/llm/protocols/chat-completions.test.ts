/** Answers in good order, in every form that servers choose. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { sseChunk, sseEvent } from '../../fakes/model-steps.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { ask, askInVain, protocolAt } from './ask.ts';

const tools = [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } }];

test('text, reasoning and usage stream in and arrive whole in done', async () => {
  await using server = await startModelServer();
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 7 },
  };
  server.enqueue({ reasoning: 'I should greet them properly.', text: 'Hello there, how are you today?', usage });
  const { done, text, reasoning } = await ask(protocolAt(server.url));
  assert.equal(text, 'Hello there, how are you today?');
  assert.equal(reasoning, 'I should greet them properly.');
  assert.deepEqual(done, {
    type: 'done',
    message: {
      role: 'assistant',
      content: 'Hello there, how are you today?',
      reasoning: 'I should greet them properly.',
      reasoning_content: 'I should greet them properly.',
      finish_reason: 'stop',
    },
    stopReason: 'stop',
    usage: { input: 30, output: 20, cacheRead: 60, cacheWrite: 10, reasoning: 7 },
  });
  assert.equal(server.lastRequest.headers.authorization, 'Bearer test-key-0123456789');
  assert.deepEqual(server.lastRequest.body['stream_options'], { include_usage: true });
  assert.ok(!('tools' in server.lastRequest.body) && !('max_tokens' in server.lastRequest.body));
});

test('a whole answer gives the same message as a streamed one', async () => {
  await using server = await startModelServer();
  const answer = {
    text: 'Reading <think>quietly</think> now.',
    reasoning: 'First the file.',
    reasoningField: 'reasoning_details',
    toolCalls: [{ id: 'c1', name: 'read_file', arguments: { path: 'ü.txt' }, extra_content: { google: { sig: 'x' } } }],
  } as const;
  server.enqueue(answer, { ...answer, format: 'json' }, answer, { ...answer, format: 'sse' });
  const protocol = protocolAt(server.url);
  const streamed = await ask(protocol, { tools });
  const jsonInstead = await ask(protocol, { tools });
  const whole = await ask(protocol, { tools, stream: false });
  const eventsInstead = await ask(protocol, { tools, stream: false });
  assert.deepEqual(streamed.done.message.tool_calls, [
    {
      id: 'c1',
      type: 'function',
      function: { name: 'read_file', arguments: '{"path":"ü.txt"}' },
      extra_content: { google: { sig: 'x' } },
    },
  ]);
  assert.equal(streamed.done.stopReason, 'tool_calls');
  for (const other of [jsonInstead, whole, eventsInstead]) {
    assert.deepEqual(other.done.message, streamed.done.message);
    assert.equal(other.text, streamed.text);
  }
  assert.equal(server.requests[2]?.body.stream, false);
});

test('a tool call is announced once with its name, and text behind it is not shown', async () => {
  await using server = await startModelServer();
  server.enqueue({
    raw: [
      sseChunk('m', { content: 'Let me look.' }),
      sseChunk('m', { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'read_file' } }] }),
      sseChunk('m', { content: ' Behind the call.' }),
      sseChunk('m', { tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
      sseChunk('m', { tool_calls: [{ index: 0, function: { arguments: '"x"}' } }] }),
      sseChunk('m', {}, 'tool_calls'),
      'data: [DONE]\n\n',
    ],
  });
  const { events, done, text } = await ask(protocolAt(server.url));
  assert.equal(text, 'Let me look.');
  assert.equal(done.message.content, 'Let me look. Behind the call.');
  assert.deepEqual(
    events.filter((event) => event.type === 'tool_call_started'),
    [{ type: 'tool_call_started', index: 0, name: 'read_file' }],
  );
  assert.equal(done.message.tool_calls?.[0]?.function.arguments, '{"path":"x"}');
});

test('calls that share index 0 are kept apart by their ids; empty and repeated ids are replaced', async () => {
  await using server = await startModelServer();
  const call = (id: string, path: string, index?: number) =>
    sseChunk('m', {
      tool_calls: [{ index, id, type: 'function', function: { name: 'f', arguments: `{"p":"${path}"}` } }],
    });
  server.enqueue(
    { raw: [call('a', '1', 0), call('b', '2', 0), sseChunk('m', {}, 'stop'), 'data: [DONE]\n\n'] },
    { raw: [call('', '1', 0), call('', '2', 0), call('', '3', 1), sseChunk('m', {}, 'tool_calls')] },
    {
      toolCalls: [
        { id: 'same', name: 'f' },
        { id: 'same', name: 'g' },
      ],
      format: 'json',
    },
  );
  const protocol = protocolAt(server.url);
  const reused = await ask(protocol);
  assert.deepEqual(
    reused.done.message.tool_calls?.map((item) => [item.id, item.function.arguments]),
    [
      ['a', '{"p":"1"}'],
      ['b', '{"p":"2"}'],
    ],
  );
  assert.equal(reused.done.stopReason, 'tool_calls');
  const nameless = (await ask(protocol)).done.message.tool_calls ?? [];
  assert.deepEqual(
    nameless.map((item) => item.function.arguments),
    ['{"p":"1"}', '{"p":"2"}', '{"p":"3"}'],
  );
  for (const item of nameless) assert.match(item.id, /^call_[0-9a-f]{12}$/);
  const [first, second] = (await ask(protocol)).done.message.tool_calls ?? [];
  assert.equal(first?.id, 'same');
  assert.match(second?.id ?? '', /^call_[0-9a-f]{12}$/);
});

test('inline thinking becomes reasoning and never shows, but the stored content keeps its tags', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: '<think>secret plan</think>\n\nThe answer is 4.', pieceChars: 3 });
  const { done, text, reasoning } = await ask(protocolAt(server.url));
  assert.equal(text, 'The answer is 4.');
  assert.equal(reasoning, 'secret plan');
  assert.equal(done.message.content, '<think>secret plan</think>\n\nThe answer is 4.');
  assert.equal(done.message.reasoning, 'secret plan');
});

test('servers that forget [DONE], the finish reason or usage are understood', async () => {
  await using server = await startModelServer();
  server.enqueue(
    { text: 'no done', done: false, usage: false },
    { text: 'no finish reason', finishReason: null },
    { text: 'odd finish', finishReason: 'because' },
    { text: 'cut', finishReason: 'length', toolCalls: [{ name: 'f', arguments: '{"a":' }] },
    { raw: [': keep-alive\n\n', sseChunk('m', { content: 'no blank line' }), sseChunk('m', {}, 'stop').trimEnd()] },
  );
  const protocol = protocolAt(server.url);
  const noDone = await ask(protocol);
  assert.equal(noDone.done.stopReason, 'stop');
  assert.ok(!('usage' in noDone.done));
  assert.equal((await ask(protocol)).done.stopReason, 'stop');
  const odd = await ask(protocol);
  assert.deepEqual([odd.done.stopReason, odd.done.message.finish_reason], ['other', 'because']);
  assert.equal((await ask(protocol)).done.stopReason, 'length');
  assert.equal((await ask(protocol)).done.stopReason, 'stop');
});

test('a finished answer does not wait for a connection that stays open', { timeout: 20_000 }, async () => {
  const never = new Promise<void>(() => {});
  await using server = await startModelServer();
  server.enqueue({ raw: [sseChunk('m', { content: 'all said' }, 'stop'), never] });
  assert.equal((await ask(protocolAt(server.url))).text, 'all said');
});

test('the refused name of the output limit is replaced once, and remembered', async () => {
  await using server = await startModelServer();
  const message =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  server.enqueue({ fault: 'status', status: 400, body: { error: { message } } }, { text: 'ok' }, { text: 'ok' });
  const protocol = protocolAt(server.url);
  await ask(protocol, { maxTokens: 50 });
  await ask(protocol, { maxTokens: 50 });
  assert.deepEqual(
    server.requests.map(({ body }) => [body['max_tokens'], body['max_completion_tokens']]),
    [
      [50, undefined],
      [undefined, 50],
      [undefined, 50],
    ],
  );
});

test('a server without stream_options is asked again without', async () => {
  await using server = await startModelServer();
  const body = { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] };
  server.enqueue({ fault: 'status', status: 422, body }, { text: 'ok' });
  assert.equal((await ask(protocolAt(server.url))).text, 'ok');
  assert.ok(!('stream_options' in (server.lastRequest.body ?? {})));
});

test('parts that an endpoint names in its refusals are left out one after the other, and stay out for that model', async () => {
  await using server = await startModelServer();
  const refuse = (message: string) => ({ fault: 'status', status: 400, body: { error: { message } } }) as const;
  server.enqueue(
    refuse('Invalid request: thinking and reasoning_effort cannot be used together'),
    refuse('Extra inputs are not permitted: messages.1.reasoning_content'),
    refuse("Unsupported value: 'temperature' does not support 0.2 with this model."),
    { text: 'ok' },
    { text: 'again' },
    refuse('messages[3].content must not be blank'),
  );
  const protocol = protocolAt(server.url, { quirks: { reasoning: 'deepseek' } });
  const request = {
    model: 'deepseek-v4-pro',
    temperature: 0.2,
    reasoningEffort: 'high',
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'hello', reasoning_content: 'hm' },
      { role: 'user', content: 'go on' },
    ],
  } as const;
  assert.equal((await ask(protocol, request)).text, 'ok');
  assert.equal((await ask(protocol, request)).text, 'again');
  assert.equal(server.requests.length, 5);
  const { body, rawBody } = server.lastRequest;
  assert.equal(body['reasoning_effort'], 'high');
  assert.ok(!('thinking' in body) && !('temperature' in body));
  assert.doesNotMatch(rawBody, /reasoning_content/);
  assert.equal((await askInVain(protocol, request)).error.kind, 'bad_request');
  assert.equal(server.requests.length, 6);
});

test('a character cut in half between two events is shown whole', async () => {
  await using server = await startModelServer();
  server.enqueue({
    raw: [
      'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"\\ude00b"}}]}\n\n',
      sseEvent({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
    ],
  });
  const { events, text, done } = await ask(protocolAt(server.url));
  assert.equal(text, 'a😀b');
  assert.equal(done.message.content, 'a😀b');
  for (const event of events) assert.ok(event.type !== 'text' || event.text.isWellFormed());
});

test('a finished answer leaves its connection to the server to end, so that it can serve again', async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer();
  server.enqueue({ raw: [sseChunk('m', { content: 'ok' }, 'stop'), 'data: [DONE]\n\n', gate.promise] });
  assert.equal((await ask(protocolAt(server.url))).text, 'ok');
  gate.resolve();
  assert.equal(await server.lastRequest.closed, false);
});

test('only the first choice counts, whatever stands beside it', async () => {
  await using server = await startModelServer();
  const chunk = (...choices: readonly object[]) => sseEvent({ choices });
  const first = (content: string) => ({ index: 0, delta: { content }, finish_reason: null });
  const second = (content: string) => ({ index: 1, delta: { content }, finish_reason: 'length' });
  server.enqueue({
    raw: [
      chunk(first('a'), second('X')),
      chunk(second('Y')),
      chunk(second('Z'), first('b')),
      chunk({ index: 0, delta: {}, finish_reason: 'stop' }),
    ],
  });
  const { text, done } = await ask(protocolAt(server.url));
  assert.deepEqual([text, done.message.content, done.stopReason], ['ab', 'ab', 'stop']);
});

test('what a content filter says about its reason is passed on', async () => {
  await using server = await startModelServer();
  const azure = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: true, severity: 'medium' } };
  const filtered = (more: object) => ({
    raw: [sseEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'content_filter', ...more }] })],
  });
  server.enqueue(
    filtered({ content_filter_results: azure }),
    filtered({ native_finish_reason: 'PROHIBITED_CONTENT' }),
    filtered({}),
  );
  const protocol = protocolAt(server.url);
  for (const stopDetail of ['violence: medium', 'PROHIBITED_CONTENT', undefined]) {
    const { done } = await ask(protocol);
    assert.deepEqual([done.stopReason, done.stopDetail], ['content_filter', stopDetail]);
  }
});

test('a kept connection that the server closes meanwhile costs nothing: the request goes out on a new one', async () => {
  let connections = 0;
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    requests += 1;
    // The second request of a connection finds it closed.
    if (requests === 2) return void incoming.socket.destroy();
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.end(`${sseChunk('m', { content: `answer ${requests}` }, 'stop')}data: [DONE]\n\n`);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const protocol = protocolAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    assert.equal((await ask(protocol)).text, 'answer 1');
    assert.equal((await ask(protocol)).text, 'answer 3');
    assert.deepEqual([connections, requests], [2, 3]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('one connection serves the requests that follow one another', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'one' }, { fault: 'status', status: 429 }, { text: 'two', format: 'json' }, { text: 'three' });
  const protocol = protocolAt(server.url);
  await ask(protocol);
  await askInVain(protocol);
  await ask(protocol, { stream: false });
  await ask(protocol);
  assert.equal(new Set(server.requests.map(({ clientPort }) => clientPort)).size, 1);
});
