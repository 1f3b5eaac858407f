/** How a conversation with Bedrock ends when something is refused, breaks off or is interrupted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../../../src/llm/message.ts';
import { BedrockConverse } from '../../../../src/llm/protocols/bedrock/converse.ts';
import { delta, messageStart, messageStop, startBedrockServer } from '../../../fakes/bedrock-server.ts';
import { ask, askInVain, requestOf } from '../ask.ts';
import { bedrockAt, claude, said, weather } from './bedrock-at.ts';

for (const [status, type, message, kind] of [
  [429, 'ThrottlingException', 'Too many tokens, please wait before trying again.', 'rate_limit'],
  [400, 'ValidationException', 'Input is too long for requested model.', 'context_overflow'],
  [400, 'ValidationException', 'The provided model identifier is invalid.', 'not_found'],
  [400, 'ValidationException', 'Invocation of model ID x with on-demand throughput isn’t supported.', 'not_found'],
  [400, 'ValidationException', 'The model is unsupported for streaming.', 'stream_unsupported'],
  [400, 'ValidationException', 'messages.0.content: field required', 'bad_request'],
  [403, 'AccessDeniedException', 'You do not have access to the model.', 'auth'],
  [403, 'ExpiredTokenException', 'The security token included in the request is expired', 'auth'],
  [404, 'ResourceNotFoundException', 'Could not resolve the foundation model', 'not_found'],
  [408, 'ModelTimeoutException', 'Timed out', 'timeout'],
  [424, 'ModelErrorException', 'The model failed', 'overloaded'],
  [500, 'InternalServerException', 'Oops', 'overloaded'],
  [413, 'SomethingNewException', 'Payload too large', 'payload_too_large'],
] as const) {
  test(`${type} "${message}" is told as ${kind}, after one request`, async () => {
    await using server = await startBedrockServer();
    server.enqueue({ status, type, message });
    const { error } = await askInVain(bedrockAt(server.url), { model: claude });
    assert.equal(error.kind, kind, error.message);
    assert.equal(error.status, status);
    assert.ok(error.message.includes(message.slice(0, 25)), error.message);
    assert.equal(server.requests.length, 1);
    assert.deepEqual(server.violations, []);
  });
}

test('an exception in the middle of a stream, and a stream that breaks off, are one error', async () => {
  await using server = await startBedrockServer();
  const begun = [messageStart, delta(0, { text: 'Hel' })];
  server.enqueue(
    { events: [...begun, { type: 'modelStreamErrorException', data: { message: 'broken' }, exception: true }] },
    { events: [...begun, { type: 'throttlingException', data: { message: 'slow down' }, exception: true }] },
    { events: begun },
    { events: begun, cutOff: true },
    { events: [...begun, messageStop('malformed_tool_use')] },
  );
  const protocol = bedrockAt(server.url);
  const kinds: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const { error, events } = await askInVain(protocol, { model: claude });
    kinds.push(error.kind);
    assert.equal(events[0]?.type, 'text');
  }
  assert.deepEqual(kinds, ['overloaded', 'rate_limit', 'network', 'network', 'malformed']);
});

test('missing credentials are told with what to set', async () => {
  await using server = await startBedrockServer();
  const missing = async () => {
    throw Object.assign(new Error('Could not load credentials from any providers'), {
      name: 'CredentialsProviderError',
    });
  };
  const { error } = await askInVain(new BedrockConverse({ provider: 'bedrock', baseUrl: server.url }, missing), {
    model: claude,
  });
  assert.equal(error.kind, 'auth');
  assert.match(error.message, /AWS_PROFILE.*aws sso login/);
  assert.equal(server.requests.length, 0);
});

test('an interrupted request is aborted: while it waits for credentials, and while it is answered', async () => {
  await using server = await startBedrockServer();
  const early = new AbortController();
  const never = () => {
    queueMicrotask(() => early.abort());
    return new Promise<never>(() => undefined);
  };
  const waiting = new BedrockConverse({ provider: 'bedrock', baseUrl: server.url }, never);
  assert.equal((await askInVain(waiting, { model: claude }, early.signal)).error.kind, 'aborted');
  assert.equal((await askInVain(bedrockAt(server.url), { model: claude }, AbortSignal.abort())).error.kind, 'aborted');
  assert.equal(server.requests.length, 0);

  const hold = Promise.withResolvers<void>();
  server.enqueue({ events: [messageStart, delta(0, { text: 'Hel' })], hold: hold.promise });
  const controller = new AbortController();
  await assert.rejects(
    async () => {
      for await (const event of bedrockAt(server.url).stream(requestOf({ model: claude }), controller.signal))
        if (event.type === 'text') controller.abort();
    },
    { name: 'ModelError', kind: 'aborted' },
  );
  await server.abandoned;
  hold.resolve();
});

test('a silent answer ends at its time limit, and a server that is not there is a network failure', async () => {
  const gone = await startBedrockServer();
  await using server = await startBedrockServer();
  const hold = Promise.withResolvers<void>();
  server.enqueue({ events: [messageStart], hold: hold.promise });
  const { error } = await askInVain(bedrockAt(server.url, { timeouts: { readMs: 40 } }), { model: claude });
  assert.equal(error.kind, 'timeout');
  hold.resolve();
  await gone[Symbol.asyncDispose]();
  assert.equal((await askInVain(bedrockAt(gone.url), { model: claude })).error.kind, 'network');
});

test('a reader that stops early closes the connection', async () => {
  await using server = await startBedrockServer();
  const hold = Promise.withResolvers<void>();
  server.enqueue({ events: [messageStart, delta(0, { text: 'Hel' })], hold: hold.promise });
  for await (const event of bedrockAt(server.url).stream(requestOf({ model: claude }), new AbortController().signal)) {
    assert.equal(event.type, 'text');
    break;
  }
  await server.abandoned;
  hold.resolve();
});

test('thoughts that are refused are left out, once and for all', async () => {
  await using server = await startBedrockServer();
  const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  server.enqueue({ status: 400, type: 'ValidationException', message }, said('one'), said('two'));
  const messages: Message[] = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: 'y', reasoning_details: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }] },
    { role: 'user', content: 'z' },
  ];
  const protocol = bedrockAt(server.url);
  const tools = [weather];
  assert.equal((await ask(protocol, { model: claude, messages, tools })).text, 'one');
  assert.equal((await ask(protocol, { model: claude, messages, tools })).text, 'two');
  const replayed = server.requests.map(({ body }) => JSON.stringify(body).includes('reasoningContent'));
  assert.deepEqual(replayed, [true, false, false]);
});
