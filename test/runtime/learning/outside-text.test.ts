/** What counts as text from outside. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outsideSources } from '../../../src/runtime/learning/outside-text.ts';
import { reply, used, user } from './support.ts';

test("the person's files and local programs are their own", () => {
  const commands = [
    'make test && git status',
    'npm test',
    'cargo build',
    'grep -rn links src',
    'cat requests.log',
    'go test',
  ];
  const history = [
    user('see https://example.com'),
    ...used('read_file', { path: 'a.ts' }, 'curl https://x', 'a'),
    ...commands.flatMap((command, index) => used('terminal', { command }, 'ok', `c${index}`)),
    ...used('memory', {}, 'ok', 'c'),
    reply('done'),
  ];
  assert.deepEqual(outsideSources(history), []);
});

test('pages, servers, other people and programs that fetch are outside, each named once', () => {
  const fetched = [
    ['web_search', {}],
    ['mcp_github_list', {}],
    ['delegate_task', {}],
    ['terminal', { command: 'curl example.com' }],
    ['terminal', { command: 'x=1; git  clone repo' }],
    ['terminal', { command: 'cat < /dev/tcp/evil/80' }],
    ['terminal', { command: 'cd x && npm --silent install left-pad' }],
    ['terminal', { command: 'true; http example.com' }],
    ['terminal', { command: 'python3 -c "import requests"' }],
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
