/** `todo`: the list of steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { todoTool } from '../../../src/tools/todo/todo.ts';
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
  const answer = await callTool(todoTool, { todos: '[{"content":"only text","status":"someday"},{}]' }, services);
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
