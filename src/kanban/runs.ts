/** Attempts at tasks. `current_run_id` of a task is set exactly while one is open. */
import type { JsonObject } from '../lib/json.ts';
import type { Board } from './board.ts';
import { readRuns, type Run } from './records.ts';

/** How an attempt ended. */
export interface RunEnd {
  readonly outcome: 'completed' | 'blocked' | 'reclaimed';
  /** Of the row; default: the outcome. */
  readonly status?: 'done';
  readonly summary?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** Oldest first. */
export function runsOf({ db }: Board, taskId: string): Run[] {
  return readRuns(db.all('SELECT * FROM task_runs WHERE task_id = ? ORDER BY started_at, id', taskId));
}

/**
 * Ends the open attempt and returns its number. Where nobody had claimed the task, one is written that began and ended
 * now, so that what was handed over is kept; undefined when nothing was.
 */
export function endRun(board: Board, taskId: string, end: RunEnd): number | undefined {
  const { db, now } = board;
  const open = db.get('SELECT current_run_id AS id FROM tasks WHERE id = ?', taskId)?.['id'];
  if (typeof open !== 'number') return recordEndedRun(board, taskId, end);
  db.run(
    `UPDATE task_runs SET status = ?, outcome = ?, summary = ?, error = NULL, metadata = ?, ended_at = ?,
       claim_lock = NULL, claim_expires = NULL, worker_pid = NULL
     WHERE id = ? AND ended_at IS NULL`,
    end.status ?? end.outcome,
    end.outcome,
    end.summary ?? null,
    written(end.metadata),
    now(),
    open,
  );
  db.run('UPDATE tasks SET current_run_id = NULL WHERE id = ?', taskId);
  return open;
}

/** An attempt that was left open although its task is not being worked on. */
export function reclaimLeaked({ db, now }: Board, taskId: string, why: string): void {
  db.run(
    `UPDATE task_runs SET status = 'reclaimed', outcome = 'reclaimed', summary = COALESCE(summary, ?), ended_at = ?,
       claim_lock = NULL, claim_expires = NULL, worker_pid = NULL
     WHERE id = (SELECT current_run_id FROM tasks WHERE id = ?) AND ended_at IS NULL`,
    why,
    now(),
    taskId,
  );
}

function recordEndedRun({ db, now }: Board, taskId: string, end: RunEnd): number | undefined {
  if (!end.summary && end.metadata === undefined) return undefined;
  const at = now();
  const { id } = db.run(
    `INSERT INTO task_runs (task_id, profile, step_key, status, outcome, summary, metadata, started_at, ended_at)
     SELECT id, assignee, current_step_key, ?, ?, ?, ?, ?, ? FROM tasks WHERE id = ?`,
    end.outcome,
    end.outcome,
    end.summary ?? null,
    written(end.metadata),
    at,
    at,
    taskId,
  );
  return id;
}

function written(metadata: JsonObject | undefined): string | null {
  return metadata === undefined || Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata);
}
