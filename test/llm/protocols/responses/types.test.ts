/** OpenAI's own client library as the measure: its types of our requests, and its reading of the fake's answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseCreateParamsStreaming,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { startResponsesServer } from '../../../fakes/responses-server.ts';
import { ask } from '../ask.ts';
import { call, readFile, user } from '../short-forms.ts';
import { responsesAt } from './support.ts';

test('a whole request is what the library would send', async () => {
  await using server = await startResponsesServer({ strict: true, respond: () => ({ text: 'ok' }) });
  await ask(responsesAt(server.url), {
    model: 'gpt-5.4',
    reasoningEffort: 'xhigh',
    priority: true,
    sessionId: '20260101_000000_abcdef',
    maxTokens: 5000,
    temperature: 1,
    tools: [readFile],
    messages: [
      { role: 'system', content: 'You are Hermes.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: 'Reading.',
        tool_calls: [call('call_1', 'read_file', '{"path":"a"}')],
        codex_reasoning_items: [
          { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'abc' },
        ],
        codex_message_items: [
          { type: 'message', id: 'msg_1', phase: 'commentary', content: [{ type: 'output_text', text: 'Reading.' }] },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'call_1',
        content: [
          { type: 'text', text: 'seen' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ],
      },
      { role: 'assistant', content: 'Seen.' },
      user('And?'),
    ],
  });
  // The annotation is the point: a field of another shape does not compile.
  const expected: ResponseCreateParamsStreaming = {
    model: 'gpt-5.4',
    instructions: 'You are Hermes.',
    store: false,
    stream: true,
    reasoning: { effort: 'xhigh', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 5000,
    temperature: 1,
    prompt_cache_key: '20260101_000000_abcdef',
    service_tier: 'priority',
    tool_choice: 'auto',
    parallel_tool_calls: true,
    tools: [
      {
        type: 'function',
        name: 'read_file',
        description: 'Reads a file.',
        strict: false,
        parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
    ],
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'abc',
      },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Reading.', annotations: [] }],
        phase: 'commentary',
      },
      { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a"}' },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [
          { type: 'input_text', text: 'seen' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
        ],
      },
      { role: 'assistant', content: 'Seen.' },
      { role: 'user', content: 'And?' },
    ],
  };
  assert.deepEqual(server.lastRequest.body, expected);
  assert.deepEqual(server.violations, []);
});

test('a request for a whole answer without reasoning is what the library would send', async () => {
  await using server = await startResponsesServer({ strict: true, respond: () => ({ text: 'ok' }) });
  const messages = [{ role: 'system', content: 'Short.' } as const, user('hi')];
  await ask(responsesAt(server.url), { model: 'gpt-4.1', reasoningEffort: 'none', stream: false, messages });
  const expected: ResponseCreateParamsNonStreaming = {
    model: 'gpt-4.1',
    instructions: 'Short.',
    store: false,
    stream: false,
    include: [],
    input: [{ role: 'user', content: 'hi' }],
  };
  assert.deepEqual(server.lastRequest.body, expected);
});

test('events as the library types them are read', async () => {
  await using server = await startResponsesServer();
  const at = { output_index: 1, item_id: 'msg_1' } as const;
  const message = { id: 'msg_1', type: 'message', role: 'assistant' } as const;
  const thought = { id: 'rs_1', type: 'reasoning' } as const;
  const called = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'read_file' } as const;
  const text = { type: 'output_text', text: 'Yes.', annotations: [] } as const;
  const events = [
    { type: 'response.output_item.added', output_index: 0, item: { ...thought, summary: [] }, sequence_number: 1 },
    {
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      item_id: 'rs_1',
      summary_index: 0,
      delta: 'Hm.',
      sequence_number: 2,
    },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...thought, summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'c2ln' },
      sequence_number: 3,
    },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { ...message, status: 'in_progress', content: [] },
      sequence_number: 4,
    },
    { type: 'response.output_text.delta', ...at, content_index: 0, delta: 'Yes.', logprobs: [], sequence_number: 5 },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { ...message, status: 'completed', content: [{ ...text, annotations: [] }], phase: 'commentary' },
      sequence_number: 6,
    },
    {
      type: 'response.output_item.added',
      output_index: 2,
      item: { ...called, arguments: '', status: 'in_progress' },
      sequence_number: 7,
    },
    {
      type: 'response.function_call_arguments.delta',
      output_index: 2,
      item_id: 'fc_1',
      delta: '{"path":',
      sequence_number: 8,
    },
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: { ...called, arguments: '{"path":"a"}', status: 'completed' },
      sequence_number: 9,
    },
  ] satisfies readonly ResponseStreamEvent[];
  const end = { type: 'response.completed', response: { status: 'completed', output: [] } };
  server.enqueue({ raw: [...events, end].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) });
  const { done } = await ask(responsesAt(server.url));
  assert.deepEqual(done.message, {
    role: 'assistant',
    content: 'Yes.',
    reasoning: 'Hm.',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
    codex_reasoning_items: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'c2ln',
      },
    ],
    codex_message_items: [
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Yes.' }],
        id: 'msg_1',
        phase: 'commentary',
      },
    ],
    finish_reason: 'tool_calls',
  });
});

test('the library reads the answers of the fake as we do', async () => {
  await using server = await startResponsesServer();
  const answer = {
    reasoning: 'Two files.',
    text: 'Reading both.',
    toolCalls: [{ id: 'call_a', name: 'read_file', arguments: { path: 'a', list: [1, { deep: 'ü' }] } }],
  };
  server.enqueue(answer, answer);
  const ours = (await ask(responsesAt(server.url))).done;
  const client = new OpenAI({ apiKey: 'sk-test', baseURL: server.url, maxRetries: 0 });
  const response = await client.responses
    .stream({ model: 'gpt-5.4', input: 'hi', store: false, include: ['reasoning.encrypted_content'] })
    .finalResponse();
  const [thought, message, called] = response.output;
  const [ourThought] = ours.message.codex_reasoning_items as { encrypted_content: string }[];
  assert.ok(thought?.type === 'reasoning' && message?.type === 'message' && called?.type === 'function_call');
  assert.equal(thought.encrypted_content, ourThought?.encrypted_content);
  assert.equal(thought.summary[0]?.text, ours.message.reasoning);
  assert.equal(response.output_text, ours.message.content);
  assert.equal(called.call_id, ours.message.tool_calls?.[0]?.id);
  assert.equal(called.arguments, ours.message.tool_calls?.[0]?.function.arguments);
  assert.equal(response.usage?.output_tokens, ours.usage?.output);
});
