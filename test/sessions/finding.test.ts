/** Which session an id, a title or a compacted conversation leads to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { manualClock, query, temporaryStore, user } from './support.ts';

test('a session is found by its id, a unique beginning, or its title; an ambiguous beginning is refused', async (t) => {
  const store = await temporaryStore(t);
  for (const id of ['20260101_a1', '20260101_a2', '20260102_b', '20260102_bc']) {
    await store.sessions.create({ id, source: 'cli' });
  }
  await store.sessions.setTitle('20260102_b', '2026');
  assert.equal((await store.sessions.resolve('20260101_a1'))?.id, '20260101_a1');
  assert.equal((await store.sessions.resolve('20260102_bc'))?.id, '20260102_bc');
  assert.equal((await store.sessions.resolve('20260102_b'))?.id, '20260102_b', 'an exact id wins over longer ones');
  await assert.rejects(store.sessions.resolve('20260101'), (error: unknown) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /ambiguous.*20260101_a/);
    return true;
  });
  assert.equal((await store.sessions.resolve('2026'))?.id, '20260102_b', 'a title beats an ambiguous beginning');
  assert.equal(await store.sessions.resolve('nothing'), undefined);
  assert.equal(await store.sessions.resolve(''), undefined);
  assert.equal(await store.sessions.resolve('%'), undefined);
  assert.equal(await store.sessions.findById('2026 '), undefined);
  await assert.rejects(store.sessions.findById('2026'), /ambiguous/);
});

test('a compressed session lives on in a titled child that holds only the compacted messages', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await store.sessions.create({ id: 'p', source: 'cli', model: 'm', modelConfig: { a: 1 } });
  await store.sessions.setTitle('p', 'T');
  for (const text of ['one', 'two']) await store.messages.append('p', user(text));
  await store.sessions.create({ id: 'sub', source: 'cli', parentSessionId: 'p' });
  await store.messages.append('sub', user('work of a subagent'));
  clock.advance(1000);
  const child = await store.sessions.createChild('p', {
    id: 'c',
    messages: [user('summary')],
    systemPrompt: 'new prompt',
    parentEndReason: 'compression',
  });
  assert.deepEqual(
    [
      child.parent_session_id,
      child.title,
      child.source,
      child.model,
      child.model_config,
      child.system_prompt,
      child.message_count,
    ],
    ['p', 'T #2', 'cli', 'm', '{"a":1}', 'new prompt', 1],
  );
  assert.equal((await store.sessions.get('p'))?.end_reason, 'compression');
  assert.deepEqual(await store.messages.conversation('p'), [user('one'), user('two')]);
  assert.equal((await store.sessions.resolve('p'))?.id, 'c', 'not the subagent, although it is a child too');
  clock.advance(1000);
  await store.sessions.createChild('c', { id: 'd', messages: [user('shorter')], parentEndReason: 'compression' });
  assert.equal((await store.sessions.resolve('p'))?.id, 'd');
  assert.equal((await store.sessions.findById('p'))?.id, 'p');
  await assert.rejects(
    store.sessions.createChild('gone', { id: 'x', messages: [], parentEndReason: 'compression' }),
    /not found/,
  );
});

test('a compressed session goes on in the child that goes on itself, whenever the rows were written', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await store.sessions.create({ id: 'p', source: 'telegram' });
  await store.messages.append('p', user('one'));
  // The gateway of the original stores the continuation before it ends the parent; a stale sibling comes later.
  for (const id of ['c', 'stale']) {
    await store.sessions.create({ id, source: 'telegram', parentSessionId: 'p' });
    await store.messages.append(id, user(id));
    clock.advance(1000);
    if (id === 'c') await store.sessions.end('p', 'compression');
  }
  await store.sessions.end('stale', 'ws_orphan_reap');
  assert.equal((await store.sessions.resolve('p'))?.id, 'c');
  assert.deepEqual(
    (await store.sessions.list()).map(({ id, lineage_root_id }) => [id, lineage_root_id]),
    [['c', 'p']],
  );
  assert.equal(await store.maintenance.archive('p', true), 3);
});

test('a session that was opened again still leads to the newest child that holds messages', async (t) => {
  const store = await temporaryStore(t);
  for (const [id, parentSessionId] of [['p'], ['empty', 'p'], ['full', 'empty'], ['last', 'full']] as const) {
    await store.sessions.create({ id, source: 'cli', ...(parentSessionId && { parentSessionId }) });
  }
  await store.messages.append('full', user('x'));
  assert.equal((await store.sessions.resolve('p'))?.id, 'full');
});

test('a child without messages does not take over from its parent', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 'p', source: 'cli' });
  await store.messages.append('p', user('x'));
  await store.sessions.end('p', 'compression');
  await store.sessions.create({ id: 'c', source: 'cli', parentSessionId: 'p' });
  assert.equal((await store.sessions.resolve('p'))?.id, 'p');
});

test('a circle of parents does not hang', async (t) => {
  const store = await temporaryStore(t);
  for (const id of ['a', 'b']) {
    await store.sessions.create({ id, source: 'cli' });
    await store.messages.append(id, user('x'));
  }
  query(
    store.path,
    "UPDATE sessions SET ended_at = 0, end_reason = 'compression', parent_session_id = iif(id = 'a', 'b', 'a')",
  );
  assert.ok(await store.sessions.resolve('a'));
});
