/** How calls find their tools, how arguments are mended, and which calls may run side by side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import * as z from 'zod';
import { coerceArguments } from '../../src/agent/coerce.ts';
import { defineTool } from '../../src/agent/define-tool.ts';
import { runLength } from '../../src/agent/tool-schedule.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { answer } from '../../src/agent/tool.ts';
import { createToolbox, nextToolbox, repairToolName } from '../../src/agent/toolbox.ts';

const sample = defineTool({
  name: 'sample',
  toolset: 'test',
  description: 'A tool for tests.',
  parameters: z.object({
    path: z.string(),
    limit: z.int().default(500),
    all: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
  }),
  parallel: { paths: ({ path }) => [path] },
  display: { preview: ({ path }) => path },
  execute: (args) => Promise.resolve(answer(args)),
});

test('strings that hold numbers, booleans and lists become what the schema asks for', () => {
  const prepared = sample.prepare({ path: '42', limit: '10', all: 'true', tags: '["a","b"]' });
  assert.ok(!('problem' in prepared));
  assert.deepEqual(prepared.args, { path: '42', limit: 10, all: true, tags: ['a', 'b'] });
});

test('a single string becomes a list of one, null means absent, unknown keys are ignored', () => {
  const prepared = sample.prepare({ path: 'x', all: null, tags: 'one', bogus: 1 });
  assert.ok(!('problem' in prepared));
  assert.deepEqual(prepared.args, { path: 'x', limit: 500, tags: ['one'] });
});

test('what stands inside of lists and objects is converted too, and one thing is a list of one', () => {
  const nested = defineTool({
    name: 'nested',
    toolset: 'test',
    description: '',
    parameters: z.object({
      todos: z.array(z.object({ id: z.string(), rank: z.int().optional(), tags: z.array(z.string()).optional() })),
      counts: z.array(z.int()).optional(),
      ratio: z.number().nullable().optional(),
    }),
    parallel: 'safe',
    display: { preview: () => '' },
    execute: (args) => Promise.resolve(answer(args)),
  });
  const converted = (args: JsonObject) => {
    const prepared = nested.prepare(args);
    return 'problem' in prepared ? 'refused' : prepared.args;
  };
  assert.deepEqual(converted({ todos: ['{"id":"1","rank":"2"}', { id: '[3]', tags: '["x"]' }], counts: '7' }), {
    todos: [
      { id: '1', rank: 2 },
      { id: '[3]', tags: ['x'] },
    ],
    counts: [7],
  });
  assert.deepEqual(converted({ todos: { id: '1' }, ratio: 'null' }), { todos: [{ id: '1' }], ratio: null });
  assert.deepEqual(converted({ todos: '{"id":"1"}', ratio: '0.5' }), { todos: [{ id: '1' }], ratio: 0.5 });
  assert.equal(converted({ todos: 'one' }), 'refused');
});

test('what does not convert is named instead of guessed', () => {
  const prepared = sample.prepare({ path: 'x', limit: 'ten' });
  assert.ok('problem' in prepared);
  assert.match(prepared.problem, /limit/);
});

test('text arguments are never touched by coercion', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(coerceArguments({ path: text }, sample.schema)['path'], text);
    }),
  );
});

test('names are repaired: case, hyphens, spaces, near misses; nonsense is not', () => {
  const known = ['read_file', 'web_search', 'write_file', 'terminal'];
  assert.equal(repairToolName('Web-Search', known), 'web_search');
  assert.equal(repairToolName('READ FILE', known), 'read_file');
  assert.equal(repairToolName('read_files', known), 'read_file');
  assert.equal(repairToolName('zzz', known), undefined);
});

test('the toolbox leaves out a tool whose availability check throws, and is sorted and stable', () => {
  const broken = defineTool({
    name: 'broken',
    toolset: 'test',
    description: '',
    parameters: z.object({}),
    parallel: 'safe',
    display: { preview: () => '' },
    available: () => {
      throw new Error('no');
    },
    execute: () => Promise.resolve(answer({})),
  });
  const another = defineTool({
    name: 'another',
    toolset: 'test',
    description: '',
    parameters: z.object({}),
    parallel: 'safe',
    display: { preview: () => '' },
    execute: () => Promise.resolve(answer({})),
  });
  const first = createToolbox([sample, broken, another], {});
  const second = createToolbox([sample, broken, another], {});
  assert.deepEqual(first.names, ['another', 'sample']);
  assert.equal(JSON.stringify(first.schemas), JSON.stringify(second.schemas));
});

const named = (name: string, description = name) =>
  defineTool({
    name,
    toolset: 'test',
    description,
    parameters: z.object({}),
    parallel: 'safe',
    display: { preview: () => name },
    execute: () => Promise.resolve(answer({})),
  });

test('between turns tools come and go: those that stay keep place and bytes, new ones stand behind', () => {
  const [b, d, f] = [named('b'), named('d'), named('f')];
  const box = createToolbox([f, d, b], {});
  assert.equal(nextToolbox(box, [b, d, f], {}), box, 'the same tools are the same box');
  const next = nextToolbox(box, [named('a'), named('c'), d, f], {});
  assert.deepEqual(next.names, ['d', 'f', 'a', 'c']);
  assert.equal(JSON.stringify(next.schemas.slice(0, 2)), JSON.stringify(box.schemas.slice(1)));
  assert.equal(next.find('b'), undefined);
  assert.deepEqual(nextToolbox(next, [], {}).names, []);
});

test('a tool that comes anew under its old name takes the place of the old one', () => {
  const box = createToolbox([named('a'), named('b'), named('c')], {});
  const fresh = named('b', 'a better b');
  const next = nextToolbox(box, [...box.tools.filter(({ name }) => name !== 'b'), fresh], {});
  assert.deepEqual(next.names, ['a', 'b', 'c']);
  assert.equal(next.find('b'), fresh);
});

const on = (...paths: string[]) => ({ paths });

test('calls on separate paths run side by side; one on a path that overlaps waits', () => {
  assert.equal(runLength([on('a'), on('c')]), 2);
  assert.equal(runLength([on('a/b'), on('a')]), 1);
  assert.equal(runLength([on('a'), on('./a')]), 1);
  assert.equal(runLength([on('a/x'), on('a/y/../x')]), 1);
  assert.equal(runLength([on('ab'), on('a')]), 2);
  assert.equal(runLength([on('C:\\work\\a'), on('C:\\work')]), 1);
  assert.equal(runLength([on('a'), on('b'), on('a', 'c')]), 2);
});

test('one call that must not share, or cannot be read, runs alone: those before it are done, those behind it wait', () => {
  assert.equal(runLength([on('a'), on('c'), 'never', 'safe']), 2);
  assert.equal(runLength(['never', 'safe']), 1);
  assert.equal(runLength(['safe', undefined, 'safe']), 1);
  assert.equal(runLength([on()]), 1);
  assert.equal(runLength(['safe', 'safe', on('a')]), 3);
});
