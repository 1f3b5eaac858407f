/** Stops work on a task: it waits for a person, or for other tasks. */
import { UserError } from '../lib/errors.ts';
import type { Board } from './board.ts';
import { requireCurrent } from './claim.ts';
import { addEvent, type EventKind } from './events.ts';
import type { Task } from './records.ts';
import { endRun, reclaimLeaked } from './runs.ts';
import { hasOpenParent, requireTask } from './tasks.ts';

export const blockKinds = ['dependency', 'needs_input', 'capability', 'transient'] as const;
export type BlockKind = (typeof blockKinds)[number];

/** Blocked as often for the same cause since it was last done, a task is thought through anew. */
const recurrenceLimit = 2;

export interface Block {
  readonly reason: string;
  readonly kind?: BlockKind | undefined;
  /** The attempt it comes from; another one changes nothing. */
  readonly runId?: number | undefined;
  /** Words of others may be in the reason. */
  readonly outside?: boolean;
}

export interface Moved {
  readonly task: Task;
  readonly runId: number | undefined;
}

interface Landing {
  readonly status: 'todo' | 'blocked' | 'triage';
  readonly event: EventKind;
  readonly recurrences: number;
}

/** Throws `UserError` when nobody could be working on the task, or another attempt is by now. */
export async function blockTask(board: Board, taskId: string, block: Block): Promise<Moved> {
  const { reason, kind } = block;
  return await board.db.write(() => {
    const task = requireTask(board, taskId);
    if (task.status !== 'running' && task.status !== 'ready') {
      throw new UserError(`${taskId} cannot be blocked: it is ${task.status}, not running or ready.`, {
        hint: 'Look at the task with kanban_show.',
      });
    }
    requireCurrent(task, block.runId);
    const landing = landingOf(task, kind);
    board.db.run(
      `UPDATE tasks SET status = ?, claim_lock = NULL, claim_expires = NULL, worker_pid = NULL, block_kind = ?,
         block_recurrences = ? WHERE id = ?`,
      landing.status,
      kind ?? null,
      landing.recurrences,
      taskId,
    );
    const runId = endRun(board, taskId, { outcome: 'blocked', summary: reason });
    addEvent(board, {
      taskId,
      kind: landing.event,
      runId,
      payload: {
        reason,
        kind: kind ?? null,
        ...(landing.status === 'todo' ? {} : { recurrences: landing.recurrences }),
        ...(landing.status === 'triage' ? { limit: recurrenceLimit } : {}),
        ...(block.outside === true ? { outside: true } : {}),
      },
    });
    return { task: requireTask(board, taskId), runId };
  });
}

/** Back to work, or to waiting for its parents. What it was blocked for is remembered. Throws `UserError`. */
export async function unblockTask(board: Board, taskId: string): Promise<Task> {
  return await board.db.write(() => {
    const task = requireTask(board, taskId);
    if (task.status !== 'blocked' && task.status !== 'scheduled') {
      throw new UserError(`${taskId} is not blocked: it is ${task.status}.`, {
        hint: 'Look at the task with kanban_show.',
      });
    }
    reclaimLeaked(board, taskId, 'left open before the task was unblocked');
    const status = hasOpenParent(board, taskId) ? 'todo' : 'ready';
    board.db.run(
      `UPDATE tasks SET status = ?, current_run_id = NULL, consecutive_failures = 0, last_failure_error = NULL
       WHERE id = ?`,
      status,
      taskId,
    );
    addEvent(board, { taskId, kind: 'unblocked', ...(status === 'ready' ? {} : { payload: { status } }) });
    return requireTask(board, taskId);
  });
}

/** Who waits for other tasks goes on by itself; who comes back for the same cause again and again does not. */
function landingOf(task: Task, kind: BlockKind | undefined): Landing {
  if (kind === 'dependency') return { status: 'todo', event: 'dependency_wait', recurrences: task.block_recurrences };
  const recurrences = task.block_kind === (kind ?? null) ? task.block_recurrences + 1 : 1;
  if (recurrences >= recurrenceLimit) return { status: 'triage', event: 'block_loop_detected', recurrences };
  return { status: 'blocked', event: 'blocked', recurrences };
}
