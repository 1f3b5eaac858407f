/** Makes one task wait for another. */
import { UserError } from '../lib/errors.ts';
import type { Board } from './board.ts';
import { addEvent } from './events.ts';
import { childrenOf, hasOpenParent, missingTasks } from './tasks.ts';

/** The child waits until the parent is over. Throws `UserError` for a circle, and for tasks that are not there. */
export async function linkTasks(board: Board, parent: string, child: string): Promise<void> {
  await board.db.write(() => {
    const missing = missingTasks(board, [parent, child]);
    if (missing.length > 0) {
      throw new UserError(`There is no task ${missing.join(', ')} on the board ${board.places.slug}.`, {
        hint: 'Check the ids: tasks of different boards cannot be linked.',
      });
    }
    if (parent === child || reaches(board, child, parent)) {
      throw new UserError(`${child} cannot wait for ${parent}: that would be a circle (a cycle of dependencies).`, {
        hint: 'Look at the parents and children of both with kanban_show.',
      });
    }
    board.db.run('INSERT OR IGNORE INTO task_links (parent_id, child_id) VALUES (?, ?)', parent, child);
    if (hasOpenParent(board, child)) {
      board.db.run(`UPDATE tasks SET status = 'todo' WHERE id = ? AND status = 'ready'`, child);
    }
    addEvent(board, { taskId: child, kind: 'linked', payload: { parent, child } });
  });
}

function reaches(board: Board, from: string, to: string): boolean {
  const seen = new Set<string>();
  const waiting = [from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    waiting.push(...childrenOf(board, id));
  }
  return false;
}
