/** `todo`: the list of steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { todoTool } from '../../../src/tools/todo/todo.ts';
import { runTool } from '../support.ts';
import { callTool, openWorkplace } from '../file/support.ts';

test('the list is replaced, merged by id in its order, read, and counted', async (t) => {
  const { services } = openWorkplace(t);
  const items = [
    { id: '1', content: 'look', status: 'completed' },
    { id: '2', content: 'build', status: 'in_progress' },
    { id: '3', content: 'test', status: 'pending' },
  ];
  await callTool(todoTool, { todos: items }, services);
  const merged = await callTool(
    todoTool,
    {
      todos: [
        { id: '2', status: 'completed' },
        { id: '4', content: 'ship' },
      ],
      merge: true,
    },
    services,
  );
  assert.deepEqual(merged['todos'], [
    { id: '1', content: 'look', status: 'completed' },
    { id: '2', content: 'build', status: 'completed' },
    { id: '3', content: 'test', status: 'pending' },
    { id: '4', content: 'ship', status: 'pending' },
  ]);
  assert.deepEqual(merged['summary'], { total: 4, pending: 2, in_progress: 0, completed: 2, cancelled: 0 });
  assert.deepEqual((await callTool(todoTool, {}, services))['todos'], merged['todos']);
});

test('odd items are mended, and a list comes back from its own result', async (t) => {
  const { services } = openWorkplace(t);
  const answer = await callTool(todoTool, { todos: '[{"content":"only text"},{}]' }, services);
  assert.deepEqual(answer['todos'], [
    { id: '?', content: 'only text', status: 'pending' },
    { id: '?', content: '(no description)', status: 'pending' },
  ]);
  services.state.todos.clear();
  services.state.todos.restore(answer.text);
  assert.deepEqual(services.state.todos.read(), answer['todos']);
  services.state.todos.restore('no JSON');
  assert.equal(services.state.todos.read().length, 2);
});

test('of several items with one id the last counts, and no list or text grows without end', async (t) => {
  const { services } = openWorkplace(t);
  const item = (id: string, content: string) => ({ id, content, status: 'pending' });
  const twice = await callTool(todoTool, { todos: [item('1', 'old'), item('2', 'b'), item('1', 'new')] }, services);
  assert.deepEqual(twice['todos'], [item('2', 'b'), item('1', 'new')]);
  const merged = await callTool(todoTool, { todos: [item('2', 'x'), item('2', 'y')], merge: true }, services);
  assert.deepEqual(merged['todos'], [item('2', 'y'), item('1', 'new')]);
  const many = Array.from({ length: 300 }, (_, at) => item(String(at), 'x'.repeat(5000)));
  const kept = (await callTool(todoTool, { todos: many }, services))['todos'] as { readonly content: string }[];
  assert.equal(kept.length, 256);
  assert.deepEqual([kept[0]?.content.length, kept[0]?.content.endsWith('… [truncated]')], [4000, true]);
});

test('a person sees the list with marks, and how far it is', async (t) => {
  const { services } = openWorkplace(t);
  const todos = [
    { id: '1', content: 'look', status: 'completed' },
    { id: '2', content: 'build\nit', status: 'in_progress' },
    { id: '3', content: 'test', status: 'pending' },
    { id: '4', content: 'fax it', status: 'cancelled' },
  ];
  const outcome = await runTool(todoTool, { todos }, services);
  const call = todoTool.prepare({ todos });
  assert.ok('render' in call);
  assert.deepEqual(call.render(outcome), {
    note: '1/3 done',
    blocks: [{ type: 'text', text: '☑ look\n▸ build it\n☐ test\n☒ fax it' }],
  });
  assert.deepEqual(call.render({ content: 'cut off {', isError: true }), {});
  const change = { todos: [{ id: '3', status: 'completed' }], merge: true };
  const changed = todoTool.prepare(change);
  assert.ok('render' in changed);
  assert.deepEqual(changed.render(await runTool(todoTool, change, services)), {
    note: '2/3 done',
    blocks: [{ type: 'text', text: '☑ test' }],
  });
});

test('other words for a status are understood, and a word that means none is refused instead of becoming pending', async (t) => {
  const { services } = openWorkplace(t);
  const list = (status: string) => callTool(todoTool, { todos: [{ id: '1', content: 'look', status }] }, services);
  for (const [word, meant] of [
    ['done', 'completed'],
    ['In Progress', 'in_progress'],
    ['todo', 'pending'],
    ['canceled', 'cancelled'],
  ] as const)
    assert.deepEqual((await list(word))['todos'], [{ id: '1', content: 'look', status: meant }]);
  const call = todoTool.prepare({ todos: [{ id: '1', content: 'look', status: 'someday' }] });
  assert.ok('problem' in call);
  assert.match(call.problem, /"someday" is not known; use one of pending, in_progress, completed, cancelled/);
});

test('the schema says what an item needs and which statuses there are', () => {
  const schema = JSON.stringify(todoTool.schema);
  assert.match(schema, /"required":\["id","content","status"\]/);
  assert.match(schema, /"enum":\["pending","in_progress","completed","cancelled"\]/);
});
