/** Messages go into the store and come out the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { requestHistory } from '../../src/agent/history.ts';
import type { AssistantMessage, HistoryMessage } from '../../src/llm/message.ts';
import { call, collect, execute, manualClock, query, temporaryStore, user } from './support.ts';

test('a conversation of every kind of message reads back as it was', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const messages: HistoryMessage[] = [
    user('hello'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'read_file', arguments: '{"path":"a' },
          extra_content: { google: { thought_signature: 'x' } },
        },
      ],
      reasoning: 'thinking',
      reasoning_content: '',
      reasoning_details: [{ type: 'reasoning.text', text: 'thinking' }],
      codex_reasoning_items: [{ id: 'rs_1' }],
      codex_message_items: { phase: 'final' },
      finish_reason: 'tool_calls',
    },
    {
      role: 'tool',
      tool_call_id: 'c1',
      tool_name: 'read_file',
      content: 'text',
      sources: [{ from: 'file', name: 'a' }],
    },
    {
      role: 'tool',
      tool_call_id: 'c2',
      kind: 'unknown',
      sources: [{ from: 'page', name: 'example.org' }, { from: 'agent' }],
      content: [
        { type: 'text', text: 'from a page' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
      ],
    },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: 'half', kind: 'interrupted' },
    { role: 'user', content: 'x', kind: 'summary', setAside: true, sources: [{ from: 'unknown' }] },
    { role: 'assistant', content: 'done' },
  ];
  for (const message of messages) await store.messages.append('s', message);
  assert.deepEqual(await store.messages.conversation('s'), messages);
});

test('any content and any assistant fields survive the round trip', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const wellFormed = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
  const part = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: wellFormed }, { requiredKeys: ['type', 'text'] }),
    fc.record({ type: fc.constant('image_url' as const), image_url: fc.record({ url: wellFormed }) }),
  );
  const assistant = fc.record(
    {
      role: fc.constant('assistant' as const),
      content: fc.oneof(fc.constant(null), wellFormed),
      reasoning: wellFormed,
      reasoning_details: fc.oneof(fc.array(wellFormed), fc.dictionary(wellFormed, wellFormed)),
      finish_reason: wellFormed,
    },
    { requiredKeys: ['role', 'content'] },
  );
  const message = fc.oneof(
    fc.record({ role: fc.constant('user' as const), content: fc.oneof(wellFormed, fc.array(part)) }),
    assistant,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 5 }), async (messages) => {
      await store.messages.rewrite('s', messages);
      // Through JSON, because the parser's objects have no prototype of their own to compare.
      assert.deepEqual(
        JSON.parse(JSON.stringify(await store.messages.conversation('s'))),
        JSON.parse(JSON.stringify(messages)),
      );
    }),
    { numRuns: 100 },
  );
});

test('a string that looks like a part list stays a string', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const content = '[{"type":"text","text":"from a file"}]';
  await store.messages.append('s', { role: 'tool', tool_call_id: 'c', content });
  const sources = [{ from: 'unknown' }];
  assert.deepEqual(await store.messages.conversation('s'), [{ role: 'tool', tool_call_id: 'c', content, sources }]);
});

test('a part list is stored as the original stores it', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.append('s', { role: 'user', content: [{ type: 'text', text: 'hi' }] });
  const [row] = query<{ content: string }>(store.path, 'SELECT content FROM messages');
  assert.equal(row?.content, '\0json:[{"type":"text","text":"hi"}]');
});

test('a part list is understood with parts that we do not know, and with the mark of an earlier build', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.append('s', user('x'));
  const stored =
    '\0json:[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:x"}},{"type":"odd"}]';
  query(store.path, 'UPDATE messages SET content = ?', stored);
  assert.deepEqual(await store.messages.conversation('s'), [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'data:x' } },
      ],
    },
  ]);
  assert.equal((await store.sessions.list())[0]?.preview, 'see');
});

test('lone surrogates and NUL are replaced, in text and in JSON columns', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.append('s', user('a\0b\ud800c'));
  await store.messages.append('s', { ...(call('x', {}) as AssistantMessage), reasoning_details: ['\udc00'] });
  await store.messages.append('s', { role: 'user', content: [{ type: 'text', text: '\0' }] });
  assert.deepEqual(
    (await store.messages.conversation('s')).map((message) => [
      message.content,
      'reasoning_details' in message && message.reasoning_details,
    ]),
    [
      ['a\uFFFDb\uFFFDc', false],
      [null, ['\uFFFD']],
      [[{ type: 'text', text: '\uFFFD' }], false],
    ],
  );
});

test('broken JSON in a column does not stop a conversation from being read', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.append('s', { role: 'assistant', content: 'answer' });
  query(store.path, "UPDATE messages SET tool_calls = '[{\"id\"', reasoning_details = 'no'");
  assert.deepEqual(await store.messages.conversation('s'), [{ role: 'assistant', content: 'answer' }]);
  const exported = JSON.parse(await collect(store.maintenance.exportSession('s')));
  assert.equal(exported.messages[0].tool_calls, '[{"id"');
});

test('rows of other roles are left out of the history and kept in the store', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.append('s', user('hi'));
  query(
    store.path,
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'session_meta', '{}', 0)",
  );
  assert.deepEqual(await store.messages.conversation('s'), [user('hi')]);
  assert.equal((await store.maintenance.stats()).messages, 2);
});

test('an assistant message with two tool calls raises the counters by one message and two calls', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const [one, two] = [call('a', {}, 'c1') as AssistantMessage, call('b', {}, 'c2') as AssistantMessage];
  await store.messages.append('s', { ...one, tool_calls: [...(one.tool_calls ?? []), ...(two.tool_calls ?? [])] });
  const row = await store.sessions.get('s');
  assert.deepEqual([row?.message_count, row?.tool_call_count], [1, 2]);
});

test('a message that is set aside stays where it is, with its mark', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.setAsideLast('s');
  const note: HistoryMessage = { role: 'user', content: 'a note', kind: 'note', sources: [{ from: 'agent' }] };
  await store.messages.append('s', user('[System: said by a person]'));
  await store.messages.append('s', note);
  await store.messages.setAsideLast('s');
  await store.messages.setAsideLast('s');
  assert.deepEqual(await store.messages.conversation('s'), [
    user('[System: said by a person]'),
    { ...note, setAside: true },
  ]);
  assert.equal((await store.sessions.get('s'))?.message_count, 2);
  await store.messages.append('s', call('ls', {}));
  await store.messages.setAsideLast('s');
  assert.deepEqual((await store.messages.conversation('s')).at(-1), call('ls', {}), 'only what the user said');
});

test('a clock that is set back does not change the order of messages', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.append('s', user('first'));
  clock.advance(-3_600_000);
  await store.messages.append('s', user('second'));
  assert.deepEqual(await store.messages.conversation('s'), [user('first'), user('second')]);
});

test('messages appended without waiting keep their order', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const texts = Array.from({ length: 60 }, (_, index) => `m${index}`);
  await Promise.all(texts.map((text) => store.messages.append('s', user(text))));
  assert.deepEqual(
    (await store.messages.conversation('s')).map((message) => message.content),
    texts,
  );
});

test('rewriting replaces transcript and counters, in order', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  for (const text of ['a', 'b', 'c']) await store.messages.append('s', user(text));
  await store.messages.rewrite('s', [user('summary'), call('ls', {})]);
  assert.deepEqual(await store.messages.conversation('s'), [user('summary'), call('ls', {})]);
  const row = await store.sessions.get('s');
  assert.deepEqual([row?.message_count, row?.tool_call_count], [2, 1]);
  assert.equal((await store.search.messages({ query: 'summary' })).length, 1);
});

test('appending to a session that was deleted says so and stores nothing', async (t) => {
  const store = await temporaryStore(t);
  await assert.rejects(store.messages.append('gone', user('x')), /Session 'gone' not found/);
  assert.equal((await store.maintenance.stats()).messages, 0);
});

test('what the original stores beside a message is read, and kept when the conversation is compacted or rewritten', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'telegram' });
  execute(
    store.path,
    `INSERT INTO messages (session_id, role, content, timestamp, api_content, platform_message_id, observed, active) VALUES
       ('s', 'user', 'hello', 1, 'hello' || char(10) || '<memory>likes tea</memory>', '4711', 0, 1),
       ('s', 'user', 'overheard', 2, NULL, '4712', 1, 1);
     INSERT INTO messages (session_id, role, tool_calls, timestamp, active) VALUES ('s', 'assistant',
       '[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"x","arguments":"{}"}}]', 3, 1);
     INSERT INTO messages (session_id, role, content, tool_call_id, tool_name, effect_disposition, timestamp, active) VALUES
       ('s', 'tool', 'cancelled', 'a', 'x', 'unknown', 4, 1), ('s', 'tool', 'denied', 'b', 'x', 'none', 5, 1)`,
  );
  const history = await store.messages.conversation('s');
  const sources = [{ from: 'unknown' as const, name: 'x' }];
  assert.deepEqual(
    [history[0], history[1], history[3], history[4]],
    [
      { role: 'user', content: 'hello', sent: 'hello\n<memory>likes tea</memory>', platformMessageId: '4711' },
      { role: 'user', content: 'overheard', platformMessageId: '4712', observed: true },
      { role: 'tool', tool_call_id: 'a', tool_name: 'x', content: 'cancelled', kind: 'unknown', sources },
      { role: 'tool', tool_call_id: 'b', tool_name: 'x', content: 'denied', effect: 'none', sources },
    ],
  );
  assert.equal(requestHistory(history.slice(0, 1))[0]?.content, 'hello\n<memory>likes tea</memory>', 'as it was sent');
  await store.messages.compact('s', { messages: history, systemPrompt: '' });
  const columns = 'content, api_content, platform_message_id, observed, effect_disposition';
  const rows = (compacted: number) =>
    query(store.path, `SELECT ${columns} FROM messages WHERE compacted = ? ORDER BY id`, compacted);
  assert.deepEqual(rows(0), rows(1));
  assert.deepEqual(await store.messages.conversation('s'), history);
});

test('the newest message is known by its id, and none is where nothing was said or all was taken back', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  assert.equal(await store.messages.newest('s'), undefined);
  const first = await store.messages.append('s', user('one'));
  const last = await store.messages.append('s', user('two'));
  assert.equal(await store.messages.newest('s'), last);
  await store.messages.undoFrom('s', last);
  assert.equal(await store.messages.newest('s'), first);
  await store.messages.undoFrom('s', first);
  assert.equal(await store.messages.newest('s'), undefined);
});
