import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockTask, unblockTask } from '../../src/kanban/block.ts';
import { authorsOf } from '../../src/kanban/authors.ts';
import { addComment } from '../../src/kanban/comment.ts';
import { completeTask } from '../../src/kanban/complete.ts';
import { requireTask } from '../../src/kanban/tasks.ts';
import { workerContext } from '../../src/kanban/worker-context.ts';
import { desk } from './support.ts';

test('a worker reads its task, what was tried before, and what its parents handed on', async (t) => {
  const { create, on, wait } = desk(t);
  const parent = await create({ assignee: 'researcher' });
  const task = await create({ title: 'Write it up', body: 'In two pages.', assignee: 'writer', parents: [parent.id] });
  await on((board) => completeTask(board, parent.id, { summary: 'Found three sources', metadata: { sources: 3 } }));
  await on((board) => blockTask(board, task.id, { reason: 'Which language?', kind: 'needs_input' }));
  await on((board) => addComment(board, task.id, { author: 'ow`ner', body: 'English.' }));
  await on((board) => unblockTask(board, task.id));
  wait(7200);
  const text = await on((board) => workerContext(board, requireTask(board, task.id)));
  assert.equal(
    text,
    `# Kanban task ${task.id}: Write it up

Assignee: writer
Status: ready
Workspace: scratch @ (not made yet)

## Body
In two pages.

## Earlier attempts
### Attempt 1: blocked (writer, 2027-01-15 08:00 UTC, 2 h ago)
Which language?

## Results of parents
What each parent handed on when it was done. Things may have changed since: check what matters.
### ${parent.id} (done 2027-01-15 08:00 UTC, 2 h ago)
Found three sources
Metadata: {"sources":3}

## Comments
Comment of the worker \`owner\`, 2027-01-15 08:00 UTC, 2 h ago:
English.
`,
  );
});

test('whatever stands on the board, the text has its limits', async (t) => {
  const { create, on } = desk(t);
  const task = await create({ body: 'ä'.repeat(10_000) });
  for (let count = 0; count < 35; count++) {
    await on((board) => addComment(board, task.id, { author: 'x', body: `${count} `.padEnd(5000, 'c') }));
  }
  await on(({ db, now }) => {
    for (let count = 0; count < 12; count++) {
      db.run(
        `INSERT INTO task_runs (task_id, status, outcome, summary, error, started_at, ended_at) VALUES (?, 'crashed', 'crashed', ?, ?, ?, ?)`,
        task.id,
        's'.repeat(9000),
        'e'.repeat(9000),
        now() + count,
        now() + count,
      );
    }
  });
  const text = await on((board) => workerContext(board, requireTask(board, task.id)));
  assert.equal([...text.matchAll(/ä/g)].length, 4096);
  assert.match(text, /ä… \[cut: 11808 more bytes\]/);
  assert.match(text, /\(2 earlier attempts left out\)\n### Attempt 3:/);
  assert.match(text, /\(5 earlier comments left out\)/);
  assert.ok(!text.includes('s'.repeat(4097)) && text.includes('s'.repeat(4096)));
  assert.ok(!text.includes('c'.repeat(2049)));
  assert.ok(Buffer.byteLength(text) < 8192 + 30 * 2200 + 10 * 8600 + 2000);
});

test('whose words a view of a task holds is known, and whether strangers had been read before they were written', async (t) => {
  const { create, on } = desk(t);
  const parent = await create({ createdBy: 'planner', assignee: 'researcher' });
  const task = await create({ createdBy: 'user', assignee: 'writer', parents: [parent.id] });
  const authors = async (withContext: boolean) =>
    await on((board) => authorsOf(board, [requireTask(board, task.id)], { withContext }));
  assert.deepEqual(await authors(false), { names: new Set(['user']), outside: false });
  assert.deepEqual((await authors(true)).names, new Set(['user', 'planner']));
  await on((board) => completeTask(board, parent.id, { summary: 'read a page', outside: true }));
  assert.deepEqual(await authors(true), { names: new Set(['user', 'planner', 'researcher']), outside: true });
  assert.equal((await authors(false)).outside, false);
  const former = await create({ createdBy: 'stranger', assignee: 'writer' });
  await on((board) => completeTask(board, former.id, { summary: 'written' }));
  assert.ok((await authors(true)).names.has('stranger'), 'recent work of the profile is told with its title');
  await on((board) => addComment(board, task.id, { author: 'writer', body: '"outside":true' }));
  assert.deepEqual(await authors(false), { names: new Set(['user', 'writer']), outside: false });
});
