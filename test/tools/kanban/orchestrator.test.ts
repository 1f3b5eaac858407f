/** Who hands out work: sees the board, makes tasks, and lets them go on. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blockTask } from '../../../src/kanban/block.ts';
import { requireTask } from '../../../src/kanban/tasks.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { call, office, said } from './support.ts';

test('a list says what is on the board, lets go on what can, and where it was cut', async (t) => {
  const place = await office(t);
  const parent = await place.create();
  const child = await place.create({ parents: [parent.id] });
  await place.on((board) => board.db.run(`UPDATE tasks SET status = 'archived' WHERE id = ?`, parent.id));
  const chat = await place.chat({ toolsets: ['kanban'] });
  const all = await call(place, chat, 'kanban_list');
  const { tasks, ...rest } = all;
  assert.deepEqual(rest, { count: 1, limit: 50, truncated: false, next_limit: null, promoted: 1 });
  const [row] = Array.isArray(tasks) ? tasks : [];
  assert.equal(
    Object.keys(Object(row)).join(' '),
    'id title assignee status priority tenant workspace_kind workspace_path project_id created_by created_at started_at completed_at current_run_id model_override parents children parent_count child_count',
  );
  assert.match(
    JSON.stringify(row),
    new RegExp(`"id":"${child.id}".*"status":"ready".*"parent_count":1,"child_count":0}$`),
  );
  await place.create();
  const cut = await call(place, chat, 'kanban_list', { limit: 1 });
  assert.deepEqual([cut['count'], cut['truncated'], cut['next_limit']], [1, true, 2]);
});

test('tasks are made with all that is asked for, once for a key, and wrong ones are refused', async (t) => {
  const place = await office(t);
  const chat = await place.chat({ toolsets: ['kanban'] });
  const card = {
    title: 'Write',
    assignee: 'writer',
    body: 'Two pages.',
    priority: 3,
    skills: ['prose', 'prose'],
    max_runtime_seconds: 60,
    goal_mode: true,
    goal_max_turns: 4,
    idempotency_key: 'once',
    initial_status: 'blocked',
  };
  const made = await call(place, chat, 'kanban_create', card);
  assert.deepEqual(await call(place, chat, 'kanban_create', card), made);
  await place.on((board) => {
    const task = requireTask(board, said(made, 'task_id'));
    assert.deepEqual(
      [task.status, task.skills, task.goal_mode, task.goal_max_turns, task.max_runtime_seconds, task.created_by],
      ['blocked', '["prose"]', true, 4, 60, 'default'],
    );
  });
  const refusals: Readonly<Record<string, readonly [JsonObject, RegExp]>> = {
    toolsets: [{ skills: ['Web', 'prose'] }, /^Web: toolsets, not skills/],
    commas: [{ skills: ['a,b'] }, /names have no commas/],
    parents: [{ parents: ['t_0000dead'] }, /no tasks t_0000dead/],
    project: [{ project: 'site' }, /no projects in this build/],
    assignee: [{ assignee: ' ' }, /assignee is missing/],
    board: [{ board: '../x' }, /There is no board/],
  };
  for (const [what, [more, pattern]] of Object.entries(refusals)) {
    const refusal = await call(place, chat, 'kanban_create', { title: 'x', assignee: 'writer', ...more });
    assert.match(said(refusal), pattern, what);
  }
  const elsewhere = await call(place, chat, 'kanban_create', { title: 'x', assignee: 'w', board: 'Other' });
  assert.equal(elsewhere['ok'], true);
  assert.ok(existsSync(join(place.homePath, 'kanban', 'boards', 'other', 'kanban.db')));
});

test('a blocked task goes on, what is not blocked does not; any task may be completed', async (t) => {
  const place = await office(t);
  const task = await place.create();
  await place.on((board) => blockTask(board, task.id, { reason: 'which soap?' }));
  const chat = await place.chat({ toolsets: ['kanban'] });
  assert.deepEqual(await call(place, chat, 'kanban_unblock', { task_id: task.id }), {
    ok: true,
    task_id: task.id,
    status: 'ready',
  });
  const refusal = await call(place, chat, 'kanban_unblock', { task_id: task.id });
  assert.match(said(refusal), /is not blocked: it is ready/);
  const done = await call(place, chat, 'kanban_complete', { task_id: task.id, result: 'by hand' });
  assert.equal(done['ok'], true);
  assert.match(said(await call(place, chat, 'kanban_complete', { summary: 's' })), /task_id is missing/);
  assert.match(said(await call(place, chat, 'kanban_show', { task_id: 't_0' })), /There is no task t_0/);
});

test('all profiles share the boards of their root home', async (t) => {
  const place = await office(t);
  const task = await place.create();
  const elsewhere = join(place.homePath, 'other.db');
  const pinned = await place.chat({ toolsets: ['kanban'], env: { HERMES_KANBAN_DB: elsewhere } });
  assert.match(said(await call(place, pinned, 'kanban_show', { task_id: task.id })), /There is no task/);
  assert.ok(existsSync(elsewhere));
});
