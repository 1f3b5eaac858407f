/** Words of others on a board are words of others, and a change that they may have chosen is asked about. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addComment } from '../../../src/kanban/comment.ts';
import { lastEvents } from '../../../src/kanban/events.ts';
import type { Source } from '../../../src/llm/source.ts';
import type { Chat } from '../../runtime/support.ts';
import { call, office, said } from './support.ts';

/** Where the newest result came from. */
function resultSources(chat: Chat): readonly Source[] {
  return chat.session.agent.history.findLast(({ role }) => role === 'tool')?.sources ?? [];
}

test('the person’s words on a board are a file of theirs, those of another profile a message of somebody else', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const chat = await place.worker(task);
  await call(place, chat, 'kanban_show');
  assert.deepEqual(resultSources(chat), [{ from: 'file', name: `${place.homePath}/kanban.db` }]);
  await place.on((board) => addComment(board, task.id, { author: 'default', body: 'mine' }));
  await call(place, chat, 'kanban_show');
  assert.equal(resultSources(chat).length, 1);
  await place.on((board) => addComment(board, task.id, { author: 'writer', body: 'theirs' }));
  for (const name of ['kanban_show', 'kanban_attachments']) {
    await call(place, chat, name);
    assert.deepEqual(resultSources(chat).at(-1), { from: 'chat', name: 'writer on the board default' }, name);
  }
  const lead = await place.chat({ toolsets: ['kanban'] });
  await call(place, lead, 'kanban_list');
  assert.deepEqual(resultSources(lead).at(-1), { from: 'chat', name: 'writer on the board default' });
});

test('what a worker writes after reading others stays marked for whoever reads it next', async (t) => {
  const place = await office(t);
  const task = await place.claimed({ createdBy: 'planner' });
  const chat = await place.worker(task);
  await call(place, chat, 'kanban_comment', { task_id: task.id, body: 'before' });
  await place.on((board) => assert.doesNotMatch(JSON.stringify(lastEvents(board, task.id, 9)), /"outside"/));
  await call(place, chat, 'kanban_show');
  const made = await call(place, chat, 'kanban_create', { title: 'Next', assignee: 'default' });
  const id = said(made, 'task_id');
  await place.on((board) => assert.match(JSON.stringify(lastEvents(board, id, 1)), /"outside":true/));
  const next = await place.worker({ ...task, id });
  await call(place, next, 'kanban_show');
  assert.deepEqual(resultSources(next).at(-1), { from: 'chat', name: 'a task of the board default' });
});

test('who hands out work is asked once others may have chosen a change; a worker goes on with its task', async (t) => {
  const place = await office(t);
  const task = await place.claimed({ createdBy: 'stranger' });
  const card = { title: 'x', assignee: 'writer' };
  const lead = await place.chat({ toolsets: ['kanban'], present: true });
  assert.equal((await call(place, lead, 'kanban_create', card))['ok'], true);
  assert.equal(lead.asked.length, 0);
  await call(place, lead, 'kanban_show', { task_id: task.id });
  const refused = await call(place, lead, 'kanban_create', { ...card, title: 'y' });
  assert.ok(!('ok' in refused), JSON.stringify(refused));
  assert.equal(lead.asked.length, 1);
  assert.match(JSON.stringify(lead.asked[0]), /gives work to another profile.*stranger on the board default/s);

  const worker = await place.worker(task);
  await call(place, worker, 'kanban_show');
  assert.equal((await call(place, worker, 'kanban_create', card))['ok'], true);
  assert.equal((await call(place, worker, 'kanban_complete', { summary: 's' }))['ok'], true);
});

test('a task that is to work in a folder outside of the session’s own is asked about, and refused with nobody there', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const chat = await place.worker(task);
  const card = { title: 'x', assignee: 'writer', workspace_kind: 'dir' };
  const outside = await call(place, chat, 'kanban_create', { ...card, workspace_path: '/home' });
  assert.ok(!('ok' in outside), JSON.stringify(outside));
  const inside = await call(place, chat, 'kanban_create', { ...card, workspace_path: `${chat.place.work}/sub` });
  assert.equal(inside['ok'], true);
});

test('secrets are masked before they reach the board', async (t) => {
  const place = await office(t);
  const task = await place.claimed();
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const chat = await place.worker(task);
  await call(place, chat, 'kanban_comment', { task_id: task.id, body: `use ${secret}` });
  await call(place, chat, 'kanban_complete', { summary: `used ${secret}`, metadata: { key: secret } });
  await place.on((board) => {
    const all = ['tasks', 'task_comments', 'task_runs', 'task_events'].map((table) =>
      board.db.all(`SELECT * FROM ${table}`),
    );
    assert.doesNotMatch(JSON.stringify(all), new RegExp(secret));
  });
});
