/** Cache marks on Anthropic's own format and on chat completions, and what they save. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryMessage, Message } from '../../../../src/llm/message.ts';
import { alibaba } from '../../../../src/providers/profiles/alibaba.ts';
import { openrouter } from '../../../../src/providers/profiles/openrouter.ts';
import { startAnthropicServer } from '../../../fakes/anthropic-server.ts';
import { startModelServer } from '../../../fakes/model-server.ts';
import { ask, askInVain, protocolAt } from '../ask.ts';
import { call, readFile, result, says, user } from '../short-forms.ts';
import { claudeAt } from './support.ts';

const system: Message = { role: 'system', content: 'You are Hermes.' };
const six: readonly Message[] = [
  system,
  user('one'),
  says('two'),
  user('three'),
  says('four'),
  user('five'),
] satisfies Message[];

/** Places that carry a mark: `system`, or the index of the message. */
function marked(body: { readonly system?: unknown; readonly messages: readonly object[] }): unknown[] {
  const places = body.messages.flatMap((row, index) => (hasMark(row) ? [index] : []));
  return hasMark(body.system ?? null) ? ['system', ...places] : places;
}

function hasMark(value: unknown): boolean {
  return JSON.stringify(value).includes('"cache_control"');
}

function countMarks(body: unknown, mark: string): number {
  return JSON.stringify(body).split(`"cache_control":${mark}`).length - 1;
}

test('six messages to Claude natively have four marks: system and the last three', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-6', messages: six, cacheTtl: '5m', tools: [readFile] });
  assert.deepEqual(marked(server.lastRequest.body), ['system', 2, 3, 4]);
  assert.deepEqual(server.lastRequest.body.system, [
    { type: 'text', text: 'You are Hermes.', cache_control: { type: 'ephemeral' } },
  ]);
  assert.equal(countMarks(server.lastRequest.body, '{"type":"ephemeral"}'), 4);
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-6', messages: six.slice(1), cacheTtl: '1h' });
  assert.deepEqual(marked(server.lastRequest.body), [1, 2, 3, 4]);
  assert.equal(countMarks(server.lastRequest.body, '{"type":"ephemeral","ttl":"1h"}'), 4);
  assert.deepEqual(server.violations, []);
});

test('a mark on results stands on the last tool_result block', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  const calls: Message = { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] };
  const messages = [system, user('go'), calls, result('a', 'one'), result('b', 'two')];
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-6', messages, cacheTtl: '5m' });
  const { body } = server.lastRequest;
  assert.deepEqual(marked(body), ['system', 0, 1, 2]);
  assert.deepEqual(
    body.messages[2]?.content.map((block) => 'cache_control' in block),
    [false, true],
  );
  assert.deepEqual(server.violations, []);
});

test('without a lifetime, or for another model, nothing is marked', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-6', messages: six });
  assert.ok(!hasMark(server.lastRequest.body));
  await ask(claudeAt(server.url), { model: 'MiniMax-M2.7', messages: six, cacheTtl: '5m' });
  assert.ok(!hasMark(server.lastRequest.body));
});

test('an endpoint that only speaks the format is marked when its profile says so', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  const request = { model: 'claude-sonnet-4-6', messages: six, cacheTtl: '5m' } as const;
  await ask(claudeAt(server.url, { quirks: { nativeAnthropic: false } }), request);
  assert.ok(!hasMark(server.lastRequest.body));
  await ask(claudeAt(server.url, { quirks: { nativeAnthropic: false, cacheMarks: true } }), request);
  assert.deepEqual(marked(server.lastRequest.body), ['system', 2, 3, 4]);
});

test('an endpoint that refuses marks is asked without them, and only once more', async () => {
  const message = 'messages.4.content.0.text.cache_control: Extra inputs are not permitted';
  const body = { type: 'error', error: { type: 'invalid_request_error', message } };
  await using server = await startAnthropicServer({ respond: () => ({ fault: 'status', status: 400, body }) });
  await askInVain(claudeAt(server.url), { model: 'claude-sonnet-4-6', messages: six, cacheTtl: '5m' });
  assert.deepEqual(
    server.requests.map((request) => hasMark(request.body)),
    [true, false],
  );
});

test('Claude behind chat completions has the same marks, where the endpoint takes them', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const request = { model: 'anthropic/claude-opus-4.6', messages: six, cacheTtl: '1h' } as const;
  await ask(protocolAt(server.url, { quirks: { cacheMarks: true } }), request);
  assert.deepEqual(marked(server.lastRequest.body), [0, 3, 4, 5]);
  assert.equal(countMarks(server.lastRequest.body, '{"type":"ephemeral","ttl":"1h"}'), 4);
  await ask(protocolAt(server.url), request);
  assert.ok(!hasMark(server.lastRequest.body));
  await ask(protocolAt(server.url, { quirks: { cacheMarks: true } }), { ...request, model: 'gpt-5.4' });
  assert.ok(!hasMark(server.lastRequest.body));
  assert.deepEqual(server.violations, []);
});

test('Qwen is marked for five minutes, at its maker too', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const request = { model: 'qwen3-coder-plus', messages: six, cacheTtl: '1h' } as const;
  for (const { quirks = {} } of [openrouter, alibaba]) {
    await ask(protocolAt(server.url, { quirks }), request);
    assert.equal(countMarks(server.lastRequest.body, '{"type":"ephemeral"}'), 4);
  }
});

test('behind chat completions results carry marks as well, calls without text do not', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const calls = (...ids: string[]): Message => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => call(id)),
  });
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } } as const;
  const seen: Message = { role: 'user', content: [{ type: 'text', text: 'look' }, image] };
  const messages = [system, seen, calls('a'), result('a'), calls('b'), result('b')];
  await ask(protocolAt(server.url, { quirks: { cacheMarks: true } }), {
    model: 'anthropic/claude-opus-4.6',
    messages,
    cacheTtl: '5m',
  });
  assert.deepEqual(marked(server.lastRequest.body), [0, 1, 3, 5]);
  assert.deepEqual(server.lastRequest.body.messages[3]?.content, [
    { type: 'text', text: 'ok', cache_control: { type: 'ephemeral' } },
  ]);
  assert.deepEqual(server.violations, []);
});

test('the messages that were given stay without marks', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  const before = JSON.stringify(six);
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-6', messages: six, cacheTtl: '5m' });
  assert.equal(JSON.stringify(six), before);
});

test('signed thoughts of Claude do not travel to a server of another format', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const thinking: Message = {
    role: 'assistant',
    content: 'x',
    reasoning_details: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }],
  };
  const other: Message = {
    role: 'assistant',
    content: 'x',
    reasoning_details: [{ type: 'reasoning.text', text: 'y' }],
  };
  await ask(protocolAt(server.url), { messages: [user('a'), thinking, user('b'), other, user('c')] });
  assert.ok(!('reasoning_details' in (server.lastRequest.body.messages[1] ?? {})));
  assert.ok('reasoning_details' in (server.lastRequest.body.messages[3] ?? {}));
});

test('in a long tool loop nine tenths of the prompt are read from the cache', async () => {
  await using server = await startAnthropicServer({ strict: true });
  const protocol = claudeAt(server.url);
  const history: HistoryMessage[] = [user('Read every file and tell me what they do.')];
  let read = 0;
  let prompt = 0;
  for (let step = 0; step < 30; step += 1) {
    const toolCalls = Array.from({ length: 1 + (step % 3) }, () => ({ name: 'read_file', arguments: { path: 'a' } }));
    server.enqueue({ reasoning: `Step ${step}.`, toolCalls });
    const { done } = await ask(protocol, {
      model: 'claude-sonnet-4-6',
      reasoningEffort: 'medium',
      messages: [{ role: 'system', content: 'You are Hermes. '.repeat(600) }, ...history],
      tools: [readFile],
      cacheTtl: '5m',
    });
    history.push(done.message);
    for (const { id } of done.message.tool_calls ?? []) history.push(result(id, 'const x = 1;\n'.repeat(50)));
    const usage = done.usage ?? assert.fail('no usage');
    read += usage.cacheRead;
    prompt += usage.input + usage.cacheRead + usage.cacheWrite;
    if (step > 0) assert.ok(usage.cacheRead > 0 && usage.input < 50, JSON.stringify({ step, usage }));
  }
  assert.ok(read / prompt > 0.9, `${Math.round((100 * read) / prompt)} % cached`);
});
