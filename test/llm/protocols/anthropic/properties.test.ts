/** Any history becomes a request that the service accepts; any answer survives the way there and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { repairHistory } from '../../../../src/agent/history.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';
import type { ContentPart, HistoryMessage } from '../../../../src/llm/message.ts';
import { ModelError } from '../../../../src/llm/model-error.ts';
import type { ModelEvent } from '../../../../src/llm/protocol.ts';
import { messagesBody } from '../../../../src/llm/protocols/anthropic/request-body.ts';
import { Dialects } from '../../../../src/llm/protocols/anthropic/dialect.ts';
import { anthropicProblems, signatureFor } from '../../../fakes/anthropic-rules.ts';
import { startAnthropicServer } from '../../../fakes/anthropic-server.ts';
import { anthropicEvents } from '../../../fakes/anthropic-steps.ts';
import { ask, requestOf } from '../ask.ts';
import { result, user } from '../short-forms.ts';
import { claudeAt, claudeRequest } from './support.ts';

const words = fc.string({ unit: 'grapheme', maxLength: 30 });
const blankOrWords = fc.oneof(words, fc.constantFrom('', ' ', '\n\n'));
const parts: fc.Arbitrary<ContentPart> = fc.oneof(
  blankOrWords.map((text) => ({ type: 'text' as const, text })),
  fc
    .constantFrom('data:image/png;base64,AA==', 'data:image/bmp;base64,AA==', 'https://x.test/a.png', 'file:///a', '')
    .map((url) => ({ type: 'image_url' as const, image_url: { url } })),
);
const content = fc.oneof(blankOrWords, fc.array(parts, { maxLength: 3 }));
const ids = fc.oneof(
  fc.constantFrom('a', 'b', 'a:b', 'a_b', '', `${'long'.repeat(20)}1`, `${'long'.repeat(20)}2`),
  words,
);
const toolCalls = fc.array(
  fc.record({
    id: ids,
    type: fc.constant('function' as const),
    function: fc.record({ name: words, arguments: fc.oneof(words, fc.json(), fc.constant('{"x":1}')) }),
  }),
  { maxLength: 3 },
);
const thoughts = words.map((thinking) => ({ type: 'thinking', thinking, signature: signatureFor(thinking) }));
const details: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.array(
    fc.oneof(
      thoughts,
      fc.constant({ type: 'redacted_thinking', data: 'eA==' }),
      fc.constant({ type: 'thinking', thinking: 'unsigned' }),
      fc.constant({ type: 'reasoning.text', text: 'foreign' }),
      fc.constant({ type: 'tool_use' }),
      fc.integer({ min: -2, max: 40 }).map((length) => ({ type: 'text', length })),
    ),
    { maxLength: 4 },
  ),
  fc.constantFrom<JsonValue>('text', null, 7, [null, 'x']),
);
const messages: fc.Arbitrary<HistoryMessage> = fc.oneof(
  content.map((content) => ({ role: 'user' as const, content })),
  fc.tuple(fc.option(blankOrWords), toolCalls, fc.option(details)).map(([content, tool_calls, reasoning_details]) => ({
    role: 'assistant' as const,
    content,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
    ...(reasoning_details === null ? {} : { reasoning_details }),
  })),
  fc.tuple(ids, content).map(([tool_call_id, content]) => ({ role: 'tool' as const, tool_call_id, content })),
);
const requests = fc.record({
  history: fc.array(messages, { maxLength: 12 }),
  model: fc.constantFrom('claude-sonnet-4-5', 'claude-opus-4-6', 'claude-haiku-4-5', 'claude-opus-5-5', 'MiniMax-M2.7'),
  reasoningEffort: fc.option(fc.constantFrom('none' as const, 'low' as const, 'xhigh' as const), { nil: undefined }),
  cacheTtl: fc.option(fc.constantFrom('5m' as const, '1h' as const), { nil: undefined }),
  system: blankOrWords,
});

test('any repaired history becomes a request that breaks no rule', () => {
  fc.assert(
    fc.property(requests, ({ history, model, reasoningEffort, cacheTtl, system }) => {
      const repaired = repairHistory([...history, { role: 'user', content: 'now' }]);
      const request = requestOf({
        model,
        messages: [{ role: 'system', content: system }, ...repaired],
        ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
        ...(cacheTtl === undefined ? {} : { cacheTtl }),
      });
      const endpoint = { provider: 'anthropic', baseUrl: 'https://api.anthropic.com' };
      const body = messagesBody(request, endpoint, new Dialects().for(model));
      assert.deepEqual(anthropicProblems(JSON.parse(JSON.stringify(body))), []);
    }),
    { numRuns: 400 },
  );
});

test('a request grows at its end only', () => {
  fc.assert(
    fc.property(fc.array(messages, { maxLength: 10 }), (history) => {
      const endpoint = { provider: 'anthropic', baseUrl: 'https://api.anthropic.com' };
      const rows = (given: readonly HistoryMessage[]) => {
        const request = requestOf({ model: 'claude-opus-4-6', reasoningEffort: 'high', messages: given });
        return messagesBody(request, endpoint, new Dialects().for('claude-opus-4-6'))['messages'] as JsonValue[];
      };
      const first = repairHistory([...history, user('now')]);
      const before = rows(first);
      const after = rows([...first, { role: 'assistant', content: 'Yes.' }, user('more')]);
      assert.deepEqual(after.slice(0, before.length), before);
    }),
    { numRuns: 200 },
  );
});

const filled = words.filter((text) => text.trim() !== '' && !/[<>]/.test(text));
const blocks = fc.array(
  fc.oneof(
    thoughts,
    fc.constant({ type: 'redacted_thinking', data: 'b3BhcXVl' }),
    filled.map((text) => ({ type: 'text', text })),
    fc.record({
      type: fc.constant('tool_use'),
      name: fc.constant('terminal'),
      input: fc.dictionary(words, fc.jsonValue()),
    }),
  ),
  { maxLength: 7 },
);

test('an answer comes back to the service block by block as it left it, when it holds a thought', async () => {
  await using server = await startAnthropicServer();
  const protocol = claudeAt(server.url);
  await fc.assert(
    fc.asyncProperty(blocks, fc.boolean(), async (given, stream) => {
      const numbered = given.map((block, index) =>
        block.type === 'tool_use' ? { id: `toolu_${index}`, ...block } : block,
      );
      fc.pre(numbered.some(({ type }) => type.endsWith('thinking')));
      fc.pre(numbered.some(({ type }) => type === 'text' || type === 'tool_use'));
      server.enqueue({ blocks: numbered, pieceChars: 3 }, { text: 'ok' });
      const request = { model: 'claude-opus-4-6', reasoningEffort: 'high', stream } as const;
      const { done } = await ask(protocol, { ...request, messages: [user('go')] });
      const results = (done.message.tool_calls ?? []).map(({ id }) => result(id));
      await ask(protocol, { ...request, messages: [user('go'), done.message, ...results, user('more')] });
      assert.deepEqual(server.lastRequest.body.messages[1]?.content, JSON.parse(JSON.stringify(numbered)));
    }),
    { numRuns: 80 },
  );
  assert.deepEqual(server.violations, []);
});

test('an answer is the same message however its bytes are cut', async () => {
  await using server = await startAnthropicServer();
  const protocol = claudeAt(server.url);
  await fc.assert(
    fc.asyncProperty(blocks, fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), async (given, cuts) => {
      let id = 0;
      const usage = { input_tokens: 10 };
      const events = anthropicEvents('m', { blocks: given, pieceChars: 5 }, () => `toolu_${(id += 1)}`, usage).join('');
      server.enqueue({ raw: [events] }, { raw: cut(Buffer.from(events), cuts) });
      const whole = await ask(protocol, claudeRequest());
      const pieces = await ask(protocol, claudeRequest());
      assert.deepEqual(pieces.done, whole.done);
      assert.equal(pieces.text, whole.text);
      assert.equal(pieces.reasoning, whole.reasoning);
    }),
    { numRuns: 60 },
  );
});

test('garbage ends in done or in exactly one ModelError', async () => {
  await using server = await startAnthropicServer();
  const protocol = claudeAt(server.url);
  const types =
    'message_start content_block_start content_block_delta message_delta message_stop error ping message'.split(' ');
  const odd = fc.tuple(fc.constantFrom(...types), fc.jsonValue(), fc.jsonValue()).map(([type, value, other]) => {
    const fields = { index: other, message: value, content_block: value, delta: value, content: value, usage: other };
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  });
  const kinds = fc.constantFrom('text', 'thinking', 'redacted_thinking', 'tool_use', 'nothing');
  const oddBlock = fc
    .tuple(kinds, fc.dictionary(fc.constantFrom('text', 'id', 'name', 'input', 'signature', 'data'), fc.jsonValue()))
    .map(([type, fields]) => ({ type: 'content_block_start', index: 0, content_block: { ...fields, type } }))
    .map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  const good = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}\n\n';
  const end = 'data: {"type":"message_stop"}\n\n';
  const chunk = fc.oneof(odd, oddBlock, bytes, fc.constantFrom(good, end, '{', '<', '\n\n', 'data: 7\n\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 6 }), fc.boolean(), async (raw, stream) => {
      server.enqueue({ raw });
      const events: ModelEvent[] = [];
      let errors = 0;
      try {
        const request = requestOf({ model: 'claude-sonnet-4-5', stream });
        for await (const event of protocol.stream(request, new AbortController().signal)) events.push(event);
      } catch (error) {
        assert.ok(error instanceof ModelError, String(error));
        errors += 1;
      }
      assert.equal(events.filter((event) => event.type === 'done').length + errors, 1);
      if (errors === 0) assert.equal(events.at(-1)?.type, 'done');
    }),
    { numRuns: 200 },
  );
});

test('20,000 deltas cost little processor time and few text events', async () => {
  await using server = await startAnthropicServer();
  const delta = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}\n\n';
  const batch = delta.repeat(200);
  server.enqueue({ raw: [...Array.from({ length: 100 }, () => batch), 'data: {"type":"message_stop"}\n\n'] });
  const before = process.cpuUsage();
  const { events, text } = await ask(claudeAt(server.url), claudeRequest());
  const used = process.cpuUsage(before);
  assert.equal(text.length, 100_000);
  assert.ok(events.length < 2000, `${events.length} events`);
  // The server's work and a cold start are in it; a quadratic step would take many seconds.
  assert.ok((used.user + used.system) / 1000 < 1500, `${(used.user + used.system) / 1000} ms`);
});

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(bytes.subarray(start, start + length));
    start += length;
  }
  return pieces;
}
