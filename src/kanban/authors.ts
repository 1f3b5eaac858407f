/** Who wrote what a view of a task shows, so that a reader knows whose words it holds. */
import type { Board } from './board.ts';
import type { Task } from './records.ts';
import { overStatuses, parentsOf } from './tasks.ts';
import { recentTasks } from './worker-context.ts';

export interface Authors {
  /** Each once: profiles, people, and whoever else put words on the board. */
  readonly names: ReadonlySet<string>;
  /** Somebody wrote after having read what came from outside. */
  readonly outside: boolean;
}

/** Of the tasks with all that stands below them; on request with the other tasks that a worker is told of. */
export function authorsOf(
  board: Board,
  tasks: readonly Task[],
  { withContext }: { readonly withContext: boolean },
): Authors {
  const ids = tasks.flatMap((task) => [task.id, ...(withContext ? othersTold(board, task) : [])]);
  const names = new Set<string>();
  let outside = false;
  for (const id of new Set(ids)) {
    for (const row of board.db.all(writers, id, id, id, id)) {
      if (typeof row['name'] === 'string' && row['name'] !== '') names.add(row['name']);
    }
    outside ||= board.db.get(enteredOutside, id) !== undefined;
  }
  return { names, outside };
}

function othersTold(board: Board, task: Task): string[] {
  return [...parentsOf(board, task.id), ...recentTasks(board, task).map(({ id }) => String(id))];
}

const writers = `SELECT created_by AS name FROM tasks WHERE id = ?
  UNION SELECT author FROM task_comments WHERE task_id = ?
  UNION SELECT profile FROM task_runs WHERE task_id = ? AND (summary IS NOT NULL OR error IS NOT NULL)
  UNION SELECT assignee FROM tasks WHERE id = ? AND status IN ${overStatuses}`;
const enteredOutside = `SELECT 1 FROM task_events WHERE task_id = ? AND payload LIKE '%"outside":true%' LIMIT 1`;
