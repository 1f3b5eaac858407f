/** However the network cuts an answer, and whatever bytes come, the result is the same message or one error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ModelError } from '../../../src/llm/model-error.ts';
import type { ModelEvent } from '../../../src/llm/protocol.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { type Answer, sseChunk, streamedEvents } from '../../fakes/model-steps.ts';
import { ask, protocolAt, requestOf } from './ask.ts';

const words = fc.string({ unit: 'grapheme', maxLength: 40 });
const answers: fc.Arbitrary<Answer> = fc.record({
  text: fc.oneof(
    words,
    fc.tuple(words, words).map(([thought, said]) => `<think>${thought}</think>${said}`),
  ),
  reasoning: words,
  reasoningField: fc.constantFrom('reasoning' as const, 'reasoning_content' as const, 'reasoning_details' as const),
  toolCalls: fc.array(
    fc.record({ name: fc.constantFrom('read_file', 'terminal'), arguments: words.map((x) => ({ x })) }),
    { maxLength: 3 },
  ),
  pieceChars: fc.integer({ min: 1, max: 9 }),
});

test('an answer is the same message however its bytes are cut', async () => {
  await using server = await startModelServer();
  const protocol = protocolAt(server.url);
  await fc.assert(
    fc.asyncProperty(answers, fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), async (answer, cuts) => {
      let id = 0;
      const events = streamedEvents('m', answer, () => `call_${(id += 1)}`, true).join('');
      server.enqueue({ raw: [events] }, { raw: cut(Buffer.from(events), cuts) });
      const whole = await ask(protocol);
      const pieces = await ask(protocol);
      assert.deepEqual(pieces.done, whole.done);
      assert.equal(pieces.text, whole.text);
      assert.equal(pieces.reasoning, whole.reasoning);
      assert.equal(whole.done.message.content ?? '', answer.text);
      assert.deepEqual(
        (whole.done.message.tool_calls ?? []).map((call) => [call.function.name, JSON.parse(call.function.arguments)]),
        (answer.toolCalls ?? []).map((call) => [call.name, call.arguments]),
      );
    }),
    { numRuns: 60 },
  );
});

test('garbage ends in done or in exactly one ModelError', async () => {
  await using server = await startModelServer();
  const protocol = protocolAt(server.url);
  const good = sseChunk('m', { content: 'x' });
  const odd = fc.json().map((json) => `data: ${json}\n\n`);
  const oddChoice = fc.json().map((json) => `data: {"choices":[${json}]}\n\n`);
  const oddDelta = fc.json().map((json) => `data: {"choices":[{"delta":${json}}]}\n\n`);
  const oddCalls = fc.json().map((json) => `data: {"choices":[{"delta":{"tool_calls":[${json}]}}]}\n\n`);
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
  const chunk = fc.oneof(
    odd,
    oddChoice,
    oddDelta,
    oddCalls,
    bytes,
    fc.constantFrom(good, 'data: [DONE]\n\n', '{', '<', '\n\n'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 6 }), fc.boolean(), async (raw, stream) => {
      server.enqueue({ raw });
      const events: ModelEvent[] = [];
      let errors = 0;
      try {
        for await (const event of protocol.stream(requestOf({ stream }), new AbortController().signal))
          events.push(event);
      } catch (error) {
        assert.ok(error instanceof ModelError, String(error));
        errors += 1;
      }
      assert.equal(events.filter((event) => event.type === 'done').length + errors, 1);
      if (errors === 0) assert.equal(events.at(-1)?.type, 'done');
    }),
    { numRuns: 150 },
  );
});

test('20,000 events cost little processor time and few text events', async () => {
  await using server = await startModelServer();
  const piece = sseChunk('m', { content: 'word ' });
  const batch = piece.repeat(200);
  server.enqueue({ raw: [...Array.from({ length: 100 }, () => batch), sseChunk('m', {}, 'stop')] });
  const before = process.cpuUsage();
  const { events, text } = await ask(protocolAt(server.url));
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
