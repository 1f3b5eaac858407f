/** A worker and its one task. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attachmentsOf } from '../../../src/kanban/attachments.ts';
import { addComment } from '../../../src/kanban/comment.ts';
import { lastEvents } from '../../../src/kanban/events.ts';
import { runsOf } from '../../../src/kanban/runs.ts';
import { commentsOf, findTask, listTasks, requireTask } from '../../../src/kanban/tasks.ts';
import { textOf } from '../../runtime/support.ts';
import { attachmentsFolder, call, office, said } from './support.ts';

test('a worker sees its task as the original shows it', async (t) => {
  const place = await office(t);
  const parent = await place.create();
  await place.on((board) => board.db.run(`UPDATE tasks SET status = 'done'`));
  const task = await place.claimed({ body: 'All of them.', parents: [parent.id] });
  const child = await place.create({ parents: [task.id] });
  await place.on((board) => addComment(board, task.id, { author: 'writer', body: 'Mind the handles.' }));
  const shown = await call(place, await place.worker(task), 'kanban_show');
  assert.deepEqual(Object.keys(shown), ['task', 'parents', 'children', 'comments', 'events', 'runs', 'worker_context']);
  assert.deepEqual(
    Object.keys(Object(shown['task'])).join(' '),
    'id title body assignee status tenant priority workspace_kind workspace_path created_by created_at started_at completed_at result current_run_id model_override',
  );
  assert.deepEqual([shown['parents'], shown['children']], [[parent.id], [child.id]]);
  assert.match(
    JSON.stringify(shown['comments']),
    /^\[{"author":"writer","body":"Mind the handles.","created_at":\d+}\]$/,
  );
  assert.match(JSON.stringify(shown['events']), /^\[{"kind":"created","payload":{.*},"created_at":\d+,"run_id":null}/);
  assert.match(JSON.stringify(shown['runs']), /^\[{"id":1,"profile":"default","status":"running","outcome":null,/);
  assert.match(
    said(shown, 'worker_context'),
    /^# Kanban task t_\w+: Wash the cups\n.*All of them\..*Mind the handles/s,
  );
});

test('a worker completes its task, and the conversation that did it is known', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const chat = await place.worker(task);
  assert.deepEqual(await call(place, chat, 'kanban_complete', {}), {
    error: 'A summary or a result is missing: say what the task came to.',
  });
  const done = await call(place, chat, 'kanban_complete', { summary: 'Clean.', metadata: { cups: 3 } });
  assert.deepEqual(done, { ok: true, task_id: task.id, run_id: 1 });
  await place.on((board) => {
    assert.equal(requireTask(board, task.id).status, 'done');
    assert.deepEqual(runsOf(board, task.id)[0]?.metadata, { cups: 3, worker_session_id: chat.session.id });
  });
});

test('files that the task was to make outlive its scratch folder', async (t) => {
  const place = await office(t);
  const folder = join(place.homePath, 'kanban', 'workspaces', 'w');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'list.md'), '3 cups');
  const task = await place.claimed({ workspacePath: folder });
  const artifacts = [join(folder, 'list.md')];
  const chat = await place.worker(task);
  const lost = await call(place, chat, 'kanban_complete', { summary: 's', artifacts: [join(folder, 'gone')] });
  assert.match(said(lost), /gone could not be kept.*Nothing was changed/);
  assert.equal((await call(place, chat, 'kanban_complete', { summary: 's', artifacts }))['ok'], true);
  assert.equal(readFileSync(join(attachmentsFolder(place, task), 'list.md'), 'utf8'), '3 cups');
});

test('cards that do not exist refuse the completion and are named; an empty list is no check', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const chat = await place.worker(task);
  const made = await call(place, chat, 'kanban_create', { title: 'Dry them', assignee: 'default' });
  const refused = await call(place, chat, 'kanban_complete', {
    summary: 's',
    created_cards: [made['task_id'] ?? '', 't_0000dead'],
  });
  assert.match(said(refused), /created_cards names t_0000dead, which does not exist/);
  const done = await call(place, chat, 'kanban_complete', { summary: 's', created_cards: [] });
  assert.equal(done['ok'], true);
});

test('a worker cannot complete, block, or attach to another task, nor say that it is at work on it', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const other = await place.claimed();
  const chat = await place.worker(task);
  const calls = {
    kanban_complete: { summary: 's' },
    kanban_block: { reason: 'r' },
    kanban_heartbeat: {},
    kanban_attach: { filename: 'a', content_base64: 'YQ==' },
    kanban_attach_url: { url: 'https://example.com/a' },
  };
  for (const [name, args] of Object.entries(calls)) {
    const refusal = await call(place, chat, name, { ...args, task_id: other.id });
    assert.match(said(refusal), new RegExp(`You work on ${task.id} alone, and cannot change ${other.id}`), name);
  }
  await place.on((board) => assert.deepEqual(requireTask(board, other.id), other));
  const comment = await call(place, chat, 'kanban_comment', { task_id: other.id, body: 'Look at mine.' });
  assert.deepEqual(comment, { ok: true, task_id: other.id, comment_id: 1 });
  const linked = await call(place, chat, 'kanban_link', { parent_id: other.id, child_id: task.id });
  assert.equal(linked['ok'], true);
  const circle = await call(place, chat, 'kanban_link', { parent_id: task.id, child_id: other.id });
  assert.match(said(circle), /would be a circle/);
});

test('a worker whose attempt was given up changes nothing', async (t) => {
  const place = await office(t);
  const other = await place.create();
  const task = await place.claimed();
  const chat = await place.worker(task, { env: { HERMES_KANBAN_RUN_ID: '77' } });
  for (const [name, args] of [
    ['kanban_complete', { summary: 's' }],
    ['kanban_block', { reason: 'r' }],
    ['kanban_heartbeat', {}],
    ['kanban_comment', { task_id: task.id, body: 'b' }],
    ['kanban_create', { title: 'Dry them', assignee: 'default' }],
    ['kanban_link', { parent_id: other.id, child_id: task.id }],
    ['kanban_attach', { filename: 'a.txt', content_base64: 'MyBjdXBz' }],
    ['kanban_attach_url', { url: 'http://cups.example/list.pdf' }],
  ] as const) {
    const refusal = await call(place, chat, name, args);
    assert.match(said(refusal), /Run 77 is not the current run/, name);
  }
  await place.on((board) => {
    assert.deepEqual(requireTask(board, task.id), task);
    assert.deepEqual([commentsOf(board, task.id), attachmentsOf(board, task.id)], [[], []]);
    assert.equal(listTasks(board, { limit: 10 }).length, 2);
  });
});

test('a worker that has ended its task itself may still leave word', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const chat = await place.worker(task, { env: { HERMES_KANBAN_RUN_ID: String(task.current_run_id) } });
  await call(place, chat, 'kanban_complete', { summary: 'Clean.' });
  const comment = await call(place, chat, 'kanban_comment', { task_id: task.id, body: 'One has a crack.' });
  assert.equal(comment['ok'], true);
});

test('a block says where the task landed: with a person, with its parents, and the second time in triage', async (t) => {
  const place = await office(t);
  const waits = await place.claimed();
  const dependency = { reason: 'the sink first', kind: 'dependency' };
  assert.deepEqual(await call(place, await place.worker(waits), 'kanban_block', dependency), {
    ok: true,
    task_id: waits.id,
    run_id: 1,
    status: 'todo',
    block_kind: 'dependency',
  });
  const task = await place.claimed();
  const chat = await place.worker(task, { env: { HERMES_KANBAN_RUN_ID: '' } });
  const untyped = await call(place, chat, 'kanban_block', { reason: 'which soap?' });
  assert.deepEqual([untyped['status'], untyped['block_kind']], ['blocked', null]);
  await place.on((board) => board.db.run(`UPDATE tasks SET status = 'ready' WHERE id = ?`, task.id));
  assert.equal((await call(place, chat, 'kanban_block', { reason: 'which soap?' }))['status'], 'triage');
  const again = await call(place, chat, 'kanban_block', { reason: 'which soap?' });
  assert.match(said(again), /cannot be blocked: it is triage/);
});

test('a task with a goal waits for other tasks or a decision alone', async (t) => {
  const place = await office(t);
  const task = await place.claimed({ goalMode: true });
  const chat = await place.worker(task);
  const refused = await call(place, chat, 'kanban_block', { reason: 'tired', kind: 'transient' });
  assert.match(said(refused), /until its goal is reached/);
  assert.equal((await call(place, chat, 'kanban_block', { reason: 'which?', kind: 'needs_input' }))['ok'], true);
});

test('each call of a worker renews its claim, and it may say how far it is', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  await place.on((board) => board.db.run('UPDATE tasks SET claim_expires = 5, last_heartbeat_at = NULL'));
  const chat = await place.worker(task, { env: { HERMES_KANBAN_CLAIM_TTL_SECONDS: '4000' } });
  await call(place, chat, 'todo');
  await chat.leave();
  await place.on((board) => {
    const now = requireTask(board, task.id);
    assert.ok((now.claim_expires ?? 0) > Date.now() / 1000 + 3000);
    assert.ok(now.last_heartbeat_at !== null);
    assert.deepEqual(runsOf(board, task.id)[0]?.claim_expires, now.claim_expires);
  });
  const second = await place.worker(task);
  assert.deepEqual(await call(place, second, 'kanban_heartbeat', { note: 'half' }), { ok: true, task_id: task.id });
  await second.leave();
  await place.on((board) => {
    assert.ok(lastEvents(board, task.id, 3).some(({ payload }) => JSON.stringify(payload) === '{"note":"half"}'));
  });
});

test('a worker that stops without a word is reminded twice, and not once its task has ended', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const chat = await place.worker(task, { env: { HERMES_KANBAN_STOP_NUDGE: '' } });
  place.model.enqueue({ text: 'I will.' }, { text: 'Soon.' }, { text: 'Bye.' });
  assert.equal(await chat.say('work'), 'Bye.');
  assert.equal(place.model.requests.length, 3);
  assert.match(textOf(place.model.requests.at(-1)?.body.messages.at(-1)), /\[System: t_\w+ is still open/);

  const second = await place.worker(task, { env: { HERMES_KANBAN_STOP_NUDGE: '1' } });
  const before = place.model.requests.length;
  place.model.enqueue(
    { text: 'I will.' },
    { toolCalls: [{ name: 'kanban_complete', arguments: { summary: 'Clean.' } }] },
    { text: 'Done.' },
  );
  assert.equal(await second.say('work'), 'Done.');
  assert.equal(place.model.requests.length, before + 3);
  await place.on((board) => assert.equal(findTask(board, task.id)?.status, 'done'));
});

test('what a worker leaves for later is done in its own folder, by its own profile’s name', async (t) => {
  const place = await office(t);
  const task = await place.claimed({ workspaceKind: 'dir', workspacePath: '/srv/cups' });
  const env = { HERMES_PROFILE: 'washer', HERMES_TENANT: 'kitchen' };
  const chat = await place.worker(task, { env });
  const made = await call(place, chat, 'kanban_create', { title: 'Dry', assignee: 'Dryer', parents: [task.id] });
  assert.deepEqual(made, { ok: true, task_id: made['task_id'] ?? '', status: 'todo', subscribed: false });
  await place.on((board) => {
    const child = requireTask(board, said(made, 'task_id'));
    assert.deepEqual(
      [child.workspace_kind, child.workspace_path, child.created_by, child.assignee, child.tenant, child.session_id],
      ['dir', '/srv/cups', 'washer', 'dryer', 'kitchen', chat.session.id],
    );
  });
});
