/** What a request to Anthropic looks like: rows, blocks, headers, thinking, limits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { HistoryMessage, Message } from '../../../../src/llm/message.ts';
import type { ModelRequest } from '../../../../src/llm/protocol.ts';
import { type AnthropicRequest, startAnthropicServer } from '../../../fakes/anthropic-server.ts';
import { ask, keyOf } from '../ask.ts';
import { call, calls, readFile, result, says, user } from '../short-forms.ts';
import { claudeAt, claudeRequest } from './support.ts';

/** Sends one request, checks that it breaks no rule, and returns it. */
async function sent(overrides: Partial<ModelRequest>, endpoint: Partial<Endpoint> = {}): Promise<AnthropicRequest> {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  const baseUrl = server.url + (endpoint.baseUrl ?? '');
  await ask(claudeAt(server.url, { ...endpoint, baseUrl }), claudeRequest(overrides));
  assert.deepEqual(server.violations, []);
  return server.lastRequest;
}

async function rowsOf(messages: readonly Message[], overrides: Partial<ModelRequest> = {}) {
  return (await sent({ messages, ...overrides })).body.messages;
}

const pixel = 'data:image/png;base64,iVBORw0KGgo=';
const pixelBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };

test('two parallel results are one user message with two tool_result blocks', async () => {
  const rows = await rowsOf([user('go'), calls('a', 'b'), result('a', 'one'), result('b', 'two')]);
  assert.deepEqual(rows, [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a', name: 'terminal', input: { command: 'ls' } },
        { type: 'tool_use', id: 'b', name: 'terminal', input: { command: 'ls' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'one' },
        { type: 'tool_result', tool_use_id: 'b', content: 'two' },
      ],
    },
  ]);
});

test('what the user says behind results stands behind them in the same message', async () => {
  const rows = await rowsOf([user('go'), calls('a'), result('a'), user('and now?')]);
  assert.deepEqual(rows[2]?.content, [
    { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
    { type: 'text', text: 'and now?' },
  ]);
});

test('empty messages and results get a placeholder', async () => {
  const rows = await rowsOf([user('  '), says(' '), user('x'), calls('a'), result('a', '\n')]);
  assert.deepEqual(rows[0]?.content, [{ type: 'text', text: '(empty message)' }]);
  assert.deepEqual(rows[1]?.content, [{ type: 'text', text: '(empty)' }]);
  assert.deepEqual(rows[4]?.content, [{ type: 'tool_result', tool_use_id: 'a', content: '(no output)' }]);
});

test('calls without a result and results without a call are left out', async () => {
  const rows = await rowsOf([user('go'), calls('a', 'b'), result('b'), result('ghost'), says('done'), user('more')]);
  assert.deepEqual(
    rows.flatMap((row) => row.content.map((block) => block['id'] ?? block['tool_use_id'] ?? block['text'])),
    ['go', 'b', 'b', 'done', 'more'],
  );
  const [, answer, more] = await rowsOf([user('go'), calls('a'), user('more')]);
  assert.deepEqual(answer?.content, [{ type: 'text', text: '(empty)' }]);
  assert.deepEqual(more?.content, [{ type: 'text', text: 'more' }]);
});

test('a history that opens with an answer gets a first user message', async () => {
  const rows = await rowsOf([says('Welcome.'), user('hi')]);
  assert.deepEqual(rows[0], { role: 'user', content: [{ type: 'text', text: '(empty message)' }] });
});

test('ids from anywhere become ids that are allowed and stay apart', async () => {
  const ids = ['call:1', 'call_1', `fc_${'x'.repeat(80)}`, `fc_${'x'.repeat(81)}`];
  const rows = await rowsOf([user('go'), calls(...ids), ...ids.map((id) => result(id, id))]);
  const uses = rows[1]?.content.map((block) => block['id']);
  assert.deepEqual(uses, ['call_1', 'call_1_2', `fc_${'x'.repeat(61)}`, `fc_${'x'.repeat(59)}_2`]);
  assert.deepEqual(
    rows[2]?.content.map((block) => block['tool_use_id']),
    uses,
  );
  assert.deepEqual(
    rows[2]?.content.map((block) => block['content']),
    ids,
  );
});

test('broken arguments become an empty object, odd names lose their odd characters', async () => {
  const odd: HistoryMessage = {
    role: 'assistant',
    content: 'x',
    tool_calls: [call('a', 'read file!', '{"path'), call('b', '', '[1]')],
  };
  const rows = await rowsOf([user('go'), odd, result('a'), result('b')]);
  assert.deepEqual(rows[1]?.content.slice(1), [
    { type: 'tool_use', id: 'a', name: 'read_file_', input: {} },
    { type: 'tool_use', id: 'b', name: 'unknown', input: {} },
  ]);
});

test('images travel in place, in messages and in results', async () => {
  const image = { type: 'image_url', image_url: { url: pixel } } as const;
  const rows = await rowsOf([
    { role: 'user', content: [{ type: 'text', text: 'Look:' }, image, { type: 'text', text: '' }] },
    calls('a'),
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A screenshot' }, image] },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
  ]);
  assert.deepEqual(rows[0]?.content, [{ type: 'text', text: 'Look:' }, pixelBlock]);
  assert.deepEqual(rows[2]?.content, [
    { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'A screenshot' }, pixelBlock] },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
  ]);
});

test('an image that the API cannot show becomes a note', async () => {
  const url = 'data:image/svg+xml,%3Csvg%2F%3E';
  const rows = await rowsOf([{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]);
  assert.match(String(rows[0]?.content[0]?.['text']), /image of type image\/svg\+xml/);
});

test('the system prompt and the tools stand outside of the messages', async () => {
  const { body } = await sent({
    messages: [{ role: 'system', content: 'You are Hermes.' }, user('hi')],
    tools: [readFile],
  });
  assert.equal(body.system, 'You are Hermes.');
  assert.deepEqual(body['tools'], [
    { name: 'read_file', description: 'Reads a file.', input_schema: readFile.parameters },
  ]);
  assert.equal(body.messages.length, 1);
  const bare = await sent({ messages: [{ role: 'system', content: ' ' }, user('hi')] });
  assert.ok(!('system' in bare.body) && !('tools' in bare.body) && !('tool_choice' in bare.body));
});

test('extra fields of the endpoint and of the request are merged into the body', async () => {
  const { body } = await sent(
    { extraBody: { metadata: { user_id: 'u' } } },
    { extraBody: { service_tier: 'auto', metadata: {} } },
  );
  assert.deepEqual(body['metadata'], { user_id: 'u' });
  assert.equal(body['service_tier'], 'auto');
});

test('the path is not doubled', async () => {
  for (const [base, path] of [
    ['', '/v1/messages'],
    ['/', '/v1/messages'],
    ['/v1', '/v1/messages'],
    ['/v1/', '/v1/messages'],
    ['/anthropic', '/anthropic/v1/messages'],
    ['/anthropic?region=eu', '/anthropic/v1/messages?region=eu'],
  ] as const) {
    assert.equal((await sent({}, { baseUrl: base })).path, path);
  }
});

test('names of Claude models lose their vendor and their dots, other names keep their dots', async () => {
  const name = async (model: string, endpoint: Partial<Endpoint> = {}) => (await sent({ model }, endpoint)).body.model;
  assert.equal(await name('anthropic/claude-opus-4.6'), 'claude-opus-4-6');
  assert.equal(await name('claude-opus-4.6', { quirks: { dottedModelNames: true } }), 'claude-opus-4.6');
  assert.equal(await name('MiniMax-M2.7'), 'MiniMax-M2.7');
});

test('a console key has its own header, any other secret is a bearer token with the beta for it', async () => {
  const withKey = await sent({});
  assert.equal(withKey.headers['x-api-key'], 'sk-ant-api03-0123456789abcdef');
  assert.equal(withKey.headers.authorization, undefined);
  assert.equal(withKey.headers['anthropic-version'], '2023-06-01');
  assert.equal(
    withKey.headers['anthropic-beta'],
    'interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14',
  );
  assert.equal(withKey.headers['user-agent'], 'hermes-agent');
  const withToken = await sent({}, { authorizer: keyOf('sk-ant-oat01-0123456789', 'anthropic_messages') });
  assert.equal(withToken.headers['x-api-key'], undefined);
  assert.equal(withToken.headers.authorization, 'Bearer sk-ant-oat01-0123456789');
  assert.match(withToken.headers['anthropic-beta']?.toString() ?? '', /,oauth-2025-04-20$/);
});

test('an endpoint that only speaks the format is asked for no betas', async () => {
  const quirks = { nativeAnthropic: false };
  const authorizer = keyOf('other-key-01234', 'anthropic_messages', { quirks });
  const { headers } = await sent({ priority: true }, { quirks, authorizer });
  assert.equal(headers['anthropic-beta'], undefined);
  assert.equal(headers['anthropic-version'], '2023-06-01');
});

test('a profile may name the header of its key', async () => {
  const { headers } = await sent(
    {},
    {
      authorizer: keyOf('azure-key-0123456789', 'anthropic_messages', { keyHeader: 'api-key' }),
    },
  );
  assert.equal(headers['api-key'], 'azure-key-0123456789');
  assert.equal(headers.authorization, undefined);
});

test('the limit of the answer is the configured one, else that of the model, below the context length', async () => {
  const limit = async (model: string, overrides: Partial<ModelRequest> = {}, endpoint: Partial<Endpoint> = {}) =>
    (await sent({ model, ...overrides }, endpoint)).body.max_tokens;
  assert.equal(await limit('claude-opus-4-6'), 128_000);
  assert.equal(await limit('claude-opus-4-8'), 128_000);
  assert.equal(await limit('claude-sonnet-4-6'), 64_000);
  assert.equal(await limit('claude-haiku-4-5-20251001'), 64_000);
  assert.equal(await limit('claude-opus-4-1'), 32_000);
  assert.equal(await limit('claude-opus-4-20250514'), 32_000);
  assert.equal(await limit('claude-sonnet-4-20250514'), 64_000);
  assert.equal(await limit('claude-3-7-sonnet-latest'), 128_000);
  assert.equal(await limit('claude-3-5-haiku-latest'), 8192);
  assert.equal(await limit('claude-3-haiku-20240307'), 4096);
  assert.equal(await limit('claude-opus-5-5'), 128_000);
  assert.equal(await limit('MiniMax-M2.7'), 131_072);
  assert.equal(await limit('qwen3.7-max'), 65_536, 'DashScope refuses more');
  assert.equal(await limit('somebodys-model'), 128_000);
  assert.equal(await limit('claude-opus-4-6', { maxTokens: 5000 }), 5000);
  assert.equal(await limit('claude-opus-4-6', {}, { contextLength: 32_768 }), 32_767);
});

test('reasoning effort high: adaptive on 4.6, a budget on 4.5, nothing on haiku', async () => {
  const adaptive = (await sent({ model: 'claude-opus-4-6', reasoningEffort: 'high', temperature: 0.3 })).body;
  assert.deepEqual(adaptive['thinking'], { type: 'adaptive' });
  assert.deepEqual(adaptive['output_config'], { effort: 'high' });
  assert.ok(!('temperature' in adaptive));
  const budget = (await sent({ model: 'claude-sonnet-4-5', reasoningEffort: 'high', temperature: 0.3 })).body;
  assert.deepEqual(budget['thinking'], { type: 'enabled', budget_tokens: 16_000 });
  assert.equal(budget['temperature'], 1);
  assert.ok(!('output_config' in budget));
  const haiku = (await sent({ model: 'claude-haiku-4-5', reasoningEffort: 'high', temperature: 0.3 })).body;
  assert.ok(!('thinking' in haiku) && !('output_config' in haiku));
  assert.equal(haiku['temperature'], 0.3);
});

test('every effort has its word and its budget', async () => {
  const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;
  const words = [];
  const budgets = [];
  for (const reasoningEffort of efforts) {
    words.push((await sent({ model: 'claude-sonnet-4-6', reasoningEffort })).body['output_config']);
    budgets.push((await sent({ model: 'claude-opus-4-5', reasoningEffort })).body['thinking']);
  }
  assert.deepEqual(
    words,
    ['low', 'low', 'medium', 'high', 'max'].map((effort) => ({ effort })),
  );
  assert.deepEqual(
    budgets,
    [4000, 4000, 8000, 16_000, 32_000].map((budget_tokens) => ({ type: 'enabled', budget_tokens })),
  );
});

test('the limit of the answer has room for the budget, and the budget for the limit of the model', async () => {
  const small = (await sent({ model: 'claude-opus-4-5', reasoningEffort: 'medium', maxTokens: 1000 })).body;
  assert.equal(small.max_tokens, 12_096);
  const capped = (await sent({ model: 'claude-opus-4-1', reasoningEffort: 'xhigh' })).body;
  assert.equal(capped.max_tokens, 32_000);
  assert.deepEqual(capped['thinking'], { type: 'enabled', budget_tokens: 32_000 - 4096 });
});

test('thinking is switched off the way that each model takes', async () => {
  const off = async (model: string) => {
    const { body } = await sent({ model, reasoningEffort: 'none' });
    return [body['thinking'], body['output_config']];
  };
  assert.deepEqual(await off('claude-sonnet-4-5'), [undefined, undefined]);
  assert.deepEqual(await off('claude-opus-4-8'), [undefined, undefined]);
  assert.deepEqual(await off('claude-opus-5'), [{ type: 'disabled' }, undefined]);
  assert.deepEqual(await off('claude-haiku-5-5'), [{ type: 'disabled' }, undefined]);
  assert.deepEqual(await off('claude-sonnet-5-5'), [{ type: 'between_tools' }, undefined]);
  assert.deepEqual(await off('claude-opus-5-5'), [undefined, { effort: 'low' }]);
});

test('newer models show their thoughts when asked to, and take no temperature', async () => {
  const { body } = await sent({ model: 'claude-opus-4-8', reasoningEffort: 'low', temperature: 0.3 });
  assert.deepEqual(body['thinking'], { type: 'adaptive', display: 'summarized' });
  assert.ok(!('temperature' in (await sent({ model: 'claude-opus-4-8', temperature: 0.3 })).body));
  assert.equal((await sent({ model: 'claude-opus-4-6', temperature: 1.7 })).body['temperature'], 1);
});

test('priority is fast mode where the model has one', async () => {
  const fast = await sent({ model: 'claude-opus-4-6', priority: true });
  assert.equal(fast.body['speed'], 'fast');
  assert.match(String(fast.headers['anthropic-beta']), /fast-mode-2026-02-01/);
  const plain = await sent({ model: 'claude-sonnet-4-6', priority: true });
  assert.ok(!('speed' in plain.body));
  assert.doesNotMatch(String(plain.headers['anthropic-beta']), /fast-mode/);
});

test('a window too small for a budget has no thinking', async () => {
  const { body } = await sent({ model: 'claude-sonnet-4-5', reasoningEffort: 'high' }, { contextLength: 5000 });
  assert.equal(body.max_tokens, 4999);
  assert.ok(!('thinking' in body));
});

test('a token of a cloud and a server without keys are asked without the beta for logins', async () => {
  const cloud = { headers: async () => ({ authorization: 'Bearer x' }), secrets: [] };
  for (const authorizer of [cloud, keyOf('no-key-required', 'anthropic_messages')]) {
    const { headers } = await sent({}, { authorizer });
    assert.doesNotMatch(String(headers['anthropic-beta']), /oauth/);
    assert.equal(headers['anthropic-version'], '2023-06-01');
  }
});
