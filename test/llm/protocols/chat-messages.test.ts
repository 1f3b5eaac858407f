/** What leaves for the provider: only what the format knows, in rows that strict servers take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { HistoryMessage, Message } from '../../../src/llm/message.ts';
import type { ModelRequest } from '../../../src/llm/protocol.ts';
import { toChatMessages } from '../../../src/llm/protocols/chat-messages.ts';
import { chatRequestBody } from '../../../src/llm/protocols/chat-request.ts';
import { historyProblems, requestProblems } from '../../fakes/history-rules.ts';
import { requestOf } from './ask.ts';

const dialect = { maxTokensField: 'max_tokens', maxTokensSettled: false, without: new Set<string>() } as const;
const endpoint = { provider: 'custom', baseUrl: 'http://x/v1' } as const;
const call = (id: string, name: string, text: string) =>
  ({ id, type: 'function', function: { name, arguments: text } }) as const;

test('internal fields stay at home, what a provider wants back is kept', () => {
  const history: HistoryMessage[] = [
    { role: 'user', kind: 'said', sources: [{ from: 'user' }], content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: '',
      reasoning: 'because',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
      codex_reasoning_items: [{}],
      codex_message_items: [{}],
      finish_reason: 'tool_calls',
      tool_calls: [{ ...call('a', 'f', '{}'), extra_content: { google: { thought_signature: 's' } } }],
    },
    { role: 'tool', tool_call_id: 'a', tool_name: 'f', content: 'done' },
  ];
  assert.deepEqual(toChatMessages(history, 'm', {}), [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ ...call('a', 'f', '{}'), extra_content: { google: { thought_signature: 's' } } }],
      reasoning_content: 'because',
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'done' },
  ]);
  const assistant = toChatMessages(history, 'm', { replayReasoning: false })[1] ?? {};
  assert.deepEqual(Object.keys(assistant), ['role', 'content', 'tool_calls']);
});

test('thinking that stands in the content is not sent twice', () => {
  const [row] = toChatMessages([{ role: 'assistant', content: '<think>x</think>hi', reasoning: 'x' }], 'm', {});
  assert.deepEqual(row, { role: 'assistant', content: '<think>x</think>hi' });
});

test('images of tool results follow in one user message behind all results', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } } as const;
  const history: Message[] = [
    { role: 'user', content: 'look' },
    { role: 'assistant', content: null, tool_calls: [call('a', 'f', '{}'), call('b', 'f', '{}')] },
    { role: 'tool', tool_call_id: 'a', content: [image, { type: 'text', text: 'a picture' }] },
    { role: 'tool', tool_call_id: 'b', content: [image] },
    { role: 'user', content: 'well?' },
  ];
  const rows = toChatMessages(history, 'm', {});
  assert.deepEqual(
    rows.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'tool', 'user'],
  );
  assert.equal(rows[2]?.['content'], 'a picture');
  assert.deepEqual(rows[4]?.['content'], [
    { type: 'text', text: 'Images from the tool results above:' },
    image,
    image,
    { type: 'text', text: 'well?' },
  ]);
  assert.deepEqual(historyProblems(rows), []);
  const inPlace = toChatMessages(history, 'm', { imagesInToolResults: true });
  assert.deepEqual(inPlace[3]?.['content'], [image]);
});

test('a call that a model wrote wrongly does not poison later requests', () => {
  const history: HistoryMessage[] = [
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [call('a', 'functions.read file', '{"path": "x'), call('b', '', '[]')],
    },
    { role: 'tool', tool_call_id: 'a', content: 'no such tool' },
    { role: 'tool', tool_call_id: 'b', content: ' ' },
  ];
  const body = chatRequestBody(requestOf({ messages: history }), endpoint, dialect);
  assert.deepEqual(requestProblems(body), []);
});

test('any history in order becomes rows in order, and nothing said is lost', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value.trim() !== '');
  const turn = fc.record({
    asked: text,
    name: fc.string(),
    args: fc.string(),
    result: fc.string(),
    answer: text,
    reasoning: text,
  });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), text, (turns, last) => {
      const history: HistoryMessage[] = turns.flatMap((item, n): HistoryMessage[] => [
        { role: 'user', content: item.asked },
        {
          role: 'assistant',
          content: null,
          reasoning: item.reasoning,
          tool_calls: [call(`c${n}`, item.name, item.args)],
        },
        { role: 'tool', tool_call_id: `c${n}`, tool_name: item.name, content: item.result },
        { role: 'assistant', content: item.answer, finish_reason: 'stop' },
      ]);
      const messages: Message[] = [{ role: 'system', content: 'be good' }, ...history, { role: 'user', content: last }];
      const rows = toChatMessages(messages, 'm', {});
      assert.deepEqual(historyProblems(rows), []);
      assert.equal(rows.length, messages.length);
      for (const [index, message] of messages.entries()) {
        if (message.role !== 'tool') assert.deepEqual(rows[index]?.['content'], message.content ?? '');
      }
    }),
  );
});

test('the body carries limits, reasoning and extras in the words of the endpoint', () => {
  const bodyOf = (request: Partial<ModelRequest>, quirks: object, extraBody = {}) =>
    chatRequestBody(requestOf(request), { ...endpoint, quirks, extraBody }, dialect);
  assert.equal(bodyOf({ maxTokens: 5 }, {})['max_tokens'], 5);
  assert.equal(bodyOf({ model: 'anthropic/claude-sonnet-4.5' }, { claudeOutputCap: true })['max_tokens'], 64_000);
  assert.ok(!('max_tokens' in bodyOf({ model: 'x/y' }, { claudeOutputCap: true })));
  const extra = bodyOf({ extraBody: { a: 2 } }, {}, { a: 1, enable_thinking: true });
  assert.deepEqual([extra['a'], extra['enable_thinking']], [2, true]);
  const openRouter = { reasoning: 'openrouter' };
  assert.deepEqual(bodyOf({ model: 'openai/gpt-5', reasoningEffort: 'high' }, openRouter)['reasoning'], {
    enabled: true,
    effort: 'high',
  });
  assert.deepEqual(bodyOf({ model: 'openai/gpt-5', reasoningEffort: 'none' }, openRouter)['reasoning'], {
    enabled: false,
  });
  assert.equal(
    bodyOf({ model: 'anthropic/claude-opus-4.6', reasoningEffort: 'xhigh' }, openRouter)['verbosity'],
    'xhigh',
  );
  assert.ok(!('reasoning' in bodyOf({ model: 'meta/llama', reasoningEffort: 'high' }, openRouter)));
  const openAi = { reasoning: 'reasoning_effort', developerRoleModels: /^gpt-5/, sessionField: 'prompt_cache_key' };
  const direct = bodyOf(
    {
      model: 'gpt-5',
      reasoningEffort: 'low',
      sessionId: 's1',
      messages: [
        { role: 'system', content: 'x' },
        { role: 'user', content: 'y' },
      ],
    },
    openAi,
  );
  assert.deepEqual([direct['reasoning_effort'], direct['prompt_cache_key']], ['low', 's1']);
  assert.deepEqual(direct['messages'], [
    { role: 'developer', content: 'x' },
    { role: 'user', content: 'y' },
  ]);
});
