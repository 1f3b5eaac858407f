import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockTask, unblockTask } from '../../src/kanban/block.ts';
import { beat, claimTask } from '../../src/kanban/claim.ts';
import { addComment } from '../../src/kanban/comment.ts';
import { completeTask } from '../../src/kanban/complete.ts';
import { lastEvents } from '../../src/kanban/events.ts';
import { linkTasks } from '../../src/kanban/link-tasks.ts';
import { promoteReady } from '../../src/kanban/promote.ts';
import { runsOf } from '../../src/kanban/runs.ts';
import { listTasks, requireTask } from '../../src/kanban/tasks.ts';
import { desk, kindsOf } from './support.ts';

const claim = { lock: 'here:1', seconds: 900 };

test('a task without open parents is ready, with one it waits, and others begin in triage or blocked', async (t) => {
  const { create } = desk(t);
  const parent = await create({});
  assert.match(parent.id, /^t_[0-9a-f]{8}$/);
  assert.equal(parent.status, 'ready');
  assert.equal((await create({ parents: [parent.id] })).status, 'todo');
  assert.equal((await create({ triage: true })).status, 'triage');
  assert.equal((await create({ blocked: true })).status, 'blocked');
  await assert.rejects(create({ parents: ['t_deadbeef'] }), /no tasks t_deadbeef/);
  await assert.rejects(create({ title: ' ' }), /needs a title/);
  await assert.rejects(create({ workspaceKind: 'dir', workspacePath: 'rel' }), /not an absolute path/);
  await assert.rejects(create({ skills: ['a,b'] }), /no commas/);
});

test('the same idempotency key gives the same task, until that is archived', async (t) => {
  const { create, on } = desk(t);
  const first = await create({ idempotencyKey: 'k' });
  assert.equal((await create({ idempotencyKey: 'k', title: 'Another' })).id, first.id);
  await on(({ db }) => db.run(`UPDATE tasks SET status = 'archived'`));
  assert.notEqual((await create({ idempotencyKey: 'k' })).id, first.id);
});

test('a finished parent lets its child go on, and hands it what it came to', async (t) => {
  const { create, on } = desk(t);
  const parent = await create({});
  const child = await create({ parents: [parent.id] });
  await on((board) => claimTask(board, parent.id, claim));
  const { task, runId } = await on((board) =>
    completeTask(board, parent.id, { summary: 'All cups are clean', metadata: { cups: 12 } }),
  );
  assert.equal(task.status, 'done');
  await on((board) => {
    assert.equal(requireTask(board, child.id).status, 'ready');
    assert.deepEqual(kindsOf(board, child.id), ['created', 'promoted']);
    assert.deepEqual(kindsOf(board, parent.id), ['created', 'claimed', 'completed']);
    const [run] = runsOf(board, parent.id);
    assert.equal(run?.id, runId);
    assert.equal(run?.outcome, 'completed');
    assert.equal(run?.status, 'done');
    assert.deepEqual(run?.metadata, { cups: 12 });
    assert.equal(requireTask(board, parent.id).current_run_id, null);
  });
});

test('completing a task that nobody had claimed writes one attempt that began and ended at once', async (t) => {
  const { create, on } = desk(t);
  const { id } = await create({});
  await on((board) => completeTask(board, id, { summary: 'done by hand' }));
  await on((board) => {
    const runs = runsOf(board, id);
    assert.equal(runs.length, 1);
    assert.equal(runs[0]?.started_at, runs[0]?.ended_at);
  });
  await assert.rejects(
    on((board) => completeTask(board, id, { summary: 'again' })),
    /cannot be completed: it is done/,
  );
});

test('a claim is had once, and not while a parent is open', async (t) => {
  const { create, on } = desk(t);
  const parent = await create({});
  const child = await create({ parents: [parent.id] });
  const got = await Promise.all(
    [1, 2, 3].map((n) => on((board) => claimTask(board, parent.id, { ...claim, lock: `${n}` }))),
  );
  assert.equal(got.filter((task) => task !== undefined).length, 1);
  await on(({ db }) => db.run(`UPDATE tasks SET status = 'ready' WHERE id = ?`, child.id));
  assert.equal(await on((board) => claimTask(board, child.id, claim)), undefined);
  await on((board) => {
    assert.equal(requireTask(board, child.id).status, 'todo');
    assert.ok(kindsOf(board, child.id).includes('claim_rejected'));
  });
});

test('a sign of life renews the claim of who holds it, and only for a running task', async (t) => {
  const { create, on, wait } = desk(t);
  const { id } = await create({});
  await assert.rejects(
    on((board) => beat(board, id, {})),
    /it is ready, not running/,
  );
  const running = await on((board) => claimTask(board, id, claim));
  wait(100);
  await on((board) => beat(board, id, { claim, note: 'half of it', runId: running?.current_run_id ?? 0 }));
  await on((board) => {
    const task = requireTask(board, id);
    assert.equal(task.claim_expires, board.now() + 900);
    assert.equal(task.last_heartbeat_at, board.now());
    assert.deepEqual(lastEvents(board, id, 1)[0]?.payload, { note: 'half of it' });
  });
  wait(100);
  await on((board) => beat(board, id, { claim: { lock: 'somebody:else', seconds: 900 } }));
  await on((board) => assert.equal(requireTask(board, id).claim_expires, board.now() + 800));
});

test('a run that is not the current one any more changes nothing', async (t) => {
  const { create, on } = desk(t);
  const { id } = await create({});
  await on((board) => claimTask(board, id, claim));
  await on(({ db }) => db.run(`UPDATE tasks SET status = 'ready', claim_lock = NULL`));
  const second = await on((board) => claimTask(board, id, claim));
  const stale = { runId: (second?.current_run_id ?? 0) - 1 };
  await assert.rejects(
    on((board) => completeTask(board, id, { summary: 's', ...stale })),
    /not the current run/,
  );
  await assert.rejects(
    on((board) => blockTask(board, id, { reason: 'r', ...stale })),
    /not the current run/,
  );
  await assert.rejects(
    on((board) => beat(board, id, stale)),
    /not the current run/,
  );
  await on((board) => assert.deepEqual(requireTask(board, id), second));
});

test('who waits for other tasks goes back to todo, who needs something is blocked until it is lifted', async (t) => {
  const { create, on } = desk(t);
  const { id } = await create({});
  await on((board) => claimTask(board, id, claim));
  const waits = await on((board) => blockTask(board, id, { reason: 'the sink first', kind: 'dependency' }));
  assert.equal(waits.task.status, 'todo');
  await on((board) => board.db.write(() => assert.equal(promoteReady(board), 1)));
  const needs = await on((board) => blockTask(board, id, { reason: 'which soap?', kind: 'needs_input' }));
  assert.equal(needs.task.status, 'blocked');
  await on((board) => board.db.write(() => assert.equal(promoteReady(board), 0)));
  assert.equal((await on((board) => unblockTask(board, id))).status, 'ready');
  await on((board) =>
    assert.deepEqual(kindsOf(board, id), ['created', 'claimed', 'dependency_wait', 'promoted', 'blocked', 'unblocked']),
  );
});

test('blocked a second time for the same cause a task goes to triage; done, the count begins anew', async (t) => {
  for (const kind of ['capability', undefined] as const) {
    const { create, on } = desk(t);
    const { id } = await create({});
    const block = async () => await on((board) => blockTask(board, id, { reason: 'no key', kind }));
    assert.equal((await block()).task.status, 'blocked');
    await on((board) => unblockTask(board, id));
    const second = await block();
    assert.equal(second.task.status, 'triage');
    await on((board) => assert.equal(kindsOf(board, id).at(-1), 'block_loop_detected'));
    await on(({ db }) => db.run(`UPDATE tasks SET status = 'ready'`));
    await on((board) => completeTask(board, id, { summary: 's' }));
    await on(({ db }) => db.run(`UPDATE tasks SET status = 'ready'`));
    assert.equal((await block()).task.status, 'blocked');
  }
});

test('what failures blocked goes on by itself below the limit, and not at it', async (t) => {
  const { create, on } = desk(t);
  const { id } = await create({});
  await on(({ db }) => db.run(`UPDATE tasks SET status = 'blocked', consecutive_failures = 2`));
  await on((board) => board.db.write(() => assert.equal(promoteReady(board), 0)));
  await on(({ db }) => db.run('UPDATE tasks SET consecutive_failures = 1'));
  await on((board) => board.db.write(() => assert.equal(promoteReady(board), 1)));
  await on((board) => assert.equal(requireTask(board, id).status, 'ready'));
});

test('a task that was made blocked waits for a person, and for its parents after that', async (t) => {
  const { create, on } = desk(t);
  const parent = await create({});
  const alone = await create({ blocked: true });
  const child = await create({ blocked: true, parents: [parent.id] });
  await on((board) => completeTask(board, parent.id, { summary: 's' }));
  await on((board) => board.db.write(() => assert.equal(promoteReady(board), 0)));
  await on((board) => assert.deepEqual(kindsOf(board, alone.id), ['created', 'blocked']));
  for (const { id } of [alone, child]) assert.equal((await on((board) => unblockTask(board, id))).status, 'ready');
  assert.equal((await on((board) => blockTask(board, alone.id, { reason: 'r' }))).task.status, 'blocked');
});

test('a link makes a ready task wait, and none closes a circle', async (t) => {
  const { create, on } = desk(t);
  const [a, b, c] = [await create({}), await create({}), await create({})];
  await on((board) => linkTasks(board, a.id, b.id));
  await on((board) => linkTasks(board, b.id, c.id));
  await on((board) => assert.equal(requireTask(board, b.id).status, 'todo'));
  for (const [parent, child] of [
    [c.id, a.id],
    [a.id, a.id],
  ] as const) {
    await assert.rejects(
      on((board) => linkTasks(board, parent, child)),
      /would be a circle/,
    );
  }
  await assert.rejects(
    on((board) => linkTasks(board, a.id, 't_0000dead')),
    /no task t_0000dead/,
  );
  await on((board) => assert.deepEqual(kindsOf(board, a.id), ['created']));
});

test('cards that a worker says it made must be there and be its own; the refusal is on the record', async (t) => {
  const { create, on } = desk(t);
  const task = await create({ assignee: 'Coder' });
  assert.equal(task.assignee, 'coder');
  const own = await create({ createdBy: 'coder' });
  const foreign = await create({ createdBy: 'writer' });
  const child = await create({ createdBy: 'writer', parents: [task.id] });
  await assert.rejects(
    on((board) => completeTask(board, task.id, { summary: 's', createdCards: [own.id, foreign.id, 't_0000dead'] })),
    new RegExp(`names ${foreign.id}, t_0000dead, which do not exist or were made by somebody else`),
  );
  await on((board) => {
    assert.equal(requireTask(board, task.id).status, 'ready');
    assert.equal(kindsOf(board, task.id).at(-1), 'completion_blocked_hallucination');
  });
  const text = `made ${own.id}, and t_12345678 which nobody knows`;
  await on((board) => completeTask(board, task.id, { summary: text, createdCards: [own.id, child.id] }));
  await on((board) => {
    const [completed, suspected] = lastEvents(board, task.id, 2);
    assert.deepEqual(completed?.payload, { result_len: 0, summary: text, verified_cards: [own.id, child.id] });
    assert.deepEqual(suspected?.payload, { phantom_refs: ['t_12345678'], source: 'completion_summary' });
  });
});

test('lists are by urgency, then age, and leave out what is archived', async (t) => {
  const { create, on, wait } = desk(t);
  const old = await create({ assignee: 'a' });
  wait(1);
  const young = await create({ assignee: 'A', tenant: 'x' });
  const urgent = await create({ priority: 5 });
  const gone = await create({});
  await on(({ db }) => db.run(`UPDATE tasks SET status = 'archived' WHERE id = ?`, gone.id));
  const ids = async (filter: object): Promise<string[]> =>
    await on((board) => listTasks(board, { limit: 50, ...filter }).map(({ id }) => id));
  assert.deepEqual(await ids({}), [urgent.id, old.id, young.id]);
  assert.deepEqual(await ids({ assignee: 'A' }), [old.id, young.id]);
  assert.deepEqual(await ids({ tenant: 'x' }), [young.id]);
  assert.deepEqual(await ids({ status: 'archived' }), [gone.id]);
  assert.equal((await ids({ includeArchived: true })).length, 4);
});

test('comments stand below their task, trimmed, and need one', async (t) => {
  const { create, on } = desk(t);
  const { id } = await create({});
  await on((board) => addComment(board, id, { author: 'coder', body: ' hello ' }));
  await on((board) => {
    assert.equal(board.db.get('SELECT body FROM task_comments')?.['body'], 'hello');
    assert.deepEqual(lastEvents(board, id, 1)[0]?.payload, { author: 'coder', len: 7 });
  });
  await assert.rejects(
    on((board) => addComment(board, 't_0000dead', { author: 'coder', body: 'x' })),
    /no task t_0000dead/,
  );
});
