/** Answers that are kept for a moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Recent } from '../../src/lib/recent.ts';

test('an answer stands for its time, for its own question alone, and is found anew after that', () => {
  let now = 0;
  let found = 0;
  const recent = new Recent<number>({ keepMs: 1000, now: () => now });
  const find = (): number => (found += 1);
  assert.equal(recent.get('a', find), 1);
  now = 999;
  assert.equal(recent.get('a', find), 1);
  assert.equal(recent.get('b', find), 2);
  now = 1000;
  assert.equal(recent.get('a', find), 3);
});

test('what could not be found is looked for again, and old questions are forgotten', () => {
  const recent = new Recent<string>({ keepMs: 1000, now: () => 0 });
  const fail = (): never => {
    throw new Error('not now');
  };
  assert.throws(() => recent.get('a', fail), /not now/);
  assert.equal(
    recent.get('a', () => 'first'),
    'first',
  );
  for (let index = 0; index < 64; index += 1) recent.get(`other ${index}`, () => 'x');
  assert.equal(
    recent.get('a', () => 'second'),
    'second',
  );
});
