/** What recall asks of the store: families of sessions, pieces of transcripts, one person's rows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredMessage } from '../../src/sessions/messages.ts';
import { textOf } from '../../src/llm/message.ts';
import { execute, temporaryStore, user } from './support.ts';

test('a lineage is everything that came of one first session, also in a circle', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 'root', source: 'cli' });
  await store.sessions.create({ id: 'alone', source: 'cli' });
  await store.sessions.createChild('root', { id: 'child', messages: [user('a')], parentEndReason: 'compression' });
  await store.sessions.createChild('child', {
    id: 'grandchild',
    messages: [user('a')],
    parentEndReason: 'compression',
  });
  await store.sessions.create({ id: 'branch', source: 'cli', parentSessionId: 'root' });
  for (const id of ['root', 'child', 'grandchild', 'branch']) {
    const family = await store.sessions.lineage(id);
    assert.equal(family[0], 'root');
    assert.deepEqual(new Set(family), new Set(['root', 'child', 'grandchild', 'branch']), id);
  }
  assert.deepEqual(await store.sessions.lineage('alone'), ['alone']);
  assert.deepEqual(await store.sessions.lineage('nobody'), []);
  execute(store.path, "UPDATE sessions SET parent_session_id = 'grandchild' WHERE id = 'root'");
  assert.deepEqual(new Set(await store.sessions.lineage('child')).size, 4);
});

test('a piece of a transcript has its neighbours, its ends, and the numbers of the rest', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const ids: number[] = [];
  for (let index = 0; index < 9; index += 1) {
    ids.push(
      await store.messages.append(
        's',
        index % 3 === 2 ? { role: 'tool', tool_call_id: 'x', content: `${index}` } : user(`${index}`),
      ),
    );
  }
  const read = async (messageId: number | undefined, roles?: readonly string[]) => {
    const place = { sessionId: 's', ...(messageId === undefined ? {} : { messageId }) };
    const part = await store.messages.readAround(place, {
      span: 2,
      ends: 1,
      ...(roles === undefined ? {} : { roles }),
    });
    const texts = (list: readonly StoredMessage[]) => list.map(({ message }) => textOf(message.content)).join('');
    return part && [texts(part.first), texts(part.around), texts(part.last), part.before, part.after];
  };
  assert.deepEqual(await read(ids[4]), ['0', '23456', '8', 2, 2]);
  assert.deepEqual(await read(ids[0]), ['0', '012', '8', 0, 6]);
  assert.deepEqual(await read(ids[4], ['user']), ['0', '13467', '7', 1, 1]);
  assert.deepEqual(await read(ids[5], ['user']), ['0', '34567', '7', 3, 1], 'the middle stands whatever its role');
  assert.deepEqual(await read(undefined), ['0', '678', '8', 6, 0]);
  assert.equal(await read(999), undefined);
  await store.sessions.create({ id: 'other', source: 'cli' });
  assert.equal(await store.messages.readAround({ sessionId: 'other', messageId: ids[4] ?? 0 }, { span: 1 }), undefined);
  assert.equal(await store.messages.readAround({ sessionId: 'other' }, { span: 1 }), undefined);
});

test('search and list can be one person’s, and leave sessions out', async (t) => {
  const store = await temporaryStore(t);
  for (const [id, userId] of [
    ['a', '1'],
    ['b', '2'],
    ['c', undefined],
  ] as const) {
    await store.sessions.create({ id, source: 'telegram', ...(userId === undefined ? {} : { userId }) });
    await store.messages.append(id, user('walrus'));
    await store.messages.append(id, user('walrus'));
  }
  const found = async (filter: object) => {
    const hits = await store.search.messages({ query: 'walrus', ...filter });
    const rows = await store.sessions.list(filter);
    assert.deepEqual(new Set(hits.map((hit) => hit.session_id)), new Set(rows.map((row) => row.id)));
    return rows.map(({ id }) => id).join('');
  };
  assert.equal(await found({}), 'cba');
  assert.equal(await found({ userId: '1' }), 'a');
  assert.equal(await found({ userId: null }), 'c');
  assert.equal(await found({ excludeSessions: ['a', 'c'] }), 'b');
  assert.equal((await store.search.messages({ query: 'walrus' })).length, 6);
  assert.equal((await store.search.messages({ query: 'walrus', onePerSession: true })).length, 3);
  assert.equal((await store.search.messages({ query: 'walrus', onePerSession: true, offset: 1, limit: 1 })).length, 1);
});
