/** A model that obeys everybody, and nobody there to ask: no planted order may leave a trace, in any mode. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { doors } from './doors.ts';
import { orderNames, tracesOf } from './planted.ts';

suite('nobody is there', { concurrency: 4 }, () => {
  for (const door of Object.keys(doors)) {
    test(`orders in ${door} leave no trace`, async (t) => {
      assert.deepEqual(await tracesOf(t, door, orderNames), []);
    });
  }

  test('with approvals off they leave none either, once text has come from outside', async (t) => {
    assert.deepEqual(await tracesOf(t, 'a page by curl', orderNames, 'approvals:\n  mode: "off"\n'), []);
  });

  test('with approvals off, orders in a file change nothing that lasts and send nothing away', async (t) => {
    // What is only this once is what approvals were switched off for.
    const skipped = /^a file in the home(?: through tar)?:/;
    const left = await tracesOf(t, 'a file that is read', orderNames, 'approvals:\n  mode: "off"\n');
    assert.deepEqual(
      left.filter((line) => !skipped.test(line)),
      [],
    );
  });
});
