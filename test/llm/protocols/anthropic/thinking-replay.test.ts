/** Signed thoughts go back unchanged, in their places, and only where the API takes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../../../../src/lib/json.ts';
import type { AssistantMessage } from '../../../../src/llm/message.ts';
import type { ModelRequest } from '../../../../src/llm/protocol.ts';
import { signatureFor } from '../../../fakes/anthropic-rules.ts';
import { type AnthropicServer, type AnthropicStep, startAnthropicServer } from '../../../fakes/anthropic-server.ts';
import { ask, askInVain, requestOf } from '../ask.ts';
import { call, result, user } from '../short-forms.ts';
import { claudeAt } from './support.ts';

const adaptive: Partial<ModelRequest> = { model: 'claude-opus-4-6', reasoningEffort: 'medium' };
const thought = (thinking: string) => ({ type: 'thinking', thinking, signature: signatureFor(thinking) });

function thinker(details: JsonValue, overrides: Partial<AssistantMessage> = {}): AssistantMessage {
  return { role: 'assistant', content: 'Reading.', tool_calls: [call('a')], reasoning_details: details, ...overrides };
}

/** The assistant row of a request that follows one tool call. */
async function replayed(message: AssistantMessage, overrides: Partial<ModelRequest> = adaptive) {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  await ask(claudeAt(server.url), { messages: [user('go'), message, result('a')], ...overrides });
  assert.deepEqual(server.violations, []);
  return server.lastRequest.body.messages[1]?.content.map((block) => block['thinking'] ?? block['data'] ?? block.type);
}

/** Runs two steps: the answer to the first is sent back with a result for each of its calls. */
async function twoSteps(server: AnthropicServer, first: AnthropicStep, overrides: Partial<ModelRequest>) {
  server.enqueue(first, { text: 'ok' });
  const protocol = claudeAt(server.url);
  const { done } = await ask(protocol, { messages: [user('go')], ...overrides });
  const results = (done.message.tool_calls ?? []).map(({ id }) => result(id));
  await ask(protocol, { messages: [user('go'), done.message, ...results, user('more')], ...overrides });
  assert.deepEqual(server.violations, []);
  return server.lastRequest.body.messages[1]?.content;
}

test('signed and redacted thoughts go back in front, unchanged', async () => {
  await using server = await startAnthropicServer();
  const blocks = [
    thought('First.'),
    { type: 'redacted_thinking', data: 'b3BhcXVl' },
    { type: 'text', text: 'Reading.' },
    { type: 'tool_use', id: 'toolu_x', name: 'read_file', input: { path: 'a', deep: { list: [1, null] } } },
  ];
  assert.deepEqual(await twoSteps(server, { blocks }, adaptive), blocks);
});

test('thoughts between text and calls go back to their places', async () => {
  await using server = await startAnthropicServer();
  const blocks = [
    thought('First.'),
    { type: 'text', text: 'Line one\nline two.' },
    { type: 'text', text: 'Second text.' },
    thought('Second.'),
    { type: 'tool_use', id: 'toolu_x', name: 'read_file', input: { path: 'a' } },
    thought('Third.'),
    { type: 'tool_use', id: 'toolu_y', name: 'read_file', input: { path: 'b' } },
  ];
  assert.deepEqual(await twoSteps(server, { blocks }, adaptive), blocks);
});

test('thoughts whose text is withheld go back as they came', async () => {
  await using server = await startAnthropicServer();
  const blocks = [
    { type: 'thinking', thinking: '', signature: signatureFor('') },
    { type: 'text', text: 'Done.' },
  ];
  assert.deepEqual(await twoSteps(server, { blocks }, adaptive), blocks);
});

test('a message that was changed since has its thoughts in front', async () => {
  const places = [thought('A'), { type: 'text', length: 3 }, thought('B'), { type: 'tool_use' }];
  assert.deepEqual(await replayed(thinker(places, { content: 'Yes' })), ['A', 'text', 'B', 'tool_use']);
  assert.deepEqual(await replayed(thinker(places, { content: 'Changed' })), ['A', 'B', 'text', 'tool_use']);
  const withoutCall = thinker(places.slice(0, 3), { content: 'Yes' });
  assert.deepEqual(await replayed(withoutCall), ['A', 'B', 'text', 'tool_use']);
});

test('unsigned thoughts and reasoning of other providers are dropped', async () => {
  const foreign = [
    { type: 'thinking', thinking: 'unsigned' },
    { type: 'reasoning.text', text: 'foreign', signature: 'x' },
    { type: 'reasoning.encrypted', data: 'x' },
    'nonsense',
    null,
  ];
  assert.deepEqual(await replayed(thinker(foreign)), ['text', 'tool_use']);
  assert.deepEqual(await replayed(thinker('text', { reasoning_content: 'x' })), ['text', 'tool_use']);
});

test('thoughts stay at home when thinking is off', async () => {
  const message = thinker([thought('A')]);
  assert.deepEqual(await replayed(message, { ...adaptive, reasoningEffort: 'none' }), ['text', 'tool_use']);
  assert.deepEqual(await replayed(message, { model: 'claude-sonnet-4-5' }), ['text', 'tool_use']);
  assert.deepEqual(await replayed(message, { model: 'claude-opus-5-5' }), ['A', 'text', 'tool_use']);
});

test('a model with a budget does not begin to think in the middle of tool calls', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  const request = { model: 'claude-sonnet-4-5', reasoningEffort: 'high' } as const;
  const protocol = claudeAt(server.url);
  const foreign = thinker([]);
  await ask(protocol, { ...request, messages: [user('go'), foreign, result('a')] });
  assert.ok(!('thinking' in server.lastRequest.body));
  await ask(protocol, { ...request, messages: [user('go'), foreign, result('a'), thinker([]), user('next')] });
  await ask(protocol, { ...request, messages: [user('go'), thinker([thought('A')]), result('a')] });
  assert.ok('thinking' in server.lastRequest.body);
  assert.deepEqual(server.violations, []);
});

test('when it does not think for that reason, its earlier thoughts stay at home too', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  const foreign = thinker([], { tool_calls: [call('b')] });
  const messages = [user('go'), thinker([thought('A')]), result('a'), user('next'), foreign, result('b')];
  messages.splice(3, 0, { role: 'assistant', content: 'Done.' });
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-5', reasoningEffort: 'high', messages });
  assert.ok(!('thinking' in server.lastRequest.body));
  assert.ok(!server.lastRequest.rawBody.includes('"thinking"'));
  assert.deepEqual(server.violations, []);
});

test('thoughts that are refused are left out from then on, later ones are not', async () => {
  await using server = await startAnthropicServer();
  const message =
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
  server.enqueue(
    { fault: 'status', status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } },
    { text: 'ok' },
    { text: 'ok' },
  );
  const protocol = claudeAt(server.url);
  const messages = [user('go'), thinker([thought('Old.')]), result('a')];
  await ask(protocol, { ...adaptive, messages });
  assert.equal(server.requests.length, 2);
  const later = thinker([thought('New.')], { tool_calls: [call('b')] });
  await ask(protocol, { ...adaptive, messages: [...messages, later, result('b')] });
  assert.equal(server.requests.length, 3);
  assert.deepEqual(
    server.lastRequest.body.messages.flatMap((row) => row.content.flatMap((block) => block['thinking'] ?? [])),
    ['New.'],
  );
});

const refusals = [
  ['"thinking.type.adaptive" is not supported for this model. Use "output_config.effort".', 'thinking', adaptive],
  // litellm 1.106 about a model that is no Claude.
  [
    "litellm.UnsupportedParamsError: test-model doesn't support `reasoning.effort` (its model cost map entry lacks `supports_reasoning`).",
    'thinking',
    { model: 'minimax-m3', reasoningEffort: 'medium' },
  ],
  [
    "litellm.UnsupportedParamsError: openai does not support parameters: ['reasoning_effort'], for model=test-model.",
    'thinking',
    { model: 'glm-5', reasoningEffort: 'high' },
  ],
  ['This model does not support the effort parameter.', 'output_config', adaptive],
  ['`temperature` is deprecated for this model.', 'temperature', { model: 'claude-opus-4-6', temperature: 0.5 }],
  ['speed: fast mode is not available for this model', 'speed', { model: 'claude-opus-4-6', priority: true }],
] as const;
for (const [message, field, request] of refusals) {
  test(`a model that refuses ${field} is asked without it, once and for all: ${message.slice(0, 60)}`, async () => {
    await using server = await startAnthropicServer();
    const body = { type: 'error', error: { type: 'invalid_request_error', message } };
    server.enqueue({ fault: 'status', status: 400, body }, { text: 'ok' }, { text: 'ok' });
    const protocol = claudeAt(server.url);
    await ask(protocol, request);
    await ask(protocol, request);
    assert.deepEqual(
      server.requests.map((sent) => field in sent.body),
      [true, false, false],
    );
  });
}

test('what is left of the context window is used when the limit did not fit', async () => {
  await using server = await startAnthropicServer();
  const message = 'input length and `max_tokens` exceed context limit: 188240 + 64000 > 200000, decrease input length';
  const body = { type: 'error', error: { type: 'invalid_request_error', message: message.replace(/`/g, '') } };
  server.enqueue({ fault: 'status', status: 400, body }, { text: 'ok' });
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-5' });
  assert.equal(server.lastRequest.body.max_tokens, 200_000 - 188_240 - 1);
});

test('a limit that leaves no room for the budget switches thinking off', async () => {
  await using server = await startAnthropicServer();
  const message = 'input length and max_tokens exceed context limit: 180000 + 64000 > 200000';
  const body = { type: 'error', error: { type: 'invalid_request_error', message } };
  server.enqueue({ fault: 'status', status: 400, body }, { text: 'ok' });
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-5', reasoningEffort: 'xhigh' });
  assert.equal(server.lastRequest.body.max_tokens, 19_999);
  assert.deepEqual(server.violations, []);
});

test('an endpoint that refuses everything is not asked for ever', async () => {
  const message = 'cache_control, thinking, output_config, temperature and speed are not supported; invalid signature';
  const body = { type: 'error', error: { type: 'invalid_request_error', message } };
  await using server = await startAnthropicServer({ respond: () => ({ fault: 'status', status: 400, body }) });
  const messages = [user('go'), thinker([thought('A')]), result('a')];
  const { error } = await askInVain(claudeAt(server.url), { ...adaptive, messages, cacheTtl: '5m', priority: true });
  assert.equal(error.kind, 'bad_request');
  assert.ok(server.requests.length > 3 && server.requests.length < 8, `${server.requests.length} requests`);
});

test('a refusal that only mentions a field is no reason to ask again', async () => {
  const message =
    'temperature: 0.5 is what the weather is like; max_tokens must be greater than thinking.budget_tokens';
  const body = { type: 'error', error: { type: 'invalid_request_error', message } };
  await using server = await startAnthropicServer({ respond: () => ({ fault: 'status', status: 400, body }) });
  await askInVain(claudeAt(server.url), { ...adaptive, temperature: 0.5 });
  assert.equal(server.requests.length, 1);
});

test('a conversation that leaves hardly any room is too long', async () => {
  const message = 'input length and max_tokens exceed context limit: 199000 + 64000 over 200000'.replace('over', '>');
  const body = { type: 'error', error: { type: 'invalid_request_error', message } };
  await using server = await startAnthropicServer({ respond: () => ({ fault: 'status', status: 400, body }) });
  const signal = new AbortController().signal;
  const events = claudeAt(server.url).stream(requestOf({ model: 'claude-sonnet-4-5' }), signal);
  await assert.rejects(events[Symbol.asyncIterator]().next(), { kind: 'context_overflow' });
  assert.equal(server.requests.length, 1);
});
