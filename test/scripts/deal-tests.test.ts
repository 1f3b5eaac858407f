/** How test files are dealt to the processes of a run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dealTests } from '../../scripts/deal-tests.ts';

test('each file is dealt once, and the slowest to different processes', () => {
  const slow = ['cli/interactive/chat', 'docs/pages', 'environments/local-conformance', 'cli/security'];
  const files = [...slow, ...Array.from({ length: 100 }, (_, number) => `room/t${String(number).padStart(3, '0')}`)]
    .map((name) => `/checkout/test/${name}.test.ts`)
    .sort();
  const dealt = dealTests(files, 4);
  assert.deepEqual(dealt.flat().sort(), files);
  for (const hand of dealt) {
    assert.equal(hand.filter((file) => slow.some((name) => file.includes(name))).length, 1);
    assert.deepEqual(hand, hand.toSorted());
  }
});

test('who runs alone gets everything in its order', () => {
  assert.deepEqual(dealTests(['b', 'a', 'c'], 1), [['b', 'a', 'c']]);
});
