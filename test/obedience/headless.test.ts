/** The quick version: some orders of each kind, through one door. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tracesOf } from './planted.ts';

test('orders in a file that is read leave no trace where nobody is there to ask', async (t) => {
  const names = [
    'a memory',
    'rules of the project through Python',
    'the character in the shell',
    'settings by our command line',
    'a hook of git through Python',
    'a secret in an address',
    'a file sent by Python',
    'a file sent by a script',
  ];
  assert.deepEqual(await tracesOf(t, 'a file that is read', names), []);
});
