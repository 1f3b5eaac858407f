/** The steps of a handoff, in the columns that the original reads and writes. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { execute, query, temporaryStore } from './support.ts';
import { chatKey, takenOver } from './taken-over.ts';

const columns = 'SELECT handoff_state, handoff_platform, handoff_error FROM sessions';

test('a conversation is handed off once at a time, and every step is taken by one only', async (t) => {
  const store = await temporaryStore(t);
  const { handoffs } = store;
  assert.equal(await handoffs.request('s', 'telegram'), false, 'nothing is stored of it');
  await store.sessions.create({ id: 's', source: 'cli' });
  assert.equal(await handoffs.get('s'), undefined);
  assert.equal(await handoffs.request('s', 'telegram'), true);
  assert.equal(await handoffs.request('s', 'matrix'), false);
  assert.deepEqual(
    query(store.path, columns).map((row) => ({ ...row })),
    [{ handoff_state: 'pending', handoff_platform: 'telegram', handoff_error: null }],
  );
  assert.equal(await handoffs.complete('s', takenOver('s')), false, 'nobody has it yet');
  assert.deepEqual([await handoffs.claim('s'), await handoffs.claim('s')], [true, false]);
  assert.deepEqual(await handoffs.pending(), []);
  assert.equal(await handoffs.fail('s', 'x'.repeat(600)), true);
  assert.equal((await handoffs.get('s'))?.error?.length, 500);
  assert.equal(await handoffs.complete('s', takenOver('s')), false, 'who waits has given up');
  assert.equal(await handoffs.request('s', 'matrix'), true);
  assert.deepEqual(await handoffs.get('s'), { sessionId: 's', platform: 'matrix', state: 'pending', error: undefined });
  await handoffs.claim('s');
  assert.deepEqual([await handoffs.complete('s', takenOver('s')), await handoffs.fail('s', 'late')], [true, false]);
  assert.equal(await handoffs.request('s', 'matrix'), true, 'one that is completed may be asked for again');
});

test('what the original asks for is found, the oldest conversation first', async (t) => {
  const store = await temporaryStore(t);
  for (const id of ['a', 'b', 'c']) await store.sessions.create({ id, source: 'cli' });
  execute(
    store.path,
    `UPDATE sessions SET started_at = 5 WHERE id = 'b';
     UPDATE sessions SET handoff_state = 'pending', handoff_platform = 'telegram' WHERE id IN ('a', 'b');
     UPDATE sessions SET handoff_state = 'someday' WHERE id = 'c'`,
  );
  assert.deepEqual(
    (await store.handoffs.pending()).map(({ sessionId }) => sessionId),
    ['b', 'a'],
  );
  assert.equal(await store.handoffs.get('c'), undefined);
  await store.handoffs.claim('a');
  assert.equal(await store.handoffs.failRunning('it died'), 1);
  assert.equal((await store.handoffs.get('a'))?.error, 'it died');
});

/** A gateway has taken 's' in hand; its chat goes on in 'before'. */
async function claimed(t: TestContext): Promise<SessionStore> {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.sessions.create({ id: 'before', source: 'telegram' });
  await store.handoffs.request('s', 'telegram');
  await store.handoffs.claim('s');
  return store;
}

test('with the last step the chat goes on in it, and what was said there before has ended', async (t) => {
  const { handoffs, sessions, chatRoutes, chatInbox } = await claimed(t);
  await sessions.end('s', 'cli_close');
  assert.equal(await handoffs.complete('s', takenOver('s', 'before')), true);
  assert.equal((await chatRoutes.get(chatKey))?.session_id, 's');
  assert.deepEqual(
    (await chatInbox.waiting(chatKey)).map(({ eventId }) => eventId),
    ['handoff.s'],
  );
  assert.equal((await sessions.get('s'))?.ended_at, null);
  assert.equal((await sessions.get('before'))?.end_reason, 'session_switch');
});

test('when who waits has given up, nothing of the last step is written', async (t) => {
  const { handoffs, sessions, chatRoutes, chatInbox } = await claimed(t);
  assert.deepEqual(
    await Promise.all([handoffs.fail('s', 'given up'), handoffs.complete('s', takenOver('s', 'before'))]),
    [true, false],
  );
  assert.equal((await handoffs.get('s'))?.error, 'given up');
  assert.deepEqual(await chatInbox.waiting(chatKey), []);
  assert.equal((await sessions.get('before'))?.ended_at, null);
  assert.equal(await chatRoutes.get(chatKey), undefined);
});
