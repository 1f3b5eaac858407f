/** OpenAI's own client library as the measure: its types of our requests, and its reading of the fake's answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { startModelServer } from '../../fakes/model-server.ts';
import { ask, protocolAt } from './ask.ts';
import { readFile } from './short-forms.ts';

test('a whole request is what the library would send', async () => {
  await using server = await startModelServer({ strict: true, respond: () => ({ text: 'ok' }) });
  await ask(protocolAt(server.url), {
    model: 'gpt-4.1',
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
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
          { id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'A' },
      { role: 'tool', tool_call_id: 'call_2', content: 'B' },
      { role: 'assistant', content: 'Seen.' },
      { role: 'user', content: 'And?' },
    ],
  });
  // The annotation is the point: a field of another shape does not compile.
  const expected: ChatCompletionCreateParamsStreaming = {
    model: 'gpt-4.1',
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 5000,
    temperature: 1,
    tools: [{ type: 'function', function: readFile }],
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
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
          { id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'A' },
      { role: 'tool', tool_call_id: 'call_2', content: 'B' },
      { role: 'assistant', content: 'Seen.' },
      { role: 'user', content: 'And?' },
    ],
  };
  assert.deepEqual(server.lastRequest.body, expected);
  assert.deepEqual(server.violations, []);
});

test('the library and we read the same from one answer', async () => {
  await using server = await startModelServer();
  const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
  const answer = {
    text: 'Yes.',
    toolCalls: [{ id: 'call_1', name: 'read_file', arguments: { path: 'ü' } }],
    usage,
  } as const;
  server.enqueue(answer, answer);
  const { done } = await ask(protocolAt(server.url), { tools: [readFile] });
  const client = new OpenAI({ baseURL: server.url, apiKey: 'test-key-0123456789', maxRetries: 0 });
  const theirs = await client.chat.completions
    .stream({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream_options: { include_usage: true },
    })
    .finalChatCompletion();
  const [choice] = theirs.choices;
  assert.equal(done.message.content, choice?.message.content);
  const calls = choice?.message.tool_calls?.flatMap((call) => (call.type === 'function' ? [call] : []));
  assert.deepEqual(
    done.message.tool_calls?.map(({ id, function: named }) => [id, named.name, JSON.parse(named.arguments)]),
    calls?.map(({ id, function: named }) => [id, named.name, JSON.parse(named.arguments)]),
  );
  assert.deepEqual(
    [done.usage?.input, done.usage?.output],
    [theirs.usage?.prompt_tokens, theirs.usage?.completion_tokens],
  );
});
