/** What is kept for a key: how long, how much, and what is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OncePerKey } from '../../../src/http/api/once-per-key.ts';

test('a result is kept for five minutes, and of many the last thousand', async () => {
  let time = 0;
  let runs = 0;
  const once = new OncePerKey<number>(() => time);
  const run = (key: string, print = 'same') => once.run(key, print, async () => (runs += 1));
  assert.deepEqual([await run('a'), await run('a')], [1, 1]);
  time = 299_999;
  assert.equal(await run('a'), 1);
  time = 300_000;
  assert.equal(await run('a'), 2);
  for (let count = 0; count < 1000; count += 1) await run(`k${count}`);
  assert.equal(await run('k999'), 1002);
  assert.equal(await run('a'), 1003, 'the oldest one went');
});

test('another request with the key takes its place, a failure none, and without a key all are run', async () => {
  let runs = 0;
  const once = new OncePerKey<number>();
  const run = (key: string | undefined, print: string) => once.run(key, print, async () => (runs += 1));
  assert.deepEqual([await run('a', 'x'), await run('a', 'y'), await run('a', 'y')], [1, 2, 2]);
  const fail = () => once.run('b', 'x', async () => Promise.reject(new Error('no')));
  await assert.rejects(Promise.all([fail(), fail()]));
  assert.equal(await run('b', 'x'), 3);
  assert.deepEqual([await run(undefined, 'x'), await run(undefined, 'x')], [4, 5]);
});
