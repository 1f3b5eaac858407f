/** Whatever is done to tasks in whatever order, a board stays in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { blockKinds, blockTask, unblockTask } from '../../src/kanban/block.ts';
import type { Board } from '../../src/kanban/board.ts';
import { beat, claimTask } from '../../src/kanban/claim.ts';
import { completeTask } from '../../src/kanban/complete.ts';
import { createTask } from '../../src/kanban/create-task.ts';
import { linkTasks } from '../../src/kanban/link-tasks.ts';
import { desk } from './support.ts';

const steps = {
  create: (board: Board) => createTask(board, { title: 't', createdBy: 'x' }),
  link: (board: Board, id: string, other: string) => linkTasks(board, id, other),
  claim: (board: Board, id: string) => claimTask(board, id, { lock: 'l', seconds: 1 }),
  beat: (board: Board, id: string) => beat(board, id, {}),
  block: (board: Board, id: string, _: string, n: number) =>
    blockTask(board, id, { reason: 'r', kind: [...blockKinds, undefined][n % 5] }),
  unblock: (board: Board, id: string) => unblockTask(board, id),
  complete: (board: Board, id: string, _: string, n: number) =>
    completeTask(board, id, { summary: 's', ...(n % 3 === 0 ? { runId: n } : {}) }),
};
const names = ['create', 'link', 'claim', 'beat', 'block', 'unblock', 'complete'] as const;

test('an attempt is open exactly while a task runs, nothing that waits is ready, and every change is on the record', async (t) => {
  const { boards } = desk(t);
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(9), fc.nat(9)), { minLength: 5, maxLength: 40 }),
      async (script) => {
        round += 1;
        await boards.use(`round-${round}`, async (board) => {
          for (let count = 0; count < 4; count++) await steps.create(board);
          const ids = board.db.all('SELECT id FROM tasks ORDER BY created_at, id').map(({ id }) => String(id));
          for (const [name, one, two] of script) {
            const before = events(board);
            const states = JSON.stringify(board.db.all('SELECT id, status FROM tasks'));
            const done = await steps[name](board, ids[one % 4] ?? '', ids[two % 4] ?? '', two).then(
              () => true,
              () => false,
            );
            if (!done) assert.equal(JSON.stringify(board.db.all('SELECT id, status FROM tasks')), states, name);
            if (!done) assert.equal(events(board), before, name);
            if (JSON.stringify(board.db.all('SELECT id, status FROM tasks')) !== states) {
              assert.ok(events(board) > before, name);
            }
            inOrder(board);
          }
        });
      },
    ),
    { numRuns: 25 },
  );
});

function events({ db }: Board): number {
  return Number(db.get('SELECT count(*) AS n FROM task_events')?.['n']);
}

function inOrder({ db }: Board): void {
  const none = (sql: string): void => assert.deepEqual(db.all(sql), []);
  none(`SELECT t.id FROM tasks t WHERE (current_run_id IS NULL) = EXISTS
    (SELECT 1 FROM task_runs r WHERE r.task_id = t.id AND r.ended_at IS NULL)`);
  none(`SELECT id FROM tasks WHERE (status = 'running') != (current_run_id IS NOT NULL)`);
  none(`SELECT id FROM tasks WHERE status != 'running' AND claim_lock IS NOT NULL`);
  none(`SELECT t.id FROM tasks t JOIN task_links l ON l.child_id = t.id JOIN tasks p ON p.id = l.parent_id
    WHERE t.status = 'ready' AND p.status NOT IN ('done', 'archived')`);
  none(`WITH RECURSIVE below(top, id) AS (SELECT parent_id, child_id FROM task_links
    UNION SELECT top, child_id FROM below JOIN task_links ON parent_id = below.id) SELECT top FROM below WHERE top = id`);
}
