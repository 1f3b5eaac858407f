/** Writes below a task what whoever works on it is to read. */
import { UserError } from '../lib/errors.ts';
import type { Board } from './board.ts';
import { addEvent } from './events.ts';
import { requireTask } from './tasks.ts';

export interface NewComment {
  readonly author: string;
  readonly body: string;
  /** Words of others may be in it. */
  readonly outside?: boolean;
}

/** Returns its number. Throws `UserError`. */
export async function addComment(board: Board, taskId: string, { author, body, outside }: NewComment): Promise<number> {
  const text = body.trim();
  if (text === '') throw new UserError('A comment needs a body.', { hint: 'Say what is to be read below the task.' });
  return await board.db.write(() => {
    requireTask(board, taskId);
    const { id } = board.db.run(
      'INSERT INTO task_comments (task_id, author, body, created_at) VALUES (?, ?, ?, ?)',
      taskId,
      author,
      text,
      board.now(),
    );
    const payload = { author, len: body.length, ...(outside === true ? { outside: true } : {}) };
    addEvent(board, { taskId, kind: 'commented', payload });
    return id;
  });
}
