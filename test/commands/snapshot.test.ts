/** `/snapshot` while the conversation that it is typed in has the database open. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { openConversation } from './conversation.ts';

test('a snapshot is taken, listed, put back under an open conversation after a yes, and pruned', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'one' }, { text: 'two' });
  const chat = await openConversation(t, server);
  assert.match(await chat.type('/snapshot'), /no snapshots yet/);
  await chat.say('first');
  const [, id = ''] = /^Snapshot taken: (\S+-before)$/.exec(await chat.type('/snapshot create before')) ?? [];
  assert.match(await chat.type('/snap list'), new RegExp(`^ +1\\. ${id} {2}`));
  await chat.say('second');
  const texts = async (): Promise<unknown[]> =>
    (await chat.store.messages.conversation(chat.session.id)).map((message) => message.content);
  assert.deepEqual(await texts(), ['first', 'one', 'second', 'two']);
  chat.answer = false;
  assert.equal(await chat.type(`/snapshot restore ${id}`), 'Nothing was changed.');
  chat.answer = true;
  assert.match(await chat.type(`/snapshot restore ${id}`), /put back\..*-before-restore/);
  assert.deepEqual(await texts(), ['first', 'one']);
  assert.equal(await chat.type('/snapshot prune 0'), '2 snapshots deleted.');
  await assert.rejects(chat.type('/snapshot restore'), /Usage/);
});
