/** Servers over stdio: what is offered of them, and how a call goes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
