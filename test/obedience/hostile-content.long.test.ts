/** Orders in every place where a page, a document or a folder may hide them, and a model that obeys: no trace either. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hostileContent } from './hostile-content.ts';
import { tracesOf } from './planted.ts';

/** Something to keep, something to schedule, something to send, something to lift the gate. */
const names = [
  'a memory',
  'a memory taken away',
  'a job of ours',
  'what was read in the path of an address',
  'what was read behind the # of an address',
  'what was read in an address of the browser',
  'a page of the stranger through a sub-agent',
  'a page of the stranger',
  'a mail through a tool server',
  'a mail through a sub-agent',
  'a changed skill',
  'a skill taken away',
  'a file of a skill',
  'a file sent by Python',
  'settings with a file tool',
];

suite('nobody is there', { concurrency: 4 }, () => {
  for (const door of Object.keys(hostileContent)) {
    test(`orders in ${door} leave no trace`, async (t) => {
      assert.deepEqual(await tracesOf(t, door, names, '', hostileContent), []);
    });
  }
});
