/** Which tools a session gets from the sets that are named for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectTools, type ToolsetChoice } from '../../src/tools/toolsets.ts';

const catalogue = [
  { name: 'terminal', toolset: 'terminal' },
  { name: 'read_file', toolset: 'file' },
  { name: 'write_file', toolset: 'file' },
];

function select(choice: Partial<ToolsetChoice>) {
  const { tools, unknown } = selectTools(catalogue, { wanted: [], custom: {}, disabled: [], ...choice });
  return { names: tools.map(({ name }) => name), unknown };
}

test('sets, single tools and sets of ones own are named alike, and what is disabled goes', () => {
  assert.deepEqual(select({ wanted: ['file'] }).names, ['read_file', 'write_file']);
  assert.deepEqual(select({ wanted: ['mine'], custom: { mine: ['terminal', 'read_file'] } }).names, [
    'terminal',
    'read_file',
  ]);
  assert.deepEqual(select({ wanted: ['all'], disabled: ['file'] }).names, ['terminal']);
});

test('a set that contains itself is met once', () => {
  assert.deepEqual(select({ wanted: ['a'], custom: { a: ['b', 'terminal'], b: ['a'] } }).names, ['terminal']);
});

test('a name that means something to JavaScript is an unknown set like any other', () => {
  const names = ['constructor', '__proto__', 'toString'];
  assert.deepEqual(select({ wanted: names }), { names: [], unknown: names });
});
