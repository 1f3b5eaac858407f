/** Servers over stdio: what is offered of them, and how a call goes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryHome } from '../config/temporary-home.ts';
import { pidsIn } from '../fakes/mcp-server.ts';
import { usualWaits } from '../../src/mcp/waits.ts';
import { fakeEntry, openServers } from './support.ts';

test('tools of a server are offered under its name, with a schema that providers take', async (t) => {
  const nullable = {
    type: 'object',
    properties: {
      at: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'When' },
      place: { $ref: '#/definitions/Place' },
    },
    required: ['at', 'gone'],
    definitions: { Place: { properties: { name: { type: ['string', 'null'] } } } },
  };
  const tools = [
    { name: 'list-items.v2', inputSchema: null },
    { name: 'book', description: 'Book a\u200b place', inputSchema: nullable },
    { name: 'a'.repeat(80) },
  ];
  const opened = await openServers(t, { 'my-api': fakeEntry({ tools, pageSize: 2 }) });
  const [list, book, long] = opened.tools();
  assert.equal(list?.name, 'mcp__my_api__list_items_v2');
  assert.equal(list?.toolset, 'mcp-my-api');
  assert.equal(list?.description, 'MCP tool list-items.v2 from my-api');
  assert.deepEqual(list?.schema, { type: 'object', properties: {} });
  assert.equal(book?.description, 'Book a place');
  assert.deepEqual(book?.schema, {
    type: 'object',
    properties: { at: { type: 'string', description: 'When' }, place: { $ref: '#/$defs/Place' } },
    required: ['at'],
    $defs: { Place: { type: 'object', properties: { name: { type: 'string' } } } },
  });
  assert.match(long?.name ?? '', /^mcp__my_api__a+_[\da-f]{8}$/);
});

test('a server sees the safe variables and its own, and nothing else', async (t) => {
  const opened = await openServers(t, {
    env: fakeEntry({ tools: [{ name: 'env' }] }, { env: { TOKEN: '${SECRET_KEY}', OTHER: '${env:NOBODY_KNOWS}' } }),
  });
  const { result } = await opened.ask('mcp__env__env');
  const seen = JSON.parse(String(result)) as Record<string, string>;
  assert.equal(seen['TOKEN'], 'sesame');
  assert.equal(seen['OTHER'], '${env:NOBODY_KNOWS}');
  assert.equal(seen['SECRET_KEY'], undefined);
  const allowed = [
    'PATH',
    'HOME',
    'USER',
    'LANG',
    'LC_ALL',
    'TERM',
    'SHELL',
    'TMPDIR',
    'TOKEN',
    'OTHER',
    'HERMES_SHELL_ID',
  ];
  assert.deepEqual(
    Object.keys(seen).filter((name) => !allowed.includes(name)),
    [],
  );
});

test('a broken server does not keep the others away, and one line of the log says what is wrong with it', async (t) => {
  const pids = join(temporaryHome(t).home.path, 'pids');
  const opened = await openServers(t, {
    broken: { command: '/nowhere/at-all' },
    nothing: {},
    off: fakeEntry({ tools: [{ name: 'echo' }], pids }, { enabled: 'false' }),
    good: fakeEntry({ tools: [{ name: 'echo' }] }),
  });
  assert.deepEqual(opened.names(), ['mcp__good__echo']);
  assert.equal(opened.logged.filter((line) => line.includes('/nowhere/at-all')).length, 1);
  const states = opened.servers.list().map(({ name, state }) => `${name} ${state}`);
  assert.deepEqual(pidsIn(pids), [], 'what is switched off is not started');
  assert.deepEqual(states, ['broken failed', 'good connected', 'nothing refused', 'off disabled']);
});

test('a server that does not come up is tried three times more, and then left alone with one line in the log', async (t) => {
  const { home } = temporaryHome(t);
  const [broken, pids] = [join(home.path, 'broken'), join(home.path, 'pids')];
  writeFileSync(broken, '');
  const entry = fakeEntry({ tools: [{ name: 'echo' }], brokenWhile: broken, pids });
  const retry = [5, 5, 5, 5, 5];
  const opened = await openServers(t, { s: entry }, { waits: { ...usualWaits, retry, revive: 3_600_000 } });
  assert.equal(opened.servers.list()[0]?.state, 'failed');
  assert.equal(pidsIn(pids).length, 4);
  assert.equal(opened.logged.filter((line) => /not connected: /.test(line)).length, 1);
});

test('filters name tools as the server does; what it does not have is not offered', async (t) => {
  const tools = ['a-1', 'b', 'c'].map((name) => ({ name }));
  const capabilities = { tools: {}, resources: {} };
  const opened = await openServers(t, {
    one: fakeEntry({ tools, capabilities }, { tools: { include: ['a-1'], exclude: ['a-1', 'b'], resources: false } }),
    two: fakeEntry({ tools, capabilities }, { tools: { include: [], resources: true } }),
    three: fakeEntry({ tools }, { tools: { exclude: 'b' } }),
  });
  assert.deepEqual(opened.names(), [
    'mcp__one__a_1',
    'mcp__two__list_resources',
    'mcp__two__read_resource',
    'mcp__three__a_1',
    'mcp__three__c',
  ]);
});

test('a tool whose name another one has already is left out', async (t) => {
  const entry = fakeEntry({ tools: [{ name: 'x.y' }, { name: 'x-y' }, { name: 'own' }] });
  const opened = await openServers(t, { s: entry }, { taken: new Set(['mcp__s__own']) });
  assert.deepEqual(opened.names(), ['mcp__s__x_y']);
  assert.ok(opened.logged.includes('taken: mcp__s__own of s'));
});

test('resources and prompts are read through tools of their own', async (t) => {
  const capabilities = { resources: {}, prompts: {} };
  const opened = await openServers(t, { s: fakeEntry({ capabilities }) });
  assert.deepEqual(await opened.ask('mcp__s__list_resources'), {
    resources: [
      { uri: 'note://one', name: 'one', mimeType: 'text/plain' },
      { uri: 'note://two', name: 'two' },
    ],
  });
  assert.deepEqual(await opened.ask('mcp__s__read_resource', { uri: 'note://one' }), {
    result: 'a note\n[binary data, 3 bytes]',
  });
  assert.deepEqual(await opened.ask('mcp__s__list_prompts'), {
    prompts: [{ name: 'greet', arguments: [{ name: 'whom', required: true }] }],
  });
  assert.deepEqual(await opened.ask('mcp__s__get_prompt', { name: 'greet', arguments: { whom: 'Ada' } }), {
    messages: [{ role: 'user', content: 'greet {"whom":"Ada"}' }],
  });
});
