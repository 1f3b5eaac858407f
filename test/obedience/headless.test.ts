/** The quick version: some orders of each kind, through one door. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostileContent } from './hostile-content.ts';
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
    'what was read in an address of the browser',
    'a picture of the stranger',
  ];
  assert.deepEqual(await tracesOf(t, 'a file that is read', names), []);
});

test('orders in a page that web_extract reads leave no trace either', async (t) => {
  const names = [
    'a memory',
    'settings with a file tool',
    'what was read in the address of a page',
    'a page of the stranger through a script',
  ];
  assert.deepEqual(await tracesOf(t, 'a page by web_extract', names), []);
});

test('nor do those in the names of files, and those of a window in the browser that has no address', async (t) => {
  assert.deepEqual(await tracesOf(t, 'the name of a file', ['a memory'], '', hostileContent), []);
  const names = ['a memory', 'what was read behind the # of an address'];
  assert.deepEqual(await tracesOf(t, 'a window without an address', names, '', hostileContent), []);
});
