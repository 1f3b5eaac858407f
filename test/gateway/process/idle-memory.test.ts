/** When a gateway gives memory back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdleMemory } from '../../../src/gateway/process/idle-memory.ts';
import { noLog } from '../../../src/lib/log.ts';

/** A process that is looked at every 5 seconds; `collected` counts. */
function watched(collect: () => Promise<void> = async () => undefined) {
  let [now, cpu, collected, rss] = [0, 400, 0, 100];
  const memory = new IdleMemory({
    log: noLog,
    now: () => now,
    cpuMs: () => cpu,
    rssMb: () => rss,
    collect: async () => {
      collected += 1;
      cpu += 50;
      rss *= 0.6;
      await collect();
    },
  });
  /** So many looks, before each of which so much processor time was used. */
  const pass = async (looks: number, usedMs: number): Promise<number> => {
    for (let look = 0; look < looks; look += 1) {
      now += 5000;
      cpu += usedMs;
      await memory.look();
    }
    return collected;
  };
  const grow = (mb: number): void => void (rss = mb);
  return { pass, grow };
}

test('memory is given back once after the start, and once after each busy time', async () => {
  const { pass } = watched();
  assert.equal(await pass(2, 10), 0, 'it has not rested for long');
  assert.equal(await pass(1, 10), 1);
  assert.equal(await pass(20, 10), 1, 'nothing was done since');
  assert.equal(await pass(20, 1000), 1, 'it works');
  assert.equal(await pass(2, 10), 1);
  assert.equal(await pass(20, 10), 2);
});

test('of many chats that wait memory is given back beside their work, now and then', async () => {
  const { pass, grow } = watched();
  assert.equal(await pass(3, 10), 1);
  grow(350);
  assert.equal(await pass(20, 1000), 1, 'it is not much');
  grow(400);
  assert.equal(await pass(1, 4900), 1, 'it has its hands full');
  assert.equal(await pass(1, 1000), 2);
  grow(400);
  assert.equal(await pass(11, 1000), 2, 'it has just been done');
  assert.equal(await pass(2, 1000), 3);
  grow(900);
  assert.equal(await pass(13, 1000), 4);
  grow(600);
  assert.equal(await pass(30, 1000), 4, 'what is left is in use');
});

test('a process that cannot collect goes on, and does not try again until it has worked', async () => {
  let tried = 0;
  const { pass } = watched(async () => {
    tried += 1;
    throw new Error('inspector is not available');
  });
  await pass(20, 10);
  assert.equal(tried, 1);
});

test('V8 does what it is asked for', async () => {
  let now = 0;
  const log = { ...noLog, info: () => assert.fail('it could not') };
  const memory = new IdleMemory({ log, cpuMs: () => 1000, now: () => now });
  const left = new WeakRef({});
  // What was looked at in this turn of the event loop is kept until its end.
  await new Promise((resolve) => setImmediate(resolve));
  now += 20_000;
  await memory.look();
  assert.equal(left.deref(), undefined);
});
