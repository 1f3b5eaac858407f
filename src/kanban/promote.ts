/** Lets tasks go on whose parents are over. */
import type { Board } from './board.ts';
import { addEvent } from './events.ts';
import { overStatuses } from './tasks.ts';

/**
 * Waiting tasks become ready, and so do those that failures have blocked and whose limit is not reached; what somebody
 * blocked stays until somebody lifts it. Returns how many. To be called inside of a transaction.
 */
export function promoteReady(board: Board): number {
  const { db } = board;
  const rows = db.all(
    `SELECT id FROM tasks t WHERE (status = 'todo' OR (status = 'blocked' AND
        consecutive_failures < COALESCE(max_retries, ?) AND COALESCE((
          SELECT kind FROM task_events e WHERE e.task_id = t.id AND kind IN ('blocked', 'unblocked')
          ORDER BY id DESC LIMIT 1), '') != 'blocked'))
      AND NOT EXISTS (SELECT 1 FROM task_links l JOIN tasks p ON p.id = l.parent_id
        WHERE l.child_id = t.id AND p.status NOT IN ${overStatuses})`,
    board.failureLimit,
  );
  for (const row of rows) {
    const id = String(row['id']);
    db.run(`UPDATE tasks SET status = 'ready' WHERE id = ?`, id);
    addEvent(board, { taskId: id, kind: 'promoted' });
  }
  return rows.length;
}
