/** Who speaks when: order, interrupts, steering, news, the queue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../src/lib/log.ts';
import { noLog } from '../../src/lib/log.ts';
import { textOf } from '../../src/llm/message.ts';
import { MemoryWorkQueue } from '../../src/worker/memory-work-queue.ts';
import { driven } from './support.ts';

test('messages that are queued while a turn runs get their turns in order', async (t) => {
  const { worker, agent, said, next, events } = await driven(t);
  assert.deepEqual(await worker.submit({ content: 'one' }), { as: 'turn' });
  await next('turn_started');
  assert.ok(worker.busy);
  const second = await worker.submit({ content: 'two' }, 'queue');
  assert.equal(second.as, 'queued');
  await worker.submit({ content: 'three' }, 'queue');
  assert.deepEqual(
    (await worker.waiting()).map(({ content }) => content),
    ['two', 'three'],
  );
  for (const answer of ['1', '2', '3']) {
    agent.answer(answer);
    if (answer !== '3') await next('turn_started');
  }
  await worker.settled();
  assert.deepEqual(said(), ['one', 'two', 'three']);
  assert.equal(worker.busy, false);
  assert.equal(events.at(-1)?.type, 'idle');
});

test('messages that come in the same moment keep their order and run one at a time', async (t) => {
  const { worker, agent, said, next } = await driven(t);
  const all = Promise.all(['a', 'b', 'c'].map((content) => worker.submit({ content }, 'queue')));
  for (let turn = 0; turn < 3; turn += 1) {
    await next('turn_started');
    agent.answer();
  }
  assert.deepEqual(
    (await all).map(({ as }) => as),
    ['turn', 'queued', 'queued'],
  );
  await worker.settled();
  assert.deepEqual(said(), ['a', 'b', 'c']);
});

test('what is typed to interrupt a turn is one message, and comes before what was queued', async (t) => {
  const { worker, agent, said, next } = await driven(t);
  await worker.submit({ content: 'work' });
  await next('turn_started');
  await worker.submit({ content: 'later' }, 'queue');
  const [first, second] = await Promise.all([
    worker.submit({ content: 'stop' }, 'interrupt'),
    worker.submit({ content: 'and listen' }, 'interrupt'),
  ]);
  assert.deepEqual([first.as, second.as], ['interrupting', 'interrupting']);
  assert.deepEqual(agent.interrupts, ['stop', 'and listen']);
  for (let turn = 0; turn < 2; turn += 1) {
    await next('turn_started');
    agent.answer();
  }
  await worker.settled();
  assert.deepEqual(said(), ['work', 'stop\nand listen', 'later']);
});

test('steering goes to the running turn; what comes too late for it is the next message', async (t) => {
  const { worker, agent, said, next } = await driven(t);
  await worker.submit({ content: 'work' });
  await next('turn_started');
  assert.deepEqual(await worker.submit({ content: 'left, please' }, 'steer'), { as: 'steered' });
  await worker.submit({ content: 'queued' }, 'queue');
  agent.late = 'too late';
  agent.answer();
  for (let turn = 0; turn < 2; turn += 1) {
    await next('turn_started');
    agent.answer();
  }
  await worker.settled();
  assert.deepEqual(said(), ['work', 'too late', 'queued']);
});

test('news waits until people have been answered, and is one message that nobody said', async (t) => {
  const { worker, agent, said, next } = await driven(t);
  await worker.submit({ content: 'one' });
  await next('turn_started');
  worker.tell('a process ended');
  worker.tell('another too');
  await worker.submit({ content: 'two' }, 'queue');
  for (let turn = 0; turn < 2; turn += 1) {
    agent.answer();
    await next('turn_started');
  }
  agent.answer();
  await worker.settled();
  assert.deepEqual(said(), ['one', 'two', 'a process ended\nanother too']);
  assert.equal(agent.inputs.at(-1)?.kind, 'note');
  assert.deepEqual(agent.inputs.at(-1)?.sources, [{ from: 'program' }]);
  worker.tell('when idle, at once');
  await next('turn_started');
  agent.answer();
});

test('waiting messages can be changed and taken out, those that run cannot', async (t) => {
  const { worker, agent, said, next } = await driven(t);
  await worker.submit({ content: 'running' });
  await next('turn_started');
  const kept = await worker.submit({ content: 'wrnog' }, 'queue');
  const gone = await worker.submit({ content: 'never mind' }, 'queue');
  assert.ok('message' in kept && 'message' in gone);
  assert.ok(await worker.edit(kept.message.id, 'right'));
  assert.ok(await worker.remove(gone.message.id));
  assert.equal(await worker.remove(gone.message.id), false);
  agent.answer();
  await next('turn_started');
  assert.equal(await worker.edit(kept.message.id, 'too late'), false);
  agent.answer();
  await worker.settled();
  assert.deepEqual(said(), ['running', 'right']);
});

test('a full queue refuses a message instead of dropping one', async (t) => {
  const { worker, agent, next } = await driven(t);
  await worker.submit({ content: 'running' });
  await next('turn_started');
  for (let index = 0; index < 100; index += 1) await worker.submit({ content: `${index}` }, 'queue');
  await assert.rejects(worker.submit({ content: 'one too many' }, 'queue'), /100 messages wait already/);
  assert.equal((await worker.waiting()).length, 100);
  const urgent = await worker.submit({ content: 'stop' }, 'interrupt');
  assert.equal(urgent.as, 'interrupting');
  await next('turn_started');
  agent.answer();
});

test('a listener that throws is written down and breaks nothing', async (t) => {
  const lines: string[] = [];
  const log: Log = { ...noLog, error: (message) => void lines.push(message) };
  const { worker, agent, next } = await driven(t, { log });
  let calls = 0;
  worker.listen(() => {
    calls += 1;
    throw new Error('a broken screen');
  });
  await worker.submit({ content: 'hello' });
  await next('turn_started');
  agent.answer();
  assert.equal((await next('turn_finished')).result.ended, 'completed');
  await worker.settled();
  assert.equal(calls, 1);
  assert.deepEqual(lines, ['a listener failed and hears no more']);
});

test('a typed message is prepared when its turn begins; one that may not be sent is told, and the next one runs', async (t) => {
  const { worker, agent, said, next } = await driven(t, {
    prepare: (_session, { content }) =>
      Promise.resolve(
        content === 'bad'
          ? { input: undefined, warnings: ['not this one'] }
          : { input: { content: `<${textOf(content)}>` }, warnings: ['look'] },
      ),
  });
  await worker.submit({ content: 'bad' });
  const failed = await next('message_failed');
  assert.deepEqual([failed.message.content, failed.error], ['bad', 'not this one']);
  await worker.submit({ content: 'good' });
  assert.equal((await next('status')).message, 'look');
  await next('turn_started');
  agent.answer();
  await worker.settled();
  await worker.submit({ content: 'as it is', sources: [{ from: 'user' }] });
  await next('turn_started');
  agent.answer();
  await worker.settled();
  assert.deepEqual(said(), ['<good>', 'as it is']);
});

test('an interrupt while a message is prepared ends it before the agent has it', async (t) => {
  const preparing = Promise.withResolvers<void>();
  const { worker, said, next } = await driven(t, {
    prepare: async (_session, _input, signal) => {
      preparing.resolve();
      return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  await worker.submit({ content: 'read @url:slow' });
  await preparing.promise;
  worker.interrupt();
  assert.equal((await next('message_failed')).error, 'Interrupted.');
  await worker.settled();
  assert.deepEqual(said(), []);
});

test('closing in the middle of a turn stops it, and leaves what waits in the queue', async (t) => {
  const queue = new MemoryWorkQueue();
  const { worker, said, next, events } = await driven(t, { queue });
  await worker.submit({ content: 'long work' });
  await next('turn_started');
  await worker.submit({ content: 'still waits' }, 'queue');
  await worker.close();
  const finished = events.find((event) => event.type === 'turn_finished');
  assert.equal(finished?.result.ended, 'interrupted');
  assert.deepEqual(said(), ['long work']);
  assert.deepEqual(
    (await queue.waiting('one')).map(({ content }) => content),
    ['still waits'],
  );
  await assert.rejects(worker.submit({ content: 'more' }), /closed/);
});

test('closing while a message is prepared puts it back', async (t) => {
  const queue = new MemoryWorkQueue();
  const preparing = Promise.withResolvers<void>();
  const { worker } = await driven(t, {
    queue,
    prepare: async (_session, _input, signal) => {
      preparing.resolve();
      return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  await worker.submit({ content: 'not lost' });
  await preparing.promise;
  await worker.close();
  assert.deepEqual(
    (await queue.waiting('one')).map(({ content }) => content),
    ['not lost'],
  );
});

test('a question that is asked again is in the store before anything is cut, and is not stored twice', async (t) => {
  const { worker, agent, store, next } = await driven(t);
  const question = { role: 'user', content: 'why?' } as const;
  for (const message of [question, { role: 'assistant', content: 'because' } as const]) {
    await store.messages.append('one', message);
  }
  await worker.replaceHistory([question], { answer: true });
  assert.deepEqual(
    (await store.messages.conversation('one')).map(({ content }) => content),
    ['why?'],
  );
  await next('turn_started');
  assert.deepEqual(agent.inputs, [{ ...question, stored: true }]);
  await assert.rejects(worker.replaceHistory([]), /A turn is running/);
  agent.answer();
});
