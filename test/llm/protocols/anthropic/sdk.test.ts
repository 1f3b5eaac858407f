/** Anthropic's own client library as the measure: its types of our requests, and its reading of the fake's answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import type {
  MessageCreateParamsNonStreaming,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import { signatureFor } from '../../../fakes/anthropic-rules.ts';
import { startAnthropicServer } from '../../../fakes/anthropic-server.ts';
import { ask } from '../ask.ts';
import { call, readFile, user } from '../short-forms.ts';
import { claudeAt } from './support.ts';

test('a whole request is what the library would send', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  await ask(claudeAt(server.url), {
    model: 'anthropic/claude-opus-4.8',
    reasoningEffort: 'xhigh',
    priority: true,
    cacheTtl: '1h',
    tools: [readFile],
    messages: [
      { role: 'system', content: 'You are Hermes.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: 'Reading.',
        tool_calls: [call('toolu_1', 'read_file', '{"path":"a"}')],
        reasoning_details: [
          { type: 'thinking', thinking: 'Hm.', signature: signatureFor('Hm.') },
          { type: 'redacted_thinking', data: 'b3BhcXVl' },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'toolu_1',
        content: [
          { type: 'text', text: 'seen' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ],
      },
    ],
  });
  const mark = { type: 'ephemeral', ttl: '1h' } as const;
  // The annotation is the point: a field of another shape does not compile.
  const expected: MessageCreateParamsStreaming = {
    model: 'claude-opus-4-8',
    max_tokens: 128_000,
    stream: true,
    speed: 'fast',
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'max' },
    system: [{ type: 'text', text: 'You are Hermes.', cache_control: mark }],
    tools: [
      {
        name: 'read_file',
        description: 'Reads a file.',
        input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          {
            type: 'image',
            source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' },
            cache_control: mark,
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: signatureFor('Hm.') },
          { type: 'redacted_thinking', data: 'b3BhcXVl' },
          { type: 'text', text: 'Reading.' },
          {
            type: 'tool_use',
            id: 'toolu_1',
            name: 'read_file',
            input: { path: 'a' },
            cache_control: mark,
          },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [
              { type: 'text', text: 'seen' },
              { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            ],
            cache_control: mark,
          },
        ],
      },
    ],
  };
  assert.deepEqual(server.lastRequest.body, expected);
  assert.deepEqual(server.violations, []);
});

test('a request for a whole answer with a thinking budget is what the library would send', async () => {
  await using server = await startAnthropicServer({ respond: () => ({ text: 'ok' }) });
  const messages = [{ role: 'system', content: 'Short.' } as const, user('hi')];
  await ask(claudeAt(server.url), { model: 'claude-sonnet-4-5', reasoningEffort: 'low', stream: false, messages });
  // The library's types are of a newer version of the API, which knows no temperature any more.
  const expected: MessageCreateParamsNonStreaming & { temperature: number } = {
    model: 'claude-sonnet-4-5',
    max_tokens: 64_000,
    temperature: 1,
    thinking: { type: 'enabled', budget_tokens: 4000 },
    system: 'Short.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  };
  assert.deepEqual(server.lastRequest.body, expected);
});

test('events as the library types them are read', async () => {
  await using server = await startAnthropicServer();
  const events = [
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '', citations: null } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Yes.' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_stop' },
  ] as const satisfies readonly RawMessageStreamEvent[];
  server.enqueue({ raw: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) });
  const { done } = await ask(claudeAt(server.url), { model: 'claude-opus-4-6' });
  assert.deepEqual(done.message, {
    role: 'assistant',
    content: 'Yes.',
    reasoning: 'Hm.',
    reasoning_details: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }],
    finish_reason: 'stop',
  });
});

test('the library reads the answers of the fake as we do', async () => {
  await using server = await startAnthropicServer({ strict: true });
  const answer = {
    reasoning: 'Two files.',
    text: 'Reading both.',
    toolCalls: [{ id: 'toolu_a', name: 'read_file', arguments: { path: 'a', list: [1, { deep: 'ü' }] } }],
  };
  server.enqueue(answer, answer);
  const ours = await ask(claudeAt(server.url), { model: 'claude-opus-4-6' });
  const client = new Anthropic({ apiKey: 'sk-ant-api03-test', baseURL: server.url, maxRetries: 0 });
  const message = await client.messages
    .stream({ model: 'claude-opus-4-6', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] })
    .finalMessage();
  assert.deepEqual(message.content, [
    ...(ours.done.message.reasoning_details as object[]),
    { type: 'text', text: ours.done.message.content },
    {
      type: 'tool_use',
      id: 'toolu_a',
      name: 'read_file',
      input: JSON.parse(ours.done.message.tool_calls?.[0]?.function.arguments ?? ''),
    },
  ]);
  assert.equal(message.stop_reason, 'tool_use');
  assert.equal(message.usage.output_tokens, ours.done.usage?.output);
  assert.deepEqual(server.violations, []);
});
