/** Who works on a task: the claim, and the signs of life that keep it. */
import { UserError } from '../lib/errors.ts';
import type { Board } from './board.ts';
import { addEvent } from './events.ts';
import { reclaimLeaked } from './runs.ts';
import { findTask, hasOpenParent, requireTask } from './tasks.ts';
import type { Task } from './records.ts';

export interface Claim {
  /** `<host>:<pid>`, or whatever names who holds it. */
  readonly lock: string;
  readonly seconds: number;
}

/** Starts an attempt. Undefined when the task is not ready, or somebody else was faster. */
export async function claimTask(board: Board, taskId: string, { lock, seconds }: Claim): Promise<Task | undefined> {
  const { db, now } = board;
  return await db.write(() => {
    if (findTask(board, taskId)?.status !== 'ready') return undefined;
    if (hasOpenParent(board, taskId)) {
      db.run(`UPDATE tasks SET status = 'todo' WHERE id = ?`, taskId);
      addEvent(board, { taskId, kind: 'claim_rejected', payload: { reason: 'parents_not_done' } });
      return undefined;
    }
    reclaimLeaked(board, taskId, 'left open before the task was claimed again');
    const at = now();
    const expires = at + seconds;
    const { changes } = db.run(
      `UPDATE tasks SET status = 'running', claim_lock = ?, claim_expires = ?, started_at = COALESCE(started_at, ?)
       WHERE id = ? AND status = 'ready' AND claim_lock IS NULL`,
      lock,
      expires,
      at,
      taskId,
    );
    if (changes !== 1) return undefined;
    const { id: runId } = db.run(
      `INSERT INTO task_runs (task_id, profile, step_key, status, claim_lock, claim_expires, max_runtime_seconds, started_at)
       SELECT id, assignee, current_step_key, 'running', ?, ?, max_runtime_seconds, ? FROM tasks WHERE id = ?`,
      lock,
      expires,
      at,
      taskId,
    );
    db.run('UPDATE tasks SET current_run_id = ? WHERE id = ?', runId, taskId);
    addEvent(board, { taskId, kind: 'claimed', runId, payload: { lock, expires, run_id: runId } });
    return findTask(board, taskId);
  });
}

/** A sign of life of who works on a task. */
export interface Heartbeat {
  /** The attempt it comes from; another one changes nothing. */
  readonly runId?: number | undefined;
  /** Under which the task is held: the claim is renewed with it. */
  readonly claim?: Claim | undefined;
  readonly note?: string | undefined;
  /** Words of others may be in the note. */
  readonly outside?: boolean;
}

/** Throws `UserError` when the task is not being worked on, or another attempt works on it by now. */
export async function beat(board: Board, taskId: string, { runId, claim, note, outside }: Heartbeat): Promise<void> {
  const { db, now } = board;
  await db.write(() => {
    const task = findTask(board, taskId);
    if (task?.status !== 'running') throw notRunning(taskId, task);
    requireCurrent(task, runId);
    if (claim !== undefined && task.claim_lock === claim.lock) renew(board, task, claim);
    db.run('UPDATE tasks SET last_heartbeat_at = ? WHERE id = ?', now(), taskId);
    const run = task.current_run_id ?? undefined;
    if (run !== undefined) db.run('UPDATE task_runs SET last_heartbeat_at = ? WHERE id = ?', now(), run);
    addEvent(board, {
      taskId,
      kind: 'heartbeat',
      runId: run,
      ...(note === undefined || note === '' ? {} : { payload: { note, ...(outside === true ? { outside } : {}) } }),
    });
  });
}

/** What a worker whose attempt was given up does, changes nothing. Throws `UserError`. */
export function requireCurrent({ id, current_run_id: current }: Task, runId: number | undefined): void {
  if (runId === undefined || runId === current) return;
  throw new UserError(`Run ${runId} is not the current run of ${id} any more, so nothing was changed.`, {
    hint: 'The task was taken back from this worker: stop working on it.',
  });
}

/**
 * For what a worker does beside its task. One that has ended its task itself was not given up. Throws `UserError`, also
 * when the task is not there.
 */
export function requireNotGivenUp(board: Board, taskId: string, runId: number): void {
  const ended = board.db.get('SELECT outcome FROM task_runs WHERE id = ? AND task_id = ?', runId, taskId)?.['outcome'];
  if (ended !== 'completed' && ended !== 'blocked') requireCurrent(requireTask(board, taskId), runId);
}

function renew({ db, now }: Board, { id, current_run_id: run }: Task, { seconds }: Claim): void {
  const expires = now() + seconds;
  db.run('UPDATE tasks SET claim_expires = ? WHERE id = ?', expires, id);
  if (run !== null) db.run('UPDATE task_runs SET claim_expires = ? WHERE id = ?', expires, run);
}

function notRunning(taskId: string, task: Task | undefined): UserError {
  const state = task === undefined ? 'there is no such task' : `it is ${task.status}`;
  return new UserError(`No sign of life was noted for ${taskId}: ${state}, not running.`, {
    hint: 'Look at the task with kanban_show.',
  });
}
