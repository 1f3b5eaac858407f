/** The inbox of chats: what was accepted waits in order, is taken once, and ends together with its answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import type { ChatMessage } from '../../src/sessions/chat-inbox.ts';
import { chatMessage, reply } from './chat-support.ts';
import { day, execute, manualClock, query, temporaryStore } from './support.ts';

const key = 'agent:main:telegram:dm:1';
const turn = { sessionId: 's', turnAfter: 7 };
const eventsOf = (messages: readonly ChatMessage[]): string[] => messages.map(({ eventId }) => eventId);
const idsOf = (messages: readonly ChatMessage[]): number[] => messages.map(({ id }) => id);

test('accepted messages wait in the order in which they came, each chat by itself', async (t) => {
  const { chatInbox } = await temporaryStore(t);
  assert.deepEqual([await chatInbox.open(), await chatInbox.waiting(key), await chatInbox.count()], [[], [], 0]);
  for (const id of ['a', 'b']) assert.equal(await chatInbox.accept(chatMessage(id)), 'accepted');
  await chatInbox.accept(chatMessage('x', { sessionKey: 'other' }));
  await chatInbox.accept(chatMessage('c'));
  assert.deepEqual(eventsOf(await chatInbox.waiting(key)), ['a', 'b', 'c']);
  assert.deepEqual(eventsOf(await chatInbox.open()), ['a', 'b', 'x', 'c']);
  assert.deepEqual((await chatInbox.waiting('other'))[0], {
    ...chatMessage('x', { sessionKey: 'other' }),
    id: 3,
    state: 'waiting',
    attempts: 0,
    sessionId: null,
    turnAfter: null,
    part: 'own',
    preview: { messageId: null, unknown: false },
  });
  assert.equal(await chatInbox.count(), 4);
});

test('messages that come at once keep their order', async (t) => {
  const { chatInbox } = await temporaryStore(t);
  const names = Array.from({ length: 1200 }, (_, index) => `m${index}`);
  await Promise.all(names.map((name, index) => chatInbox.accept(chatMessage(name, { sessionKey: `k${index % 2}` }))));
  assert.deepEqual(eventsOf(await chatInbox.open({ limit: 2000 })), names);
});

test('a second message with the same id is a duplicate: later, at once, and after it has ended', async (t) => {
  const store = await temporaryStore(t);
  const { chatInbox } = store;
  const answers = await Promise.all(['a', 'a', 'b', 'a'].map((id) => chatInbox.accept(chatMessage(id))));
  assert.deepEqual(answers, ['accepted', 'duplicate', 'accepted', 'duplicate']);
  assert.equal(await chatInbox.accept(chatMessage('a', { platform: 'discord' })), 'accepted', 'ids are of a platform');
  await chatInbox.end(idsOf(await chatInbox.open()), 'done');
  assert.equal(await chatInbox.accept(chatMessage('a')), 'duplicate');
  const other = await temporaryStore(t, { path: store.path });
  assert.equal(await other.chatInbox.accept(chatMessage('b')), 'duplicate');
});

test('a message whose turn was interrupted for the next one stays open, also for the next process', async (t) => {
  const store = await temporaryStore(t);
  const { chatInbox } = store;
  for (const id of ['a', 'b']) await chatInbox.accept(chatMessage(id));
  await chatInbox.begin([1], turn);
  await chatInbox.carry([1]);
  await chatInbox.begin([2], turn);
  const other = await temporaryStore(t, { path: store.path });
  assert.deepEqual(
    (await other.chatInbox.running(key)).map(({ eventId, part, attempts }) => [eventId, part, attempts]),
    [
      ['a', 'carried', 1],
      ['b', 'own', 1],
    ],
  );
  await chatInbox.end([1, 2], 'done');
  await chatInbox.carry([1]);
  assert.deepEqual(await other.chatInbox.open(), [], 'what has ended stays so');
});

test('a turn begins with messages, counts it, and gives them back to their old places', async (t) => {
  const { chatInbox } = await temporaryStore(t);
  for (const id of ['a', 'b', 'c']) await chatInbox.accept(chatMessage(id));
  const begun = await chatInbox.begin([1, 2], turn);
  assert.deepEqual(
    begun.map(({ eventId, state, attempts, sessionId, turnAfter }) => [eventId, state, attempts, sessionId, turnAfter]),
    [
      ['a', 'running', 1, 's', 7],
      ['b', 'running', 1, 's', 7],
    ],
  );
  assert.deepEqual(eventsOf(await chatInbox.waiting(key)), ['c']);
  assert.deepEqual((await chatInbox.open())[0]?.preview, { messageId: null, unknown: false });
  await chatInbox.setPreview(1, { messageId: null, unknown: true });
  assert.deepEqual((await chatInbox.open())[0]?.preview, { messageId: null, unknown: true });
  await chatInbox.setPreview(1, { messageId: 'p9', unknown: false });
  await chatInbox.putBack([1, 2]);
  assert.deepEqual(eventsOf(await chatInbox.waiting(key)), ['a', 'b', 'c']);
  assert.deepEqual(
    (await chatInbox.begin([1], { sessionId: 't', turnAfter: null })).map(({ attempts, preview }) => [
      attempts,
      preview,
    ]),
    [[2, { messageId: 'p9', unknown: false }]],
  );
});

test('messages end together with what their senders are told, and only once', async (t) => {
  const store = await temporaryStore(t);
  const { chatInbox, outbox } = store;
  for (const id of ['a', 'b']) await chatInbox.accept(chatMessage(id));
  assert.deepEqual(await chatInbox.end([1], 'done', [reply('r1'), reply('r2')]), ['r1', 'r2']);
  assert.deepEqual(eventsOf(await chatInbox.open()), ['b']);
  assert.equal((await outbox.get('r1'))?.state, 'pending');
  assert.deepEqual(await chatInbox.end([1], 'interrupted', [reply('r3'), reply('r1')]), ['r1']);
  assert.equal(await outbox.get('r3'), undefined, 'who was answered is not told anything else');
  assert.deepEqual(await chatInbox.begin([1], turn), []);
  await chatInbox.putBack([1]);
  assert.deepEqual(await chatInbox.end([1, 2], 'expired', [reply('r3')]), ['r3'], 'one of them had not ended');
  assert.deepEqual(
    query(store.path, 'SELECT state, event FROM gateway_inbox').map((row) => ({ ...row })),
    [
      { state: 'done', event: '' },
      { state: 'expired', event: '' },
    ],
    'what was written is forgotten',
  );
});

test('a chat with 1,000 open messages takes no more, other chats do', async (t) => {
  const { chatInbox } = await temporaryStore(t);
  const first = Array.from({ length: 1000 }, (_, index) => chatInbox.accept(chatMessage(`m${index}`)));
  const refused = assert.rejects(chatInbox.accept(chatMessage('late')), (error) => error instanceof UserError);
  const other = chatInbox.accept(chatMessage('x', { sessionKey: 'other' }));
  assert.deepEqual(new Set(await Promise.all(first)), new Set(['accepted']));
  await refused;
  assert.equal(await other, 'accepted');
  assert.equal(await chatInbox.accept(chatMessage('m1')), 'duplicate', 'what is known is not refused');
  await chatInbox.end([1], 'refused');
  assert.equal(await chatInbox.accept(chatMessage('late')), 'accepted');
});

test('100,000 open messages are all there may be', async (t) => {
  const store = await temporaryStore(t);
  const { chatInbox } = store;
  await chatInbox.accept(chatMessage('first'));
  fill(store.path, 100_000 - 2, 'NULL');
  const other = await temporaryStore(t, { path: store.path });
  assert.equal(await other.chatInbox.accept(chatMessage('last')), 'accepted');
  await assert.rejects(other.chatInbox.accept(chatMessage('late')), /100000 messages that wait/);
  await other.chatInbox.end([1], 'expired');
  assert.equal(await other.chatInbox.accept(chatMessage('late')), 'accepted');
  assert.equal(await chatInbox.count(), 100_000);
  const behind = await chatInbox.open({ afterId: 500, limit: 10 });
  assert.deepEqual(
    idsOf(behind),
    Array.from({ length: 10 }, (_, index) => 501 + index),
  );
});

test('what ended is known for 7 days and then forgotten, little by little; what waits is not', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const { chatInbox } = store;
  await chatInbox.accept(chatMessage('waits'));
  await chatInbox.accept(chatMessage('ends'));
  await chatInbox.end([2], 'done');
  fill(store.path, 1500, String(clock.now() - 8 * day));
  const count = (): unknown => query(store.path, 'SELECT count(*) AS n FROM gateway_inbox')[0]?.['n'];
  clock.advance(7 * day);
  assert.equal(await chatInbox.accept(chatMessage('ends')), 'duplicate');
  assert.equal(await chatInbox.accept(chatMessage('one')), 'accepted');
  assert.equal(count(), 1502 + 1 - 1000);
  clock.advance(1001);
  await chatInbox.accept(chatMessage('two'));
  assert.equal(count(), 3, 'the one that ended is forgotten as well');
  assert.deepEqual(eventsOf(await chatInbox.open()), ['waits', 'one', 'two']);
});

test('no question to the inbox goes through what has ended', async (t) => {
  const store = await temporaryStore(t);
  await store.chatInbox.accept(chatMessage('a'));
  for (const sql of [
    'SELECT * FROM gateway_inbox WHERE ended_at IS NULL AND id > 0 ORDER BY id LIMIT 10',
    "SELECT * FROM gateway_inbox WHERE session_key = 'k' AND ended_at IS NULL AND state = 'waiting' ORDER BY id",
    'SELECT count(*) AS n FROM gateway_inbox WHERE ended_at IS NULL',
    "SELECT count(*) AS n FROM (SELECT 1 FROM gateway_inbox WHERE session_key = 'k' AND ended_at IS NULL LIMIT 1000)",
    "SELECT 1 FROM gateway_inbox WHERE platform = 'p' AND event_id = 'e'",
    'SELECT id FROM gateway_inbox WHERE ended_at < 9 ORDER BY ended_at LIMIT 1000',
  ]) {
    const plan = query<{ detail: string }>(store.path, `EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail);
    assert.match(plan.join('\n'), /INDEX idx_gateway_inbox_/, `${sql}: ${plan.join('; ')}`);
    assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE/, sql);
  }
});

/** Rows of other chats, open when `endedAt` is NULL. */
function fill(path: string, count: number, endedAt: string): void {
  execute(
    path,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
       INSERT INTO gateway_inbox (platform, event_id, session_key, event, received_at, state, ended_at)
         SELECT 'filled', i, 'k' || i, '', 1, CASE WHEN ${endedAt} IS NULL THEN 'waiting' ELSE 'done' END, ${endedAt} FROM n`,
  );
}
