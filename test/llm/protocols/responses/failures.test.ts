/** What goes wrong with a request to the Responses API, and the one error that comes of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantMessage } from '../../../../src/llm/message.ts';
import { type ResponsesStep, startResponsesServer } from '../../../fakes/responses-server.ts';
import { responsesEvent } from '../../../fakes/responses-steps.ts';
import { ask, askInVain } from '../ask.ts';
import { user } from '../short-forms.ts';
import { responsesAt } from './support.ts';

async function failureOf(step: ResponsesStep, stream = true) {
  await using server = await startResponsesServer();
  server.enqueue(step);
  return await askInVain(responsesAt(server.url), { stream });
}

const refusal = (message: string, code: string | null = null) => ({
  fault: 'status' as const,
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: null, code } },
});

test('statuses are told apart', async () => {
  const limited = await failureOf({ fault: 'status', status: 429, headers: { 'retry-after': '7' } });
  assert.equal(limited.error.kind, 'rate_limit');
  assert.equal(limited.error.retryAfterMs, 7000);
  const kinds = [
    [{ fault: 'status', status: 401 }, 'auth'],
    [{ fault: 'status', status: 500 }, 'overloaded'],
    [{ fault: 'status', status: 404 }, 'not_found'],
    [refusal('Your input exceeds the context window of this model.', 'context_length_exceeded'), 'context_overflow'],
    [refusal("Invalid 'input[3].call_id'."), 'bad_request'],
    [{ fault: 'html', status: 502 }, 'overloaded'],
    [{ fault: 'html', status: 200 }, 'not_found'],
    [{ fault: 'close_before' }, 'network'],
  ] as const;
  for (const [step, kind] of kinds) assert.equal((await failureOf(step)).error.kind, kind, JSON.stringify(step));
});

test('a wrong key is a failure of the key, and the key is in no message', async () => {
  await using server = await startResponsesServer({ apiKey: 'sk-right-0123456789' });
  const { error } = await askInVain(responsesAt(server.url));
  assert.equal(error.kind, 'auth');
  assert.ok(!error.message.includes('sk-test'));
});

test('status 200 with something else than an answer', async () => {
  const inBody = await failureOf({ fault: 'error_body', error: { code: 'rate_limit_exceeded', message: 'Too fast' } });
  assert.equal(inBody.error.kind, 'rate_limit');
  assert.match(inBody.error.message, /Too fast/);
  assert.equal((await failureOf({ fault: 'error_body', error: 'It failed' }, false)).error.kind, 'overloaded');
  assert.match((await failureOf({ raw: ['{"detail":"Not for you"}'] })).error.message, /Not for you/);
  assert.equal((await failureOf({ fault: 'empty_choices' })).error.kind, 'malformed');
  assert.equal((await failureOf({ raw: ['{"type":"message","content":[]}'] })).error.kind, 'malformed');
  const flat = '{"type":"error","code":"insufficient_quota","message":"No money"}';
  assert.equal((await failureOf({ raw: [flat] })).error.kind, 'billing');
  const chat = 'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"Hi"}}]}\n\n';
  assert.match((await failureOf({ raw: [chat] })).error.message, /chat-completions/);
  assert.equal((await failureOf({ fault: 'garbage' })).error.kind, 'malformed');
  assert.equal((await failureOf({ raw: [] })).error.kind, 'network');
});

test('an error event in the middle of the answer', async () => {
  const cases = [
    ['server_error', 'overloaded'],
    ['rate_limit_exceeded', 'rate_limit'],
    ['insufficient_quota', 'billing'],
    ['context_length_exceeded', 'context_overflow'],
    ['invalid_prompt', 'bad_request'],
    ['model_not_found', 'not_found'],
    ['invalid_api_key', 'auth'],
  ] as const;
  for (const [code, kind] of cases) {
    const { error, events } = await failureOf({ fault: 'error_event', error: { code, message: 'Told so' } });
    assert.equal(error.kind, kind, code);
    assert.match(error.message, /Told so/);
    assert.equal(events.length, 1);
  }
  const wrapped = { type: 'error', status: 429, error: { type: 'usage_limit_reached', message: 'Used up' } };
  assert.equal((await failureOf({ raw: [responsesEvent(wrapped)] })).error.kind, 'rate_limit');
});

for (const stream of [true, false]) {
  test(`a response that failed or was cancelled, ${stream ? 'streamed' : 'whole'}`, async () => {
    const error = { code: 'server_error', message: 'The model broke.' };
    const failed = await failureOf({ items: [], response: { status: 'failed', error } }, stream);
    assert.equal(failed.error.kind, 'overloaded');
    assert.match(failed.error.message, /The model broke/);
    const cancelled = await failureOf({ items: [], response: { status: 'cancelled' } }, stream);
    assert.match(cancelled.error.message, /cancelled/);
    const tooLong = { code: 'context_length_exceeded', message: 'Too long.' };
    const overflow = await failureOf({ items: [], response: { status: 'failed', error: tooLong } }, stream);
    assert.equal(overflow.error.kind, 'context_overflow');
  });
}

test('a connection that breaks is a network failure, and what was said before it is known', async () => {
  for (const fault of ['close_after', 'reset'] as const) {
    const { error, events } = await failureOf({ fault, text: 'Half an answer' });
    assert.equal(error.kind, 'network');
    if (fault === 'close_after') assert.deepEqual(events, [{ type: 'text', text: 'Half an answer' }]);
  }
  assert.equal((await failureOf({ fault: 'malformed_json' })).error.kind, 'malformed');
});

test('an endpoint whose streams never say how they end is one that cannot stream', async () => {
  await using server = await startResponsesServer();
  const protocol = responsesAt(server.url);
  const endless = { text: 'Hello', done: false };
  server.enqueue(endless, endless, { text: 'Hello' }, endless);
  assert.equal((await askInVain(protocol)).error.kind, 'network');
  assert.equal((await askInVain(protocol)).error.kind, 'stream_unsupported');
  assert.equal((await ask(protocol, { stream: false })).text, 'Hello');
  assert.equal((await askInVain(protocol)).error.kind, 'network');
});

test('a stream without an end is asked for again once, not for ever', async () => {
  await using server = await startResponsesServer();
  const silent = { items: [], done: false };
  server.enqueue(silent, { ...silent, format: 'sse' as const });
  assert.equal((await askInVain(responsesAt(server.url))).error.kind, 'network');
  assert.equal(server.requests.length, 2);
});

test('giving up ends the request at once', async () => {
  await using server = await startResponsesServer();
  server.enqueue({ fault: 'endless' });
  const controller = new AbortController();
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' } as const], tools: [], stream: true };
  const run = async () => {
    for await (const event of responsesAt(server.url).stream(request, controller.signal)) {
      if (event.type === 'text') controller.abort();
    }
  };
  await assert.rejects(run, { name: 'ModelError', kind: 'aborted' });
  assert.equal(await server.lastRequest.closed, true);
});

test('a reader that leaves takes the connection with it', async () => {
  await using server = await startResponsesServer();
  server.enqueue({ fault: 'endless' });
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' } as const], tools: [], stream: true };
  for await (const event of responsesAt(server.url).stream(request, new AbortController().signal)) {
    if (event.type === 'text') break;
  }
  assert.equal(await server.lastRequest.closed, true);
});

test('parts that a model refuses are left out, and that is remembered', async () => {
  const cases = [
    ["Unsupported parameter: 'max_output_tokens' is not supported.", 'max_output_tokens'],
    ["Unsupported parameter: 'temperature' is not supported with this model.", 'temperature'],
    ["Unknown parameter: 'prompt_cache_key'.", 'prompt_cache_key'],
    ["Unsupported parameter: 'service_tier'.", 'service_tier'],
    ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", 'reasoning'],
    ['Encrypted content is not supported with this model.', 'include'],
  ] as const;
  for (const [message, field] of cases) {
    await using server = await startResponsesServer({ respond: () => ({ text: 'ok' }) });
    server.enqueue(refusal(message));
    const protocol = responsesAt(server.url);
    const request = { maxTokens: 500, temperature: 1, sessionId: 's', priority: true };
    await ask(protocol, request);
    await ask(protocol, request);
    const left = server.requests.map(({ body }) => body[field]);
    assert.equal(left.length, 3, field);
    assert.ok(left[0] !== undefined);
    assert.ok([left[1], left[2]].every((value) => value === undefined || (Array.isArray(value) && value.length === 0)));
    await ask(protocol, { ...request, model: 'another' });
    assert.deepEqual(server.lastRequest.body[field], left[0]);
  }
});

test('a refusal that leaving out does not heal is the failure', async () => {
  const message = "Unsupported parameter: 'temperature' is not supported with this model.";
  await using server = await startResponsesServer({ respond: () => refusal(message) });
  const { error } = await askInVain(responsesAt(server.url), { temperature: 1 });
  assert.equal(error.kind, 'bad_request');
  assert.equal(server.requests.length, 2);
});

test('an endpoint that asks for a stream and gets one is not asked for ever', async () => {
  const message = 'Stream must be set to true';
  await using server = await startResponsesServer({ respond: () => refusal(message) });
  await askInVain(responsesAt(server.url));
  assert.equal(server.requests.length, 1);
});

test('an answer of thousands of items is no answer', async () => {
  const items = Array.from({ length: 1100 }, (_, index) => ({ type: 'reasoning', id: `rs_${index}`, summary: [] }));
  for (const stream of [true, false]) assert.equal((await failureOf({ items }, stream)).error.kind, 'malformed');
});

test('summaries that are only for verified organizations are not asked for again', async () => {
  await using server = await startResponsesServer({ respond: () => ({ text: 'ok' }) });
  server.enqueue(refusal('Your organization must be verified to generate reasoning summaries.'));
  await ask(responsesAt(server.url), { reasoningEffort: 'high' });
  assert.deepEqual(server.lastRequest.body['reasoning'], { effort: 'high' });
});

test('an effort that the model does not know becomes the nearest of those that it names', async () => {
  await using server = await startResponsesServer({ respond: () => ({ text: 'ok' }) });
  const message =
    "Unsupported value: 'xhigh' is not supported with the 'gpt-5' model. Supported values are: 'minimal', 'low', 'medium', and 'high'.";
  server.enqueue(refusal(message, 'unsupported_value'));
  const protocol = responsesAt(server.url);
  await ask(protocol, { reasoningEffort: 'xhigh' });
  assert.deepEqual(server.lastRequest.body['reasoning'], { effort: 'high', summary: 'auto' });
  await ask(protocol, { reasoningEffort: 'low' });
  assert.deepEqual(server.lastRequest.body['reasoning'], { effort: 'low', summary: 'auto' });
  assert.equal(server.requests.length, 3);
});

test('reasoning of another account is left out once it was refused, later reasoning is not', async () => {
  const said = (id: string): AssistantMessage => ({
    role: 'assistant',
    content: 'Yes.',
    codex_reasoning_items: [{ type: 'reasoning', id, summary: [], encrypted_content: `enc ${id}` }],
  });
  await using server = await startResponsesServer({ strict: true, respond: () => ({ text: 'ok' }) });
  server.enqueue(refusal('The encrypted content gAAA… could not be verified.', 'invalid_encrypted_content'));
  const protocol = responsesAt(server.url);
  const thoughts = () => server.lastRequest.body.input.filter(({ type }) => type === 'reasoning').map(({ id }) => id);
  await ask(protocol, { messages: [user('a'), said('rs_old'), user('b')] });
  assert.deepEqual(thoughts(), []);
  await ask(protocol, { messages: [user('a'), said('rs_old'), user('b'), said('rs_new'), user('c')] });
  assert.deepEqual(thoughts(), ['rs_new']);
  assert.equal(server.requests.length, 3);
});

test('a model without encrypted reasoning is asked for none, and given none', async () => {
  const said: AssistantMessage = {
    role: 'assistant',
    content: 'Yes.',
    codex_reasoning_items: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'abc' }],
  };
  await using server = await startResponsesServer({ strict: true, respond: () => ({ text: 'ok' }) });
  server.enqueue(refusal('Encrypted content is not supported with this model.'));
  await ask(responsesAt(server.url), { messages: [user('a'), said, user('b')] });
  assert.equal(server.requests.length, 2);
  assert.equal(server.lastRequest.body['include'], undefined);
  assert.deepEqual(server.lastRequest.body.input[1], { role: 'assistant', content: 'Yes.' });
});

test('ids of messages are left out when the service knows nothing of them', async () => {
  await using server = await startResponsesServer({ strict: true, respond: () => ({ text: 'ok' }) });
  server.enqueue(refusal("Item with id 'msg_1' not found. Items are not persisted when `store` is set to false."));
  const said: AssistantMessage = {
    role: 'assistant',
    content: 'Yes.',
    codex_message_items: [{ type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Yes.' }] }],
  };
  await ask(responsesAt(server.url), { messages: [user('a'), said, user('b')] });
  assert.deepEqual(server.lastRequest.body.input[1], { role: 'assistant', content: 'Yes.' });
});
