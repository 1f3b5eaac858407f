/** Two who continue one conversation: the second is told, and waits, takes over or reads. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MemoryWorkQueue } from '../../src/worker/memory-work-queue.ts';
import { type Driven, driven } from './support.ts';

/** Two workers on one session; the first has it. */
async function two(t: TestContext, queue = new MemoryWorkQueue()): Promise<{ first: Driven; second: Driven }> {
  const first = await driven(t);
  assert.ok(await first.worker.claim());
  return { first, second: await driven(t, { store: first.store, holder: 'second', queue }) };
}

test('the second is told who continues the conversation, and its message waits', async (t) => {
  const { second } = await two(t);
  await second.worker.submit({ content: 'hello' });
  const { by } = await second.next('held_elsewhere');
  assert.deepEqual([by.holder, by.pid], ['first', process.pid]);
  assert.equal((await second.worker.waiting()).length, 1);
  assert.deepEqual(second.said(), []);
  const late: string[] = [];
  second.worker.listen((event) => void late.push(event.type));
  assert.deepEqual(late, ['held_elsewhere']);
});

test('who waits goes on when the other one is done, with what was said there', async (t) => {
  const { first, second } = await two(t);
  await second.worker.submit({ content: 'my turn?' });
  await second.next('held_elsewhere');
  await second.worker.choose('wait');
  await first.store.messages.append('one', { role: 'user', content: 'said elsewhere' });
  await first.worker.close();
  await second.next('turn_started');
  assert.deepEqual(
    second.agent.history.map(({ content }) => content),
    ['said elsewhere', 'my turn?'],
  );
  second.agent.answer();
});

test('who takes over goes on at once, and the other one is stopped and told', async (t) => {
  const { first, second } = await two(t);
  await first.worker.submit({ content: 'long work' });
  await first.next('turn_started');
  await second.worker.submit({ content: 'mine now' });
  await second.next('held_elsewhere');
  await second.worker.choose('take_over');
  await second.next('turn_started');
  second.agent.answer();
  const { by } = await first.next('held_elsewhere');
  assert.equal(by.holder, 'second');
  await first.next('turn_finished');
  await first.worker.submit({ content: 'and I?' });
  assert.deepEqual(first.said(), ['long work']);
});

test('a message that the store refuses because of it is not lost', async (t) => {
  const first = await driven(t, { renewEveryMs: 60_000 });
  assert.ok(await first.worker.claim());
  const second = await driven(t, { store: first.store, holder: 'second' });
  await second.worker.submit({ content: 'mine now' });
  await second.next('held_elsewhere');
  first.agent.refuses = true;
  await second.worker.choose('take_over');
  await first.worker.submit({ content: 'and I?' });
  await first.next('held_elsewhere');
  while ((await first.worker.waiting()).length === 0) await new Promise(setImmediate);
  assert.deepEqual(
    (await first.worker.waiting()).map(({ content }) => content),
    ['and I?'],
  );
});

test('who only reads is refused with the reason, and told of what waited', async (t) => {
  const { second } = await two(t);
  await second.worker.submit({ content: 'hello' });
  await second.next('held_elsewhere');
  await second.worker.choose('read');
  const failed = await second.next('message_failed');
  assert.equal(failed.message.content, 'hello');
  await assert.rejects(second.worker.submit({ content: 'again' }), /continued elsewhere.*only read here/s);
  await assert.rejects(second.worker.replaceHistory([]), /only read here/);
  await assert.rejects(second.worker.compress({}), /only read here/);
});

test('when the conversation went on under another id, that one is named and what waits goes along', async (t) => {
  const queue = new MemoryWorkQueue();
  const { first, second } = await two(t, queue);
  await second.worker.submit({ content: 'wait for me' });
  await second.next('held_elsewhere');
  const child = { id: 'two', messages: [{ role: 'user', content: 'x' } as const], parentEndReason: 'compression' };
  await first.store.sessions.createChild('one', child);
  await second.worker.choose('take_over');
  assert.deepEqual(await second.next('held_here'), { type: 'held_here', movedTo: 'two' });
  assert.deepEqual(
    (await queue.waiting('two')).map(({ content }) => content),
    ['wait for me'],
  );
  await assert.rejects(second.worker.submit({ content: 'more' }), /another id/);
});

test('a compaction moves what waits and the lease to the new id', async (t) => {
  const queue = new MemoryWorkQueue();
  const { worker, agent, store, next } = await driven(t, { queue });
  await worker.submit({ content: 'one' });
  await next('turn_started');
  await worker.submit({ content: 'two' }, 'queue');
  await store.sessions.createChild('one', {
    id: 'two',
    messages: [{ role: 'user', content: 'x' } as const],
    parentEndReason: 'compression',
  });
  agent.say({ type: 'session_moved', from: 'one', to: 'two' });
  await next('session_moved');
  assert.deepEqual(
    (await queue.waiting('two')).map(({ content }) => content),
    ['two'],
  );
  agent.answer();
  await next('turn_started');
  agent.answer();
  await worker.settled();
});

test('a closed worker gives the conversation back', async (t) => {
  const { first, second } = await two(t);
  await first.worker.close();
  assert.ok(await second.worker.claim());
});
