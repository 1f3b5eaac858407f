/** Whatever the history: a request that Bedrock accepts; whatever comes back: an answer or one error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ModelError } from '../../../../src/llm/model-error.ts';
import type { ModelEvent } from '../../../../src/llm/protocol.ts';
import { BedrockConverse } from '../../../../src/llm/protocols/bedrock/converse.ts';
import { converseInput } from '../../../../src/llm/protocols/bedrock/converse-input.ts';
import { wireId } from '../../../../src/llm/protocols/bedrock/wire-names.ts';
import { converseProblems } from '../../../fakes/bedrock-rules.ts';
import { callStart, delta, encodeEvent, messageStop, startBedrockServer } from '../../../fakes/bedrock-server.ts';
import { ask, requestOf } from '../ask.ts';
import { histories } from '../../histories.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-of-the-test' };
const models = fc.constantFrom(
  'us.anthropic.claude-sonnet-4-5-v1:0',
  'amazon.nova-pro-v1:0',
  'meta.llama3-3-70b-instruct-v1:0',
);
const toolLists = fc.constantFrom([], [{ name: 'read_file', description: '', parameters: {} }]);

test('every repaired history becomes a request that the rules accept', () => {
  fc.assert(
    fc.property(histories, models, toolLists, fc.constantFrom('5m', '1h', undefined), (messages, model, tools, ttl) => {
      const cache = ttl === undefined ? {} : { cacheTtl: ttl };
      const all = [{ role: 'system' as const, content: 'Be brief.' }, ...messages];
      const input = converseInput(requestOf({ model, messages: all, tools, ...cache }), {
        provider: 'bedrock',
        baseUrl: '',
      });
      const wire: unknown = JSON.parse(JSON.stringify(input, base64Bytes));
      assert.deepEqual(converseProblems(wire), []);
    }),
    { numRuns: 300 },
  );
});

test('ids stay different and are always made the same way', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ maxLength: 90 }), { maxLength: 20 }), (ids) => {
      const made = ids.map(wireId);
      for (const id of made) assert.match(id, /^[a-zA-Z0-9_-]{1,64}$/);
      assert.equal(new Set(made).size, ids.length);
      assert.deepEqual(ids.map(wireId), made);
    }),
  );
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });

test('an answer is the same message however its bytes are cut', async () => {
  await using server = await startBedrockServer();
  const protocol = new BedrockConverse({ provider: 'bedrock', baseUrl: server.url }, credentials);
  const cuts = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(words, { maxLength: 4 }),
      fc.array(words, { maxLength: 2 }),
      cuts,
      async (texts, calls, lengths) => {
        const events = [
          delta(0, { reasoningContent: { text: 'Hm.' } }),
          delta(0, { reasoningContent: { signature: 'c2ln' } }),
          ...texts.map((text) => delta(1, { text })),
          ...calls.flatMap((x, index) => [
            callStart(index + 2, `tooluse_${index}`, 'weather'),
            delta(index + 2, { toolUse: { input: JSON.stringify({ x }) } }),
          ]),
          messageStop('end_turn'),
        ];
        const bytes = Buffer.concat(events.map(encodeEvent));
        server.enqueue({ raw: [bytes] }, { raw: cut(bytes, lengths) });
        const [whole, pieces] = [await ask(protocol), await ask(protocol)];
        assert.deepEqual(pieces.done, whole.done);
        assert.equal(pieces.text, whole.text);
        assert.equal(whole.done.message.content ?? '', texts.join(''));
        assert.deepEqual(
          (whole.done.message.tool_calls ?? []).map((call) => JSON.parse(call.function.arguments)),
          calls.map((x) => ({ x })),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test('garbage ends in done or in exactly one ModelError', async () => {
  await using server = await startBedrockServer();
  const protocol = new BedrockConverse({ provider: 'bedrock', baseUrl: server.url }, credentials);
  const types = fc.constantFrom(
    'messageStart',
    'contentBlockStart',
    'contentBlockDelta',
    'messageStop',
    'metadata',
    'odd',
    'validationException',
  );
  const shapes = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc
      .jsonValue({ maxDepth: 2 })
      .map((value) => ({ contentBlockIndex: 0, delta: value, start: value, usage: value, stopReason: value })),
    fc.jsonValue({ maxDepth: 1 }).map((value) => ({
      delta: { text: value, toolUse: { input: value }, reasoningContent: { text: value, redactedContent: value } },
    })),
    fc.jsonValue({ maxDepth: 1 }).map((value) => ({ start: { toolUse: { toolUseId: value, name: value } } })),
  );
  const odd = fc
    .tuple(types, shapes, fc.boolean())
    .map(([type, data, exception]) => encodeEvent({ type, data: data as object, exception }));
  const bytes = fc.uint8Array({ maxLength: 40 });
  const good = fc.constantFrom(encodeEvent(delta(0, { text: 'x' })), encodeEvent(messageStop('end_turn')));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(odd, odd, good, bytes), { maxLength: 5 }), fc.boolean(), async (raw, stream) => {
      server.enqueue({ raw });
      const events: ModelEvent[] = [];
      let errors = 0;
      try {
        for await (const one of protocol.stream(requestOf({ stream }), new AbortController().signal)) events.push(one);
      } catch (error) {
        assert.ok(error instanceof ModelError, String(error));
        errors += 1;
      }
      assert.equal(events.filter((one) => one.type === 'done').length + errors, 1);
      if (errors === 0) assert.equal(events.at(-1)?.type, 'done');
    }),
    { numRuns: 100 },
  );
});

function base64Bytes(_key: string, value: unknown): unknown {
  const buffer = value as { type?: unknown; data?: number[] } | null;
  return buffer !== null && typeof buffer === 'object' && buffer.type === 'Buffer' && buffer.data !== undefined
    ? Buffer.from(buffer.data).toString('base64')
    : value;
}

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(bytes.subarray(start, start + length));
    start += length;
  }
  return pieces;
}
