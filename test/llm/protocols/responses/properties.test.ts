/** Any history becomes a request that the service accepts; any answer survives the way there and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { repairHistory } from '../../../../src/agent/history.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';
import type { HistoryMessage, Message } from '../../../../src/llm/message.ts';
import { ModelError } from '../../../../src/llm/model-error.ts';
import type { ModelEvent, ReasoningEffort } from '../../../../src/llm/protocol.ts';
import { Dialects } from '../../../../src/llm/protocols/responses/dialect.ts';
import { responsesBody } from '../../../../src/llm/protocols/responses/request.ts';
import { responsesProblems } from '../../../fakes/responses-rules.ts';
import { startResponsesServer } from '../../../fakes/responses-server.ts';
import { messageItem, type ResponsesItem, responsesEvent, responsesEvents } from '../../../fakes/responses-steps.ts';
import { ask, requestOf } from '../ask.ts';
import { histories } from '../../histories.ts';
import { result, user } from '../short-forms.ts';
import { responsesAt } from './support.ts';

const words = fc.string({ unit: 'grapheme', maxLength: 30 });
const filled = words.filter((text) => text.trim() !== '' && !/[<>]/.test(text));
const ids = fc.constantFrom('rs_1', 'rs_2', 'msg_1', 'msg_2', 'msg_é', 'x', '', `rs_${'x'.repeat(80)}`, 7);
const encrypted = fc.constantFrom('abc', '', null);
const reasoningItems: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.array(
    fc.oneof(
      fc.record({
        type: fc.constant('reasoning'),
        id: ids,
        summary: fc.array(words.map((text) => ({ type: 'summary_text', text }))),
        encrypted_content: encrypted,
      }),
      fc.constantFrom<JsonValue[]>(null, 'x', {}, { encrypted_content: 'x', summary: [7, {}] }),
    ),
    { maxLength: 3 },
  ),
  fc.constantFrom<JsonValue[]>('text', null, 7),
);
const phases = fc.constantFrom('commentary', 'final_answer', 'analysis', null, 7);

/** Stored items of a message, true to its words or not. */
function messageItems(content: string | null): fc.Arbitrary<JsonValue> {
  const text = fc.oneof(words, fc.constant(content ?? ''));
  const item = fc.record({
    type: fc.constant('message'),
    id: ids,
    phase: phases,
    content: text.map((said) => [{ type: 'output_text', text: said }]),
  });
  return fc.oneof(fc.array(item, { maxLength: 2 }), fc.constantFrom<JsonValue[]>('odd', [null], [{}]));
}

/** Histories with what this protocol, older versions and other programs may have stored. */
const stored: fc.Arbitrary<readonly HistoryMessage[]> = histories.chain((history) =>
  fc.tuple(
    ...history.map((message): fc.Arbitrary<HistoryMessage> => {
      if (message.role !== 'assistant') return fc.constant(message);
      return fc.tuple(fc.option(reasoningItems), fc.option(messageItems(message.content))).map(([thoughts, items]) => ({
        ...message,
        ...(thoughts === null ? {} : { codex_reasoning_items: thoughts }),
        ...(items === null ? {} : { codex_message_items: items }),
      }));
    }),
  ),
);
const efforts = fc.constantFrom<(ReasoningEffort | undefined)[]>(undefined, 'none', 'minimal', 'xhigh');

function bodyOf(messages: readonly Message[], overrides: Parameters<typeof requestOf>[0] = {}) {
  const request = requestOf({ model: 'gpt-5.4', messages, ...overrides });
  return responsesBody(
    request,
    { provider: 'openai-api', baseUrl: 'https://api.openai.com/v1' },
    new Dialects().for('m'),
  );
}

test('any repaired history becomes a request that breaks no rule', () => {
  fc.assert(
    fc.property(stored, words, efforts, (history, system, effort) => {
      const messages = [{ role: 'system' as const, content: system }, ...repairHistory([...history, user('now')])];
      const body = bodyOf(messages, effort === undefined ? {} : { reasoningEffort: effort });
      assert.deepEqual(responsesProblems(JSON.parse(JSON.stringify(body))), []);
    }),
    { numRuns: 400 },
  );
});

test('a request grows at its end only', () => {
  fc.assert(
    fc.property(stored, (history) => {
      const first = repairHistory([...history, user('now')]);
      const before = bodyOf(first)['input'] as JsonValue[];
      const after = bodyOf([...first, { role: 'assistant', content: 'Yes.' }, user('more')])['input'] as JsonValue[];
      assert.deepEqual(after.slice(0, before.length), before);
    }),
    { numRuns: 200 },
  );
});

const thoughts = fc.record({ thought: filled, readable: fc.boolean() }).map(({ thought, readable }) => ({
  type: 'reasoning',
  summary: readable ? [{ type: 'summary_text', text: thought }] : [],
  encrypted_content: `enc ${thought}`,
}));
const messages = fc
  .record({ text: filled, phase: fc.constantFrom('commentary', 'final_answer', undefined) })
  .map(({ text, phase }) => messageItem('', text, 'completed', phase));
const functionCalls = fc.record({
  type: fc.constant('function_call'),
  name: fc.constantFrom('terminal', 'read_file'),
  arguments: fc.dictionary(words, fc.jsonValue()).map((value) => JSON.stringify(value)),
  status: fc.constant('completed'),
});
const prefixes: Readonly<Record<string, string>> = { reasoning: 'rs_', message: 'msg_', function_call: 'fc_' };

/** Items with ids of their own. */
function numbered(items: readonly ResponsesItem[]): ResponsesItem[] {
  return items.map((item, index) => ({
    ...item,
    id: `${prefixes[item.type] ?? 'x_'}${index}`,
    ...(item.type === 'function_call' ? { call_id: `call_${index}` } : {}),
  }));
}

/** In the order in which they are sent back: thoughts, words, calls. */
const ordered = fc
  .tuple(
    fc.array(thoughts, { maxLength: 2 }),
    fc.array(messages, { maxLength: 2 }),
    fc.array(functionCalls, { maxLength: 3 }),
  )
  .filter(([, said, called]) => said.length + called.length > 0)
  .map((parts) => numbered(parts.flat()));

test('an answer comes back to the service item by item as it left it', async () => {
  await using server = await startResponsesServer({ strict: true });
  const protocol = responsesAt(server.url);
  await fc.assert(
    fc.asyncProperty(ordered, fc.boolean(), async (items, stream) => {
      server.enqueue({ items, pieceChars: 3 }, { text: 'ok' });
      const { done } = await ask(protocol, { stream, messages: [user('go')] });
      const results = (done.message.tool_calls ?? []).map(({ id }) => result(id));
      await ask(protocol, { stream, messages: [user('go'), done.message, ...results, user('more')] });
      const wire = items.map((item) => {
        if (item.type !== 'function_call') return item;
        // The item id of a call is not needed to find it again.
        const { type, call_id, name, arguments: written } = item;
        return { type, call_id, name, arguments: written };
      });
      assert.deepEqual(server.lastRequest.body.input.slice(1, 1 + items.length), JSON.parse(JSON.stringify(wire)));
    }),
    { numRuns: 80 },
  );
  assert.deepEqual(server.violations, []);
});

const anyItems = fc.array(fc.oneof(thoughts, messages, functionCalls), { maxLength: 6 }).map(numbered);

test('an answer is the same message however its bytes are cut, and whether it is streamed or not', async () => {
  await using server = await startResponsesServer();
  const protocol = responsesAt(server.url);
  await fc.assert(
    fc.asyncProperty(anyItems, fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), async (items, cuts) => {
      const context = { model: 'm', encrypted: true, nextId: () => 0 };
      const events = responsesEvents({ items, pieceChars: 5 }, context).join('');
      server.enqueue({ raw: [events] }, { raw: cut(Buffer.from(events), cuts) }, { items, format: 'json' });
      const whole = await ask(protocol);
      const pieces = await ask(protocol);
      assert.deepEqual(pieces.done, whole.done);
      assert.equal(pieces.text, whole.text);
      assert.equal(pieces.reasoning, whole.reasoning);
      const atOnce = await ask(protocol);
      assert.deepEqual(atOnce.done, whole.done);
      assert.equal(atOnce.text, whole.text);
    }),
    { numRuns: 40 },
  );
});

test('20,000 events cost little processor time and few text events', async () => {
  await using server = await startResponsesServer();
  const at = { output_index: 0, content_index: 0, item_id: 'msg_1' };
  const piece = responsesEvent({ type: 'response.output_text.delta', ...at, delta: 'word ' });
  const end = responsesEvent({ type: 'response.completed', response: { status: 'completed', output: [] } });
  server.enqueue({ raw: [...Array.from({ length: 100 }, () => piece.repeat(200)), end] });
  const before = process.cpuUsage();
  const { events, text, done } = await ask(responsesAt(server.url));
  const used = process.cpuUsage(before);
  assert.equal(text.length, 100_000);
  assert.equal(done.message.content, text);
  assert.ok(events.length < 2000, `${events.length} events`);
  // The server's work and a cold start are in it; a quadratic step would take many seconds.
  assert.ok((used.user + used.system) / 1000 < 1500, `${(used.user + used.system) / 1000} ms`);
});

test('garbage ends in done or in exactly one ModelError', async () => {
  await using server = await startResponsesServer({ respond: () => ({ fault: 'garbage' }) });
  const protocol = responsesAt(server.url);
  const types = [
    'output_item.added',
    'output_item.done',
    'output_text.delta',
    'reasoning_summary_text.delta',
    'function_call_arguments.delta',
    'completed',
    'incomplete',
    'failed',
    'created',
  ].map((name) => `response.${name}`);
  const itemFields = fc.constantFrom('id', 'call_id', 'name', 'arguments', 'content', 'summary', 'status', 'phase');
  const oddItem = fc
    .tuple(
      fc.constantFrom('message', 'reasoning', 'function_call', 'custom_tool_call', 'other'),
      fc.dictionary(itemFields, fc.jsonValue()),
    )
    .map(([type, fields]) => ({ ...fields, type }));
  const odd = fc
    .tuple(
      fc.constantFrom('error', ...types),
      fc.jsonValue(),
      fc.oneof(oddItem, fc.jsonValue()),
      fc.integer({ max: 2 }),
    )
    .map(([type, value, item, output_index]) => {
      const fields = { output_index, item_id: value, item, delta: value, response: { output: [item], usage: value } };
      return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
    });
  const oddWhole = fc.tuple(fc.jsonValue(), oddItem).map(([value, item]) => JSON.stringify({ output: [value, item] }));
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  const good = 'data: {"type":"response.output_text.delta","output_index":0,"delta":"x"}\n\n';
  const end = 'data: {"type":"response.completed","response":{"status":"completed"}}\n\n';
  const chunk = fc.oneof(odd, oddWhole, bytes, fc.constantFrom(good, end, '{', '<', '\n\n', 'data: 7\n\n'));
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 6 }), fc.boolean(), async (raw, stream) => {
      server.enqueue({ raw });
      const events: ModelEvent[] = [];
      let errors = 0;
      try {
        for await (const event of protocol.stream(requestOf({ stream }), new AbortController().signal)) {
          events.push(event);
        }
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

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(bytes.subarray(start, start + length));
    start += length;
  }
  return pieces;
}
