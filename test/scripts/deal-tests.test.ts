/** How test files are dealt to the processes of a run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dealTests } from '../../scripts/deal-tests.ts';

const slow = ['cli/interactive/chat', 'cli/failures', 'cli/one-shot', 'cli/fallback-insights-memory'];
const files = [...slow, ...Array.from({ length: 400 }, (_, number) => `room/t${String(number).padStart(3, '0')}`)]
  .map((name) => `/checkout/test/${name}.test.ts`)
  .sort();

test('each file is dealt once, and the slowest come first', () => {
  const batches = dealTests(files, 4);
  assert.deepEqual(batches.flat().sort(), files);
  for (const batch of batches) assert.deepEqual(batch, batch.toSorted());
  const begun = batches.slice(0, 4).flat();
  assert.deepEqual(
    slow.filter((name) => !begun.some((file) => file.includes(name))),
    [],
  );
});

test('what begins last is small, and no batch is so small that loading the program is most of it', () => {
  const sizes = dealTests(files, 4).map((batch) => batch.length);
  const last = sizes.slice(-5, -1);
  assert.ok(Math.max(...last) <= 20 && Math.min(...last) >= 10, sizes.join(' '));
});

test('who runs alone gets everything in its order', () => {
  assert.deepEqual(dealTests(['b', 'a', 'c'], 1), [['b', 'a', 'c']]);
});
