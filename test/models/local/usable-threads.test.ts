/** A model computes with the cores that are to be had, and never with more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Times, usableThreads, watchOtherWork } from '../../../src/models/local/usable-threads.ts';

test('an idle machine gives all its cores, a busy one what is left, and a container its share', () => {
  assert.equal(usableThreads({ usable: 8, all: 8, busy: 0.3 }), 8);
  assert.equal(usableThreads({ usable: 8, all: 8, busy: 5.2 }), 3);
  assert.equal(usableThreads({ usable: 2, all: 2, busy: 15 }), 1);
  assert.equal(usableThreads({ usable: 2, all: 64, busy: 20 }), 2);
});

test('only what others compute now counts: not this program, and not what ended a minute ago', () => {
  const watched = (from: Times, to: Times): number => {
    const moments = [from, to];
    return watchOtherWork(
      () => moments.shift() ?? to,
      () => 1.5,
    )();
  };
  const from = { clock: 1000, everybody: 70_000, own: 200 };
  assert.equal(watched(from, { clock: 1400, everybody: 70_400, own: 600 }), 0);
  assert.equal(watched(from, { clock: 1400, everybody: 70_800, own: 600 }), 1);
  // Read so soon that nothing was counted yet: the mean of the last minute.
  assert.equal(watched(from, { clock: 1010, everybody: 70_010, own: 205 }), 1.5);
});
