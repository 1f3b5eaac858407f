import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { listTasks } from '../../src/kanban/tasks.ts';
import { desk } from './support.ts';

const each = 20;
const program = (home: string, lock: string): string => `
  import { Boards } from ${JSON.stringify(join(import.meta.dirname, '../../src/kanban/board.ts'))};
  import { createTask } from ${JSON.stringify(join(import.meta.dirname, '../../src/kanban/create-task.ts'))};
  import { claimTask } from ${JSON.stringify(join(import.meta.dirname, '../../src/kanban/claim.ts'))};
  import { listTasks } from ${JSON.stringify(join(import.meta.dirname, '../../src/kanban/tasks.ts'))};
  const boards = new Boards({ settings: { home: ${JSON.stringify(home)} }, busyTimeoutMs: 120000, failureLimit: 2 });
  let claimed = 0;
  for (let n = 0; n < ${each}; n++) {
    await boards.use(undefined, (board) => createTask(board, { title: 'x', createdBy: '${lock}' }));
    const ready = await boards.use(undefined, (board) => listTasks(board, { status: 'ready', limit: 3 }));
    for (const { id } of ready) {
      const task = await boards.use(undefined, (board) => claimTask(board, id, { lock: '${lock}', seconds: 900 }));
      if (task !== undefined) claimed += 1;
    }
  }
  console.log(claimed);`;

test('two processes fill one board and take its tasks: none is lost, and none is had twice', async (t) => {
  const { home, on } = desk(t);
  const counts = await Promise.all(
    ['one', 'two'].map(async (lock) => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program(home, lock)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      assert.equal(code, 0);
      return Number(said);
    }),
  );
  await on((board) => {
    assert.equal(listTasks(board, { limit: 1000 }).length, 2 * each);
    const claims = board.db.all(
      `SELECT task_id, count(*) AS n FROM task_events WHERE kind = 'claimed' GROUP BY task_id`,
    );
    assert.ok(claims.every(({ n }) => n === 1));
    assert.equal(claims.length, (counts[0] ?? 0) + (counts[1] ?? 0));
  });
});
