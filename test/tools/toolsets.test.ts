/** Which tools a session gets from the sets that are named for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolCatalogue } from '../../src/tools/catalogue.ts';
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

test('the sets of the original hold the tools of this build that belong to them', () => {
  const built = (wanted: string[], choice: Partial<ToolsetChoice> = {}): string => {
    const { tools, unknown } = selectTools(toolCatalogue, { wanted, custom: {}, disabled: [], ...choice });
    assert.deepEqual(unknown, []);
    return tools.map(({ name }) => name).join(' ');
  };
  const files = 'read_file write_file patch search_files';
  assert.equal(built(['debugging']), `terminal process ${files} web_search web_extract`);
  assert.equal(built(['safe']), 'web_search web_extract vision_analyze image_generate');
  assert.equal(built(['web_tools']), 'web_search web_extract');
  assert.equal(built(['ds'], { custom: { ds: ['file', 'web'] } }), `${files} web_search web_extract`);
  assert.equal(built(['web', 'file'], { disabled: ['web'] }), files);
});

test('an editor is asked no questions and makes no jobs, the API makes jobs, and a webhook changes nothing', () => {
  const built = (name: string): string[] =>
    selectTools(toolCatalogue, { wanted: [name], custom: {}, disabled: [] }).tools.map((tool) => tool.name);
  const lacking = (name: string): string[] => ['clarify', 'cronjob'].filter((tool) => !built(name).includes(tool));
  assert.deepEqual(lacking('hermes-acp'), ['clarify', 'cronjob']);
  assert.deepEqual(lacking('hermes-api-server'), ['clarify']);
  assert.deepEqual(built('hermes-webhook').toSorted(), ['clarify', 'vision_analyze', 'web_extract', 'web_search']);
});
