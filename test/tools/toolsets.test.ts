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

test('all means no tools of the board: whoever wants them names them', () => {
  const withBoard = [...catalogue, { name: 'kanban_show', toolset: 'kanban' }];
  const chosen = (...wanted: string[]) =>
    selectTools(withBoard, { wanted, custom: {}, disabled: [] }).tools.map(({ name }) => name);
  for (const name of ['all', '*']) assert.deepEqual(chosen(name), ['terminal', 'read_file', 'write_file']);
  assert.deepEqual(chosen('all', 'kanban').at(-1), 'kanban_show');
});

test('a disabled set of a platform or a posture takes away only what it has besides the core', () => {
  for (const name of ['hermes-cli', 'hermes-discord', 'hermes-gateway', 'coding']) {
    assert.deepEqual(
      select({ wanted: ['all'], disabled: [name] }).names,
      ['terminal', 'read_file', 'write_file'],
      name,
    );
  }
  assert.deepEqual(select({ wanted: ['all'], disabled: ['debugging'] }).names, []);
  const own = { wanted: ['all'], disabled: ['mine'], custom: { mine: ['hermes-cli'] } };
  assert.deepEqual(select(own).names, [], 'a set of one’s own means what is in it');
  const { tools } = selectTools([...catalogue, { name: 'discord', toolset: 'discord' }], {
    wanted: ['hermes-discord'],
    custom: {},
    disabled: ['hermes-discord'],
  });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['terminal', 'read_file', 'write_file'],
  );
});

test('a set that contains itself is met once', () => {
  assert.deepEqual(select({ wanted: ['a'], custom: { a: ['b', 'terminal'], b: ['a'] } }).names, ['terminal']);
});

test('a name that means something to JavaScript is an unknown set like any other', () => {
  const names = ['constructor', '__proto__', 'toString'];
  assert.deepEqual(select({ wanted: names }), { names: [], unknown: names });
});
