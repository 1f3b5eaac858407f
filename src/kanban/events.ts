/** The record of what happened to tasks: only added to. */
import type { JsonObject } from '../lib/json.ts';
import type { Board } from './board.ts';
import { readEvents, type TaskEvent } from './records.ts';

/** In the words of the original, of what this room does. */
export type EventKind =
  | 'created'
  | 'promoted'
  | 'claimed'
  | 'claim_rejected'
  | 'completed'
  | 'blocked'
  | 'dependency_wait'
  | 'block_loop_detected'
  | 'unblocked'
  | 'commented'
  | 'linked'
  | 'attached'
  | 'heartbeat'
  | 'completion_blocked_hallucination'
  | 'suspected_hallucinated_references';

export interface NewEvent {
  readonly taskId: string;
  readonly kind: EventKind;
  readonly runId?: number | undefined;
  readonly payload?: JsonObject;
}

/** To be called inside of the transaction that makes what it tells of. */
export function addEvent({ db, now }: Board, { taskId, kind, runId, payload }: NewEvent): void {
  db.run(
    'INSERT INTO task_events (task_id, run_id, kind, payload, created_at) VALUES (?, ?, ?, ?, ?)',
    taskId,
    runId ?? null,
    kind,
    payload === undefined ? null : JSON.stringify(payload),
    now(),
  );
}

/** The last ones, oldest first. */
export function lastEvents({ db }: Board, taskId: string, limit: number): TaskEvent[] {
  return readEvents(
    db.all('SELECT * FROM task_events WHERE task_id = ? ORDER BY created_at DESC, id DESC LIMIT ?', taskId, limit),
  ).reverse();
}
