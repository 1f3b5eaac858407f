/** `/compress here`: a person says where to shorten. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestHistory } from '../../src/agent/history.ts';
import { type HistoryMessage, textOf } from '../../src/llm/message.ts';
import { contentOf } from './support.ts';
import { long, request, says, setUp, user } from './compressing.ts';

test('/compress here keeps the newest exchanges and summarises the rest; a topic goes into the question', async () => {
  const { engine, prompt } = setUp();
  const history = long(10);
  const kept = await engine.compress(request(history), { keepExchanges: 2 }, new AbortController().signal);
  assert.deepEqual(kept.history.slice(-8), history.slice(-8));
  assert.deepEqual(kept.history.slice(0, 3), history.slice(0, 3), 'what is protected at the start');
  assert.equal(kept.history[3]?.kind, 'summary');
  assert.equal(kept.history.length, 12);
  await engine.compress(request(long(12)), { focus: 'the database schema' }, new AbortController().signal);
  assert.match(prompt(1), /the database schema/);
  const short = await engine.compress(request(long(1)), {}, new AbortController().signal);
  assert.match(short.notices.join(), /nothing to compress/);
});

test('/compress without a topic gives priority to the latest requests, masked and cut', async () => {
  const { engine, prompt } = setUp();
  const latest = [
    user('First thing.'),
    says('a'),
    user('Use sk-secret-1234.'),
    says('b'),
    user('x'.repeat(900)),
    says('c'),
  ];
  await engine.compress(request([...long(12), ...latest]), {}, new AbortController().signal);
  const [, focus = ''] = /Give priority to everything about: ([^]*?)\n\n/.exec(prompt(0)) ?? [];
  assert.match(focus, /\n- First thing\.\n- Use (?!sk-secret)[^\n]*\n- x{259}…$/);
  assert.ok(focus.length <= 700);
});

test('/compress here keeps the exchanges byte for byte, whatever stands before them and however long they are', async () => {
  const history = [...long(4), ...long(7, 90_000).slice(16)];
  for (const protectFirst of [0, 1, 2, 3, 4]) {
    const { engine } = setUp(undefined, { protectFirst, protectLast: 1 });
    const kept = await engine.compress(request(history), { keepExchanges: 3 }, new AbortController().signal);
    assert.deepEqual(kept.history.slice(-12), history.slice(-12), `with ${protectFirst} protected`);
    const sent = requestHistory(kept.history);
    assert.equal(requestHistory(sent), sent);
    assert.deepEqual(sent.slice(-12), history.slice(-12), 'nor does a request change them');
    const marked = kept.history.filter(({ content }) =>
      textOf(content).startsWith('[CONTEXT COMPACTION — REFERENCE ONLY]'),
    );
    assert.equal(marked.length, 1);
  }
});

test('a note of this program is no exchange', async () => {
  const { engine } = setUp();
  const note: HistoryMessage[] = [{ role: 'user', content: 'go on', kind: 'note' }, says('the rest')];
  const history = [...long(8), ...note];
  const kept = await engine.compress(request(history), { keepExchanges: 2 }, new AbortController().signal);
  assert.deepEqual(kept.history.slice(-10), history.slice(-10));
});

test('what stands between a summary and the kept messages is neither kept nor summarised later', async () => {
  const { engine, prompt } = setUp(undefined, { protectFirst: 0 });
  const first = await engine.compress(request(long(10)), { keepExchanges: 2 }, new AbortController().signal);
  assert.match(contentOf(requestHistory(first.history)[1]), /^I have read the summary/);
  const second = await engine.compress(
    request([...requestHistory(first.history), ...long(14).slice(40)]),
    { keepExchanges: 2 },
    new AbortController().signal,
  );
  assert.doesNotMatch(prompt(1), /I have read the summary/);
  const bridges = requestHistory(second.history).filter(({ kind }) => kind === 'bridge');
  assert.equal(bridges.length, 1, 'made anew for the one summary');
});
