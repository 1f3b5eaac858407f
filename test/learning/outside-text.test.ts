/** What counts as text from outside. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outsideSources } from '../../src/runtime/learning/outside-text.ts';
import { reply, used, user } from './support.ts';

test("the person's files and local programs are their own", () => {
  const history = [
    user('see https://example.com'),
    ...used('read_file', { path: 'a.ts' }, 'curl', 'a'),
    ...used('terminal', { command: 'npm-check; make test && git status' }, 'ok', 'b'),
    ...used('memory', {}, 'ok', 'c'),
    reply('done'),
  ];
  assert.deepEqual(outsideSources([user('see https://example.com'), ...used('terminal', { command: 'make' })]), []);
  assert.deepEqual(outsideSources(history.filter((_, index) => index !== 3 && index !== 4)), []);
});

test('pages, servers, other people and programs that fetch are outside, each named once', () => {
  const fetched = [
    ['web_search', {}],
    ['mcp_github_list', {}],
    ['delegate_task', {}],
    ['terminal', { command: 'curl example.com' }],
    ['terminal', { command: 'x=1; git  clone repo' }],
    ['terminal', { command: 'echo hi > /dev/tcp://x' }],
    ['execute_code', { code: 'import requests' }],
  ] as const;
  for (const [name, args] of fetched) {
    assert.deepEqual(outsideSources([user('go'), ...used(name, args, 'text', 'a'), ...used(name, args, 'text', 'b')]), [
      name,
    ]);
  }
  const page = { role: 'user' as const, content: [{ type: 'text' as const, text: 'x', origin: 'foreign' as const }] };
  assert.deepEqual(outsideSources([page]), ["someone else's message"]);
  assert.deepEqual(outsideSources([{ role: 'tool', tool_call_id: 'gone', content: 'x' }]), ['an unknown tool']);
});
