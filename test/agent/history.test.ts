/** The rules of an outgoing history. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { cleanText, pairCalls, repairHistory, requestHistory, stripBudgetWarnings } from '../../src/agent/history.ts';
import { contentOf } from './support.ts';
import type { HistoryMessage } from '../../src/llm/message.ts';

const user = (content: string): HistoryMessage => ({ role: 'user', content });
const says = (content: string): HistoryMessage => ({ role: 'assistant', content });
const calls = (...ids: string[]): HistoryMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'terminal', arguments: '{}' } })),
});
const result = (id: string, content = 'ok'): HistoryMessage => ({ role: 'tool', tool_call_id: id, content });

test('a healthy history passes through as the same array', () => {
  const history = [user('a'), calls('1', '2'), result('1'), result('2'), says('done'), user('b')];
  assert.equal(repairHistory(history), history);
});

test('a result without a call is dropped', () => {
  assert.deepEqual(repairHistory([user('a'), result('ghost'), says('b')]), [user('a'), says('b')]);
});

test('an unanswered call is answered with an interruption whose outcome is unknown', () => {
  const repaired = repairHistory([user('a'), calls('1', '2'), result('2')]);
  assert.equal(repaired.length, 4);
  const [, , first, second] = repaired;
  assert.ok(first?.role === 'tool' && first.tool_call_id === '1');
  assert.match(contentOf(first), /interrupted.*outcome is unknown/);
  assert.deepEqual(second, result('2'));
});

test('results come back into call order', () => {
  const repaired = repairHistory([user('a'), calls('1', '2'), result('2', 'two'), result('1', 'one'), says('b')]);
  assert.deepEqual(repaired, [user('a'), calls('1', '2'), result('1', 'one'), result('2', 'two'), says('b')]);
});

test('neighbouring user messages become one, lists keep their parts', () => {
  assert.deepEqual(repairHistory([user('a'), user('b')]), [user('a\nb')]);
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } } as const;
  assert.deepEqual(repairHistory([user('a'), { role: 'user', content: [image] }]), [
    { role: 'user', content: [{ type: 'text', text: 'a' }, image] },
  ]);
});

test('empty and repeated call ids get new ones, and each result follows its own call', () => {
  const repaired = repairHistory([user('a'), calls('', ''), result('', 'one'), result('', 'two'), says('b')]);
  const ids = repaired.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []).map((c) => c.id) : [],
  );
  assert.equal(new Set(ids).size, 2);
  for (const id of ids) assert.match(id, /^call_[0-9a-f]{12}$/);
  assert.deepEqual(
    repairHistory([user('a'), calls('', ''), result('', 'one'), result('', 'two'), says('b')]),
    repaired,
  );
  assert.deepEqual(
    repaired.flatMap((m) => (m.role === 'tool' ? [[m.tool_call_id, m.content]] : [])),
    [
      [ids[0], 'one'],
      [ids[1], 'two'],
    ],
  );
});

test('two writers on one session: every result is found by the id of its call, wherever it stands', () => {
  const one = [user('a'), calls('1', '2'), result('1', 'one'), result('2', 'two'), says('done')];
  const other = [user('b'), calls('3', '4'), result('4', 'four'), result('3', 'three'), says('done too')];
  const order = [0, 5, 1, 6, 7, 2, 8, 3, 4, 9];
  const mixed = order.flatMap((at) => [...one, ...other][at] ?? []);
  const repaired = repairHistory(mixed);
  assertValid(repaired);
  assert.doesNotMatch(JSON.stringify(repaired), /unknown/);
  assert.deepEqual(
    repaired.flatMap((message) => (message.role === 'tool' ? [message.content] : [])),
    ['one', 'two', 'three', 'four'],
  );
});

test('an id that is used again ends the search for the result of the earlier call', () => {
  const repaired = repairHistory([user('a'), calls('1'), user('b'), calls('1'), result('1', 'of the second')]);
  const results = repaired.flatMap((message) => (message.role === 'tool' ? [message] : []));
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ['unknown', undefined],
  );
});

test('guidance is sent with the result it came with, an interrupted answer says so, what was set aside is left out', () => {
  const history: HistoryMessage[] = [
    user('a'),
    { role: 'user', content: 'too large', setAside: true },
    calls('1', '2'),
    result('1'),
    result('2', 'two'),
    { role: 'user', content: 'left', kind: 'steer' },
    { role: 'user', content: 'and right', kind: 'steer' },
    { role: 'assistant', content: 'I was', kind: 'interrupted' },
    user('b'),
  ];
  const copy = structuredClone(history);
  const sent = requestHistory(history);
  assert.deepEqual(sent, [
    user('a'),
    calls('1', '2'),
    result('1'),
    result('2', 'two\n\n[User guidance while you work: left]\n\n[User guidance while you work: and right]'),
    says('I was [interrupted]'),
    user('b'),
  ]);
  assert.deepEqual(history, copy);
});

test('guidance on a result that is dropped is still sent', () => {
  const steer: HistoryMessage = { role: 'user', content: 'left', kind: 'steer' };
  assert.match(JSON.stringify(requestHistory([user('a'), result('ghost'), steer, says('b')])), /left/);
  assert.deepEqual(requestHistory([steer]), [user('left')]);
});

const word = fc.string({ minLength: 1, maxLength: 5 });
const arbitraryMessage: fc.Arbitrary<HistoryMessage> = fc.oneof(
  fc.string({ maxLength: 5 }).map(user),
  word.map((content): HistoryMessage => ({ role: 'user', content: [{ type: 'text', text: content }] })),
  fc
    .tuple(word, fc.constantFrom('steer', 'note', 'summary', 'recap', 'bridge', 'said'))
    .map(([content, kind]): HistoryMessage => ({ role: 'user', content, kind })),
  word.map((content): HistoryMessage => ({ role: 'user', content, setAside: true })),
  fc.string({ maxLength: 5 }).map(says),
  fc
    .tuple(fc.string({ maxLength: 5 }), fc.constantFrom('interrupted', 'note', 'bridge'))
    .map(([content, kind]): HistoryMessage => ({ role: 'assistant', content, kind })),
  fc.array(fc.constantFrom('', '1', '2', '3'), { minLength: 1, maxLength: 3 }).map((ids) => calls(...ids)),
  fc.constantFrom('', '1', '2', '3', '9').map((id) => result(id)),
);
const arbitraryHistory = fc.array(arbitraryMessage, { maxLength: 14 });

test('whatever the history, the repaired one is valid and stays as it is when repaired again', () => {
  fc.assert(
    fc.property(arbitraryHistory, (history) => {
      const repaired = repairHistory(history);
      assertValid(repaired);
      assert.equal(repairHistory(repaired), repaired);
      const paired = pairCalls(history);
      assert.deepEqual(pairCalls(paired), paired);
    }),
    { numRuns: 2000 },
  );
});

test('whatever the history, its request is valid, always the same, and loses nothing that the user said', () => {
  fc.assert(
    fc.property(arbitraryHistory, (history) => {
      const numbered = history.map(
        (message, n): HistoryMessage => (message.role === 'user' ? { ...message, content: `said${n}.` } : message),
      );
      const sent = requestHistory(numbered);
      assertValid(sent);
      assert.deepEqual(requestHistory(sent), sent);
      assert.deepEqual(requestHistory(numbered), sent);
      const text = JSON.stringify(sent);
      for (const [n, message] of numbered.entries()) {
        if (message.role !== 'user') continue;
        assert.equal(text.includes(`said${n}.`), message.setAside !== true);
      }
    }),
    { numRuns: 2000 },
  );
});

/** The rules that the strictest providers document: alternation, pairing in order, unique ids, nothing empty. */
function assertValid(history: readonly HistoryMessage[]): void {
  const ids = new Set<string>();
  let open: string[] = [];
  let previous = 'none';
  for (const message of history) {
    if (message.role === 'tool') {
      assert.equal(message.tool_call_id, open.shift(), 'results stand in call order');
    } else {
      assert.deepEqual(open, [], 'every call is answered before the next message');
      assert.notEqual(message.role, previous, 'user and assistant alternate');
      if (message.role === 'assistant') {
        assert.notEqual(previous, 'none', 'a history starts with the user');
        assert.ok(
          (message.tool_calls ?? []).length > 0 || (message.content ?? '').trim() !== '',
          'no empty assistant row',
        );
        open = (message.tool_calls ?? []).map((call) => call.id);
        for (const id of open) {
          assert.ok(id !== '' && !ids.has(id), 'ids are unique');
          ids.add(id);
        }
      }
    }
    previous = message.role === 'tool' ? 'assistant-with-results' : message.role;
  }
  assert.deepEqual(open, []);
}

test('lone surrogates and NUL become the replacement character', () => {
  assert.equal(cleanText('a\uD800b\0c'), 'a\uFFFDb\uFFFDc');
  assert.equal(cleanText('fine 😀'), 'fine 😀');
});

test('old budget warnings are taken out of loaded tool results', () => {
  const loaded = [
    { role: 'tool', tool_call_id: '1', content: '{"output":"x","_budget_warning":"3 left"}' },
    { role: 'tool', tool_call_id: '2', content: 'text\n\n[BUDGET WARNING: 80% used]' },
  ] as const;
  assert.deepEqual(
    stripBudgetWarnings(loaded).map((m) => m.content),
    ['{"output":"x"}', 'text'],
  );
});
