/** What is sent to the Responses API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { AssistantMessage, HistoryMessage, Message } from '../../../../src/llm/message.ts';
import type { ModelRequest } from '../../../../src/llm/protocol.ts';
import { openProtocol } from '../../../../src/llm/protocols/catalogue.ts';
import { copilot } from '../../../../src/providers/profiles/copilot.ts';
import { xai } from '../../../../src/providers/profiles/xai.ts';
import { type ResponsesBody, startResponsesServer } from '../../../fakes/responses-server.ts';
import { ask } from '../ask.ts';
import { onePixel } from '../../histories.ts';
import { call, calls, readFile, result, user } from '../short-forms.ts';
import { responsesAt } from './support.ts';

/** The body that is sent, which breaks no rule. */
async function sent(overrides: Partial<ModelRequest>, endpoint: Partial<Endpoint> = {}): Promise<ResponsesBody> {
  await using server = await startResponsesServer({ strict: true, respond: () => ({ text: 'ok' }) });
  await ask(responsesAt(server.url, endpoint), { model: 'gpt-5.4', ...overrides });
  return server.lastRequest.body;
}

const inputOf = async (...messages: Message[]) => (await sent({ messages })).input;

test('the whole body of a plain request', async () => {
  assert.deepEqual(
    await sent({
      messages: [{ role: 'system', content: 'You are Hermes.' }, user('hi')],
      sessionId: 's1',
      maxTokens: 900,
    }),
    {
      model: 'gpt-5.4',
      instructions: 'You are Hermes.',
      input: [{ role: 'user', content: 'hi' }],
      store: false,
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 900,
      prompt_cache_key: 's1',
      stream: true,
    },
  );
});

test('tools are flat', async () => {
  const { tools, tool_choice, parallel_tool_calls } = await sent({ tools: [readFile] });
  assert.deepEqual(tools, [{ type: 'function', ...readFile, strict: false }]);
  assert.deepEqual([tool_choice, parallel_tool_calls], ['auto', true]);
});

test('instructions are never empty', async () => {
  const { instructions } = await sent({ messages: [{ role: 'system', content: ' ' }, user('hi')] });
  assert.match(String(instructions), /\w/);
});

test('the effort is the nearest that the endpoint knows', async () => {
  const effortOf = async (overrides: Partial<ModelRequest>, quirks: Endpoint['quirks'] = {}) => {
    const { reasoning, include } = await sent(overrides, { quirks });
    return [(reasoning as { effort?: string } | undefined)?.effort, include];
  };
  const encrypted = ['reasoning.encrypted_content'];
  assert.deepEqual(await effortOf({ reasoningEffort: 'xhigh' }), ['xhigh', encrypted]);
  assert.deepEqual(await effortOf({ reasoningEffort: 'none' }), [undefined, []]);
  assert.deepEqual(await effortOf({ reasoningEffort: 'high' }, xai.quirks), [undefined, encrypted]);
  assert.deepEqual(await effortOf({ reasoningEffort: 'xhigh' }, copilot.quirks), ['high', undefined]);
  assert.deepEqual(await effortOf({ reasoningEffort: 'minimal' }, copilot.quirks), ['low', undefined]);
  assert.deepEqual(await effortOf({ model: 'gpt-4.1', reasoningEffort: 'high' }), [undefined, []]);
});

test('GitHub gets neither a cache key nor encrypted reasoning', async () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };
  const body = await sent(
    {
      sessionId: 's1',
      messages: [user('a'), { role: 'assistant', content: 'b', codex_reasoning_items: [thought] }, user('c')],
    },
    copilot.quirks === undefined ? {} : { quirks: copilot.quirks },
  );
  assert.equal(body['prompt_cache_key'], undefined);
  assert.equal(body['include'], undefined);
  assert.deepEqual(body.input[1], { role: 'assistant', content: 'b' });
});

test('xAI is told the conversation in a header', async () => {
  await using server = await startResponsesServer({ respond: () => ({ text: 'ok' }) });
  const { requestHeaders } = xai;
  assert.ok(requestHeaders !== undefined);
  await ask(responsesAt(server.url, { requestHeaders }), { sessionId: 's1' });
  assert.equal(server.lastRequest.headers['x-grok-conv-id'], 's1');
});

test('priority, temperature, extra fields and bounds', async () => {
  const body = await sent({
    priority: true,
    temperature: 0.5,
    maxTokens: 1,
    sessionId: 's'.repeat(100),
    extraBody: { truncation: 'auto' },
  });
  assert.equal(body['service_tier'], 'priority');
  assert.equal(body['temperature'], 0.5);
  assert.equal(body['max_output_tokens'], 16);
  assert.equal(String(body['prompt_cache_key']).length, 64);
  assert.equal(body['truncation'], 'auto');
  const omitted = await sent({ temperature: 0.5 }, { quirks: { temperature: 'omit' } });
  assert.equal(omitted['temperature'], undefined);
});

test('encrypted reasoning goes back right before what came of it', async () => {
  await using server = await startResponsesServer({ strict: true });
  const protocol = responsesAt(server.url);
  server.enqueue(
    { reasoning: 'I must look.', text: 'Looking.', toolCalls: [{ id: 'call_a', name: 'read_file' }] },
    { text: 'ok' },
  );
  const { done } = await ask(protocol, { messages: [user('go')] });
  await ask(protocol, { messages: [user('go'), done.message, result('call_a')] });
  assert.deepEqual(
    server.lastRequest.body.input.map((item) => [item['type'] ?? item['role'], item['id'] ?? item['call_id']]),
    [
      ['user', undefined],
      ['reasoning', 'rs_1'],
      ['message', 'msg_2'],
      ['function_call', 'call_a'],
      ['function_call_output', 'call_a'],
    ],
  );
  assert.deepEqual(server.violations, []);
});

test('reasoning that led to nothing is followed by an empty message, and unreadable reasoning stays at home', async () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], status: null };
  const bare: AssistantMessage = {
    role: 'assistant',
    content: null,
    codex_reasoning_items: [{ ...thought, encrypted_content: 'abc' }, thought, 'odd', { encrypted_content: '' }],
  };
  assert.deepEqual((await inputOf(user('a'), bare, user('b'))).slice(1, 3), [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'abc' },
    { role: 'assistant', content: '' },
  ]);
});

test('an item that stands twice in the history is sent with its id once', async () => {
  const said: AssistantMessage = {
    role: 'assistant',
    content: 'Yes.',
    codex_reasoning_items: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'abc' }],
    codex_message_items: [{ type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Yes.' }] }],
  };
  const input = await inputOf(user('a'), said, user('b'), said, user('c'));
  assert.equal(input.filter(({ type }) => type === 'reasoning').length, 1);
  assert.deepEqual(input[4], { role: 'assistant', content: 'Yes.' });
});

test('stored message items go back with id and phase, unless the words have changed since', async () => {
  const item = (id: string, text: string, phase: string) => ({
    type: 'message',
    id,
    phase,
    content: [{ type: 'output_text', text }],
  });
  const items = [item('msg_1', 'I look.', 'commentary'), item('x_2', 'Found.', 'final_answer')];
  const said = (content: string): AssistantMessage => ({ role: 'assistant', content, codex_message_items: items });
  const kept = await inputOf(user('a'), said('I look.\nFound.'), user('b'));
  assert.deepEqual(kept.slice(1, 3), [
    {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      status: 'completed',
      content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      phase: 'commentary',
    },
    { role: 'assistant', content: 'Found.', phase: 'final_answer' },
  ]);
  const changed = await inputOf(user('a'), said('Something else.'), user('b'));
  assert.deepEqual(changed[1], { role: 'assistant', content: 'Something else.' });
});

test('call ids of other providers and older versions fit the API and stay pairs', async () => {
  const long = `toolu_${'x'.repeat(80)}`;
  const stored = ['call_a|fc_a', 'fc_b', 'call_b', `${long}1`, `${long}2`, 'functions.read:0', '|fc_c', 'é'];
  const input = await inputOf(user('a'), calls(...stored), ...stored.map((id) => result(id, `for ${id}`)));
  const asked = input.filter(({ type }) => type === 'function_call').map((item) => item['call_id']);
  const answered = input.filter(({ type }) => type === 'function_call_output');
  assert.deepEqual(
    answered.map((item) => item['call_id']),
    asked,
  );
  assert.deepEqual(
    answered.map((item) => item['output']),
    stored.map((id) => `for ${id}`),
  );
  assert.deepEqual(asked.slice(0, 3), ['call_a', 'call_b', 'call_b_2']);
  assert.deepEqual(asked.slice(5), ['functions.read:0', 'call_c', '_']);
});

test('names and arguments that a model wrote by mistake are mended', async () => {
  const wrong: HistoryMessage = {
    role: 'assistant',
    content: null,
    tool_calls: [call('a', 'run the thing!', '{"broken'), call('b', '', '[1]')],
  };
  const input = await inputOf(user('a'), wrong, result('a'), result('b'));
  assert.deepEqual(
    input.slice(1, 3).map((item) => [item['name'], item['arguments']]),
    [
      ['run_the_thing_', '{}'],
      ['unknown', '{}'],
    ],
  );
});

test('images stay where they stand, in messages and in results', async () => {
  const image = (url: string, detail?: 'high') => ({
    type: 'image_url' as const,
    image_url: { url, ...(detail === undefined ? {} : { detail }) },
  });
  const input = await inputOf(
    { role: 'user', content: [{ type: 'text', text: 'See:' }, image(onePixel, 'high'), { type: 'text', text: ' ' }] },
    calls('a'),
    {
      role: 'tool',
      tool_call_id: 'a',
      content: [image('https://host.test/a.png'), { type: 'text', text: 'a picture' }, image('file:///x')],
    },
  );
  assert.deepEqual(input[0]?.['content'], [
    { type: 'input_text', text: 'See:' },
    { type: 'input_image', image_url: onePixel, detail: 'high' },
  ]);
  assert.deepEqual(input[2]?.['output'], [
    { type: 'input_image', image_url: 'https://host.test/a.png', detail: 'auto' },
    { type: 'input_text', text: 'a picture' },
    { type: 'input_text', text: '(an image that cannot be opened)' },
  ]);
});

test('images that the API cannot show become a note, and a type with a wrong name is put right', async () => {
  const parts = ['data:image/bmp;base64,AAAA', 'data:image/jpg;base64,AAAA'].map((url) => ({
    type: 'image_url' as const,
    image_url: { url },
  }));
  const [row] = await inputOf({ role: 'user', content: parts });
  assert.deepEqual(row?.['content'], [
    { type: 'input_text', text: '(an image of type image/bmp, which cannot be shown)' },
    { type: 'input_image', image_url: 'data:image/jpeg;base64,AAAA', detail: 'auto' },
  ]);
});

test('rows without content say so', async () => {
  const input = await inputOf({ role: 'user', content: [] }, calls('a'), result('a', ' '));
  assert.equal(input[0]?.['content'], '(empty message)');
  assert.equal(input[2]?.['output'], '(no output)');
});

test('system messages become instructions, and results without a call are left out', async () => {
  const body = await sent({
    messages: [{ role: 'system', content: 'One.' }, user('a'), result('ghost'), { role: 'system', content: 'Two.' }],
  });
  assert.equal(body.instructions, 'One.\n\nTwo.');
  assert.deepEqual(body.input, [{ role: 'user', content: 'a' }]);
});

test('the wire format is found by its name in the configuration', async () => {
  await using server = await startResponsesServer({ strict: true, respond: () => ({ text: 'ok' }) });
  const protocol = await openProtocol('codex_responses', {
    provider: 'custom',
    baseUrl: `${server.url}?api-version=1`,
  });
  assert.equal((await ask(protocol)).text, 'ok');
  assert.equal(server.lastRequest.path, '/v1/responses?api-version=1');
  assert.equal(server.lastRequest.headers.authorization, undefined);
});
