/** `/agents` in the terminal: what is at work, as a tree that goes on while it is looked at. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visibleWidth } from '@earendil-works/pi-tui';
import { aboveInput } from '../../../src/cli/interactive/above-input.ts';
import { WorkTree } from '../../../src/cli/interactive/work-tree.ts';
import { colorsFor } from '../../../src/cli/render/colors.ts';
import type { AtWork } from '../../../src/commands/background-tasks.ts';
import type { SubAgent } from '../../../src/runtime/delegation/sub-agents.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePlace } from '../hermes-process.ts';
import { noTmux, openPane } from './tmux.ts';

const plain = colorsFor({ isTTY: false }, { color: true });

function agent(id: string, depth: number, more: Partial<SubAgent> = {}): SubAgent {
  return {
    id,
    delegationId: 'deleg_1',
    index: 0,
    count: 1,
    depth,
    goal: `goal of ${id}`,
    role: 'leaf',
    model: 'm',
    startedAt: Date.now(),
    inBackground: true,
    doing: '',
    toolCalls: 2,
    tokens: 1200,
    usd: 0,
    ...more,
  };
}

function workOf(list: SubAgent[]) {
  const ended: string[] = [];
  const work: AtWork = {
    agents: {
      paused: false,
      list: () => list,
      end: (id) => {
        const at = list.findIndex((each) => each.id === id);
        if (at === -1) return false;
        ended.push(id);
        list.splice(at, 1);
        return true;
      },
      endAll: () => list.splice(0).length,
      steer: () => true,
      listen: () => () => undefined,
      due: () => Promise.resolve([]),
    },
    tasks: {
      list: () => [{ id: 'bg_1', number: 1, prompt: 'count', startedAt: Date.now(), doing: 'terminal' }],
      end: (id) => ended.push(id) > 0,
      endAll: () => ended.push('all tasks'),
    },
  };
  return { work, ended };
}

const family = (): SubAgent[] => [
  agent('sa-a', 1, { index: 0, count: 2, doing: 'read_file' }),
  agent('sa-b', 2),
  agent('sa-c', 1, { index: 1, count: 2, goal: 'evil \u001b[31m\u202e\nline' }),
];

test('sub-agents stand under those that they work for; the marked one is stopped, spoken to, or all are', () => {
  const { work, ended } = workOf(family());
  const settled: (string | undefined)[] = [];
  const tree = new WorkTree(work, plain, (id) => void settled.push(id));
  tree.heard('sa-a', ' ├─ 📖 read_file  "a.txt"');
  const lines = tree.render(120);
  assert.match(lines[0] ?? '', /At work: 4/);
  assert.match(lines[1] ?? '', /^ ❯ ├─ \[1\/2\] goal of sa-a {2}\d s, m, 2 calls, 1,200 tokens, in read_file, sa-a$/);
  assert.match(lines[2] ?? '', /^ {3}│ {2}└─ goal of sa-b/);
  assert.match(lines[3] ?? '', /^ {3}└─ \[2\/2\] evil /);
  assert.match(lines[4] ?? '', /▶ #1 count .*in terminal, bg_1$/);
  assert.match(lines[5] ?? '', /read_file {2}"a\.txt"$/);
  assert.doesNotMatch(lines.join(''), /[\u001b\u202e\n]/, 'what others wrote moves nothing');
  for (const width of [1, 20, 60]) for (const line of tree.render(width)) assert.ok(visibleWidth(line) <= width);
  tree.handleInput('s');
  assert.deepEqual(settled, ['sa-a']);
  tree.handleInput('\u001b[B');
  tree.handleInput('k');
  assert.deepEqual(ended, ['sa-b']);
  for (let n = 0; n < 5; n += 1) tree.handleInput('\u001b[B');
  tree.handleInput('s');
  assert.equal(settled.length, 1, 'a background task cannot be spoken to');
  tree.handleInput('k');
  assert.deepEqual(ended, ['sa-b', 'bg_1']);
  tree.handleInput('p');
  assert.equal(work.agents.paused, true);
  assert.match(tree.render(80)[0] ?? '', /new sub-agents are paused/);
  tree.handleInput('K');
  assert.deepEqual([work.agents.list().length, ended.at(-1)], [0, 'all tasks']);
  tree.handleInput('\u001b');
  assert.deepEqual(settled, ['sa-a', undefined]);
});

test('above the input stands a line for each that is at work, one in a low window', () => {
  const many = [...family(), agent('sa-d', 1), agent('sa-e', 1)];
  const pending = { todos: [], waiting: [], pictures: '', voice: '', agents: many };
  const lines = aboveInput(pending, { columns: 80, rows: 40 }, plain);
  assert.equal(lines.length, 4);
  assert.match(lines[0] ?? '', /^ ├─ \[1\/2\] goal of sa-a {2}\d s, in read_file$/);
  assert.match(lines[3] ?? '', /… and 1 more: \/agents$/);
  assert.equal(aboveInput(pending, { columns: 80, rows: 12 }, plain).length, 1);
});

test('in the terminal the tree is live, gives way to a question, and what is said there arrives', {
  skip: noTmux,
}, async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using server = await startModelServer({
    title: 'A title',
    async respond({ body, rawBody }) {
      if (rawBody.includes('tidy up')) {
        const isDone = body.messages.some(({ role }) => role === 'tool');
        return isDone
          ? { text: 'Tidy.' }
          : { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r victim' } }] };
      }
      if (rawBody.includes('You are a sub-agent')) {
        if (rawBody.includes('mind the gap')) return { text: 'Read, with care.' };
        await released;
        return { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] };
      }
      if (rawBody.includes('DELEGATION COMPLETE')) return { text: 'All is in.' };
      const asked = body.messages.some(({ role }) => role === 'tool');
      return asked
        ? { text: 'It works.' }
        : { toolCalls: [{ name: 'delegate_task', arguments: { goal: 'read the docs' } }] };
    },
  });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('go');
  await pane.sees(/It works\.[^]*└─ read the docs/);
  pane.enter('/agents');
  await pane.sees(/At work: 1\s+❯ └─ read the docs[^]*Esc close/);
  pane.keys('Escape');
  await pane.sees(/⛓ 1/);
  pane.enter('/bg tidy up');
  pane.enter('/agents');
  await pane.sees(/needs your approval[^]*→ \d no\n/);
  pane.keys('Enter');
  await pane.sees(/Hermes \(background #1\)/);
  pane.enter('/agents');
  await pane.sees(/At work: 1/);
  pane.keys('s');
  await pane.sees(/What shall sa-0-\w+ hear\?/);
  pane.enter('mind the gap');
  await pane.sees(/sa-0-\w+ reads it before its next request\.[^]*At work: 1/);
  release();
  await pane.sees(/At work: nothing/);
  pane.keys('Escape');
  await pane.sees(/All is in\./);
});
