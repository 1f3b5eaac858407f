/** Every way an Anthropic endpoint can fail ends in one ModelError of the right kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelErrorKind } from '../../../../src/llm/model-error.ts';
import { startAnthropicServer } from '../../../fakes/anthropic-server.ts';
import { anthropicEvents } from '../../../fakes/anthropic-steps.ts';
import { ask, askInVain, requestOf } from '../ask.ts';
import { claudeAt, claudeKey, claudeRequest } from './support.ts';

const statuses: readonly (readonly [number, string, string, ModelErrorKind])[] = [
  [400, 'invalid_request_error', 'messages: at least one message is required', 'bad_request'],
  [400, 'invalid_request_error', 'prompt is too long: 210000 tokens', 'context_overflow'],
  [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.', 'billing'],
  [401, 'authentication_error', 'invalid x-api-key', 'auth'],
  [403, 'permission_error', 'Your API key does not have permission to use the specified resource.', 'auth'],
  [404, 'not_found_error', 'model: claude-nothing', 'not_found'],
  [413, 'request_too_large', 'Request exceeds the maximum size', 'payload_too_large'],
  [429, 'rate_limit_error', 'This request would exceed your rate limit', 'rate_limit'],
  [500, 'api_error', 'Internal server error', 'overloaded'],
  [529, 'overloaded_error', 'Overloaded', 'overloaded'],
];
for (const [status, type, message, kind] of statuses) {
  test(`status ${status} with "${message}" is ${kind}`, async () => {
    await using server = await startAnthropicServer();
    const body = { type: 'error', error: { type, message } };
    server.enqueue({ fault: 'status', status, body, headers: { 'retry-after': '7' } });
    const { error } = await askInVain(claudeAt(server.url), claudeRequest());
    assert.equal(error.kind, kind);
    assert.equal(error.status, status);
    assert.equal(error.retryAfterMs, 7000);
    assert.ok(error.message.includes(message.slice(0, 40)), error.message);
    assert.equal(server.requests.length, 1);
  });
}

test('an error event in the middle of the answer is the error of its kind', async () => {
  await using server = await startAnthropicServer();
  server.enqueue(
    { fault: 'error_event', text: 'Half' },
    { fault: 'error_event', error: { type: 'rate_limit_error', message: 'Slow down' } },
    { fault: 'error_event', error: { type: 'invalid_request_error', message: 'No.' } },
  );
  const first = await askInVain(claudeAt(server.url), claudeRequest());
  assert.equal(first.error.kind, 'overloaded');
  assert.deepEqual(first.events, [{ type: 'text', text: 'Half' }]);
  assert.equal((await askInVain(claudeAt(server.url), claudeRequest())).error.kind, 'rate_limit');
  assert.equal((await askInVain(claudeAt(server.url), claudeRequest())).error.kind, 'bad_request');
});

test('an error in place of an answer, with status 200, is an error', async () => {
  await using server = await startAnthropicServer();
  server.enqueue(
    { fault: 'error_body', error: { type: 'overloaded_error', message: 'Overloaded' } },
    { raw: ['{"error":{"message":"quota exceeded, too many requests"}}'] },
    { raw: ['{"message":"Invalid API key"}'] },
  );
  const kinds = [];
  for (let turn = 0; turn < 3; turn += 1) {
    kinds.push((await askInVain(claudeAt(server.url), claudeRequest())).error.kind);
  }
  assert.deepEqual(kinds, ['overloaded', 'rate_limit', 'auth']);
});

test('a stream that ends without a stop reason is a broken connection', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ fault: 'close_after', text: 'Half' }, { fault: 'reset' }, { fault: 'close_before' }, { raw: [] });
  const { error, events } = await askInVain(claudeAt(server.url), claudeRequest());
  assert.equal(error.kind, 'network');
  assert.match(error.message, /in the middle of the answer/);
  assert.deepEqual(events, [{ type: 'text', text: 'Half' }]);
  for (let turn = 0; turn < 3; turn += 1) {
    assert.equal((await askInVain(claudeAt(server.url), claudeRequest())).error.kind, 'network');
  }
});

test('a page is no address of a model, and other nonsense is a malformed answer', async () => {
  await using server = await startAnthropicServer();
  server.enqueue(
    { fault: 'html', status: 200 },
    { fault: 'malformed_json' },
    { fault: 'garbage' },
    { raw: ['{"type":"completion","completion":"x"}'] },
    { raw: ['event: message_stop\ndata: {"type":"message_stop"}\n\n'] },
    { raw: ['[1,2]'] },
  );
  const kinds = [];
  for (let turn = 0; turn < 6; turn += 1) {
    kinds.push((await askInVain(claudeAt(server.url), claudeRequest())).error.kind);
  }
  assert.deepEqual(kinds, ['not_found', 'malformed', 'malformed', 'network', 'malformed', 'malformed']);
});

test('an interrupted request ends in one error of kind aborted', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ fault: 'hang_after', text: 'Half' });
  const controller = new AbortController();
  const protocol = claudeAt(server.url);
  const request = requestOf({ model: 'claude-sonnet-4-5' });
  const events = protocol.stream(request, controller.signal)[Symbol.asyncIterator]();
  assert.deepEqual((await events.next()).value, { type: 'text', text: 'Half' });
  controller.abort();
  await assert.rejects(events.next(), { name: 'ModelError', kind: 'aborted' });
  assert.equal(await server.lastRequest.closed, true);
});

test('a request that waits for its answer can be interrupted', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ fault: 'hang' });
  const controller = new AbortController();
  const failed = askInVain(claudeAt(server.url), claudeRequest(), controller.signal);
  const request = await server.requestArrived(1);
  controller.abort();
  assert.equal((await failed).error.kind, 'aborted');
  assert.equal(await request.closed, true);
});

test('silence ends at the time limit', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ fault: 'hang_after' });
  const { error } = await askInVain(claudeAt(server.url, { timeouts: { staleMs: 40 } }), claudeRequest());
  assert.equal(error.kind, 'timeout');
});

test('no message names the key', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ fault: 'status', status: 401, body: { error: { message: `bad key ${claudeKey}` } } });
  const { error } = await askInVain(claudeAt(server.url), claudeRequest());
  assert.ok(!error.message.includes(claudeKey), error.message);
});

test('more blocks than any answer has are refused', async () => {
  await using server = await startAnthropicServer();
  const block = 'data: {"type":"content_block_start","content_block":{"type":"text","text":""}}\n\n';
  server.enqueue({ raw: [block.repeat(1100)] });
  const { error } = await askInVain(claudeAt(server.url), claudeRequest());
  assert.equal(error.kind, 'malformed');
});

test('a connection that breaks behind the stop reason does not spoil the answer', async () => {
  await using server = await startAnthropicServer();
  const events = anthropicEvents('m', { text: 'All of it.', done: false }, () => 'toolu_1', {});
  server.enqueue({
    chunks: (async function* () {
      yield events.join('');
      // Breaks the connection behind what was sent.
      await Promise.reject(new Error('the line is cut'));
    })(),
  });
  const { text, done } = await ask(claudeAt(server.url), claudeRequest());
  assert.equal(text, 'All of it.');
  assert.equal(done.stopReason, 'stop');
});

test('an interruption wins over an answer that has come', async () => {
  await using server = await startAnthropicServer();
  server.enqueue({ text: 'All of it.' });
  const controller = new AbortController();
  const request = requestOf({ model: 'claude-sonnet-4-5' });
  const events = claudeAt(server.url).stream(request, controller.signal)[Symbol.asyncIterator]();
  assert.equal((await events.next()).value?.type, 'text');
  controller.abort();
  await assert.rejects(
    async () => {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        assert.notEqual(next.value.type, 'done');
      }
    },
    { name: 'ModelError', kind: 'aborted' },
  );
});
