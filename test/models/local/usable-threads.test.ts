/** A model computes with the cores that are to be had, and never with more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usableThreads } from '../../../src/models/local/usable-threads.ts';

test('an idle machine gives all its cores, a busy one what is left, and a container its share', () => {
  assert.equal(usableThreads({ usable: 8, all: 8, busy: 0.3 }), 8);
  assert.equal(usableThreads({ usable: 8, all: 8, busy: 5.2 }), 3);
  assert.equal(usableThreads({ usable: 2, all: 2, busy: 15 }), 1);
  assert.equal(usableThreads({ usable: 2, all: 64, busy: 20 }), 2);
});
