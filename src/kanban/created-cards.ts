/** Whether the tasks that a worker says it made are there, and are its own. */
import type { Board } from './board.ts';
import type { Task } from './records.ts';
import { childrenOf, findTask, missingTasks } from './tasks.ts';

export interface CheckedCards {
  readonly verified: string[];
  /** Not there, or made by somebody else. */
  readonly phantom: string[];
}

/** Made by the profile that works on the task or under its id, or linked as its child. */
export function checkCards(board: Board, task: Task, claimed: readonly string[]): CheckedCards {
  const children = new Set(childrenOf(board, task.id));
  const verified: string[] = [];
  const phantom: string[] = [];
  for (const id of new Set(claimed)) {
    const card = findTask(board, id);
    const isOwn =
      card !== undefined &&
      (children.has(id) ||
        card.created_by === task.id ||
        (card.created_by !== null && card.created_by === task.assignee));
    (isOwn ? verified : phantom).push(id);
  }
  return { verified, phantom };
}

/** Ids in a text that no task has. */
export function strangeReferences(board: Board, text: string): string[] {
  return missingTasks(board, text.match(/\bt_[a-f0-9]{8,}\b/g) ?? []);
}
