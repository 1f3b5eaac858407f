/** What holds for every history that is shortened, and for chains of compactions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { pairCalls, requestHistory } from '../../src/agent/history.ts';
import { type HistoryMessage, sourcesOf } from '../../src/llm/message.ts';
import { isOutside, type Source } from '../../src/llm/source.ts';
import { fit, request, says, setUp, summary, user } from './compressing.ts';

const arbitraryTurn: fc.Arbitrary<HistoryMessage[]> = fc.oneof(
  fc.string({ maxLength: 300 }).map((text) => [user(`u${text}`), says('a')]),
  fc
    .record({ size: fc.integer({ min: 0, max: 3000 }), count: fc.integer({ min: 1, max: 4 }), id: fc.uuid() })
    .map(({ size, count, id }): HistoryMessage[] => [
      user('go'),
      {
        role: 'assistant',
        content: null,
        tool_calls: Array.from({ length: count }, (_, n) => ({
          id: `${id}-${n}`,
          type: 'function' as const,
          function: { name: 't', arguments: '{"path":"/a"}' },
        })),
      },
      ...Array.from(
        { length: count },
        (_, n): HistoryMessage => ({ role: 'tool', tool_call_id: `${id}-${n}`, content: 'r'.repeat(size) }),
      ),
      says('done'),
    ]),
);

test('whatever is shortened stays in order: roles alternate, calls keep their results, the newest request is whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryTurn, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1000, max: 9000 }),
      fc.boolean(),
      async (turns, protectFirst, protectLast, contextLength, fails) => {
        const { engine } = setUp(() => (fails ? new Error('down') : summary), { protectFirst, protectLast });
        const newest = user('the newest request');
        const history = requestHistory([...turns.flat(), newest]);
        const copy = structuredClone(history);
        const result = await fit(engine, history, { contextLength });
        assert.deepEqual(history, copy, 'the input is not changed');
        assert.deepEqual(pairCalls(result.history), result.history, 'calls and results are whole');
        assert.deepEqual(result.history.at(-1), history.at(-1), 'the newest request is whole');
        if (result.compaction !== undefined) {
          assert.ok(result.compaction.tokensAfter < result.compaction.tokensBefore, 'never longer than before');
        }
        const first = turns[0]?.[0];
        if (protectFirst > 0 && first !== undefined) assert.deepEqual(result.history[0], first);
      },
    ),
    { numRuns: 150 },
  );
});

/** A tool result that brings text from a host of its own, or a call of which nobody knows what became. */
const tainted = (n: number, isUnknown: boolean): HistoryMessage[] => {
  const id = `tainted_${n}`;
  const call = { id, type: 'function' as const, function: { name: 'web', arguments: `{"n":${n}}` } };
  return [
    user(`look at ${n}`),
    { role: 'assistant', content: null, tool_calls: [call] },
    ...(isUnknown
      ? []
      : [
          {
            role: 'tool' as const,
            tool_call_id: id,
            content: `page ${n} ${'p'.repeat(2000)}`,
            sources: [{ from: 'page' as const, name: `host-${n % 5}.test` }],
          },
        ]),
    says('seen'),
  ];
};

const outsideOf = (history: readonly HistoryMessage[]): Set<string> =>
  new Set(history.flatMap(sourcesOf).filter(isOutside).map(describeSource));
const describeSource = ({ from, name = '' }: Source): string => `${from} ${name}`;

test('through a chain of compactions sources only add up, unknown outcomes stay named, and nothing gets longer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ pages: fc.integer({ min: 1, max: 12 }), unknown: fc.boolean(), asked: fc.boolean() }), {
        minLength: 2,
        maxLength: 6,
      }),
      fc.boolean(),
      async (rounds, fails) => {
        const setup = setUp(() => (fails ? new Error('down') : summary), { protectFirst: 2, protectLast: 4 });
        let history: readonly HistoryMessage[] = [];
        const seen = new Set<string>();
        const unknown: number[] = [];
        let n = 0;
        for (const { pages, unknown: isUnknown, asked } of rounds) {
          for (let page = 0; page < pages; page += 1) history = [...history, ...tainted((n += 1), false)];
          if (isUnknown) {
            history = [...history, ...tainted((n += 1), true)];
            unknown.push(n);
          }
          const newest = user(`the newest request ${n}`);
          history = [...history, newest];
          for (const source of outsideOf(history)) seen.add(source);
          const result = asked
            ? await setup.engine.compress(request(history), {}, new AbortController().signal)
            : await fit(setup.engine, history);
          setup.now += 1000;
          if (result.compaction !== undefined) {
            assert.ok(result.compaction.tokensAfter < result.compaction.tokensBefore);
            assert.deepEqual(
              result.history.filter((message) => message === newest),
              [newest],
              'the newest request',
            );
            assert.deepEqual(pairCalls(result.history), result.history, 'calls and results are whole');
          }
          history = result.history;
          const now = outsideOf(history);
          for (const source of seen) assert.ok(now.has(source), `${source} is gone`);
          const text = JSON.stringify(requestHistory(history));
          for (const call of unknown) {
            assert.ok(/unknown/i.test(text) && text.includes(`\\"n\\":${call}}`), `the unknown call ${call} is gone`);
          }
          history = [...history, says('an answer')];
        }
      },
    ),
    { numRuns: 100 },
  );
});
