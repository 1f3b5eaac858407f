/** Finds tasks, and what stands beside them. */
import { UserError } from '../lib/errors.ts';
import type { Board } from './board.ts';
import { type Comment, readComments, readTasks, type Task } from './records.ts';

export const statuses = [
  'triage',
  'todo',
  'scheduled',
  'ready',
  'running',
  'review',
  'blocked',
  'done',
  'archived',
] as const;
export type Status = (typeof statuses)[number];

/** A parent in one of these holds nobody back any more. */
export const overStatuses = `('done', 'archived')`;

export interface TaskFilter {
  readonly assignee?: string | undefined;
  readonly status?: Status | undefined;
  readonly tenant?: string | undefined;
  readonly includeArchived?: boolean | undefined;
  readonly limit: number;
}

export function findTask({ db }: Board, id: string): Task | undefined {
  return readTasks(db.all('SELECT * FROM tasks WHERE id = ?', id))[0];
}

/** Throws `UserError` when there is none. */
export function requireTask(board: Board, id: string): Task {
  const task = findTask(board, id);
  if (task !== undefined) return task;
  throw new UserError(`There is no task ${id} on the board ${board.places.slug}.`, {
    hint: 'Check the id, and the board that is meant.',
  });
}

/** The most urgent first, and of those the oldest. */
export function listTasks({ db }: Board, filter: TaskFilter): Task[] {
  const { assignee, status, tenant, includeArchived = false, limit } = filter;
  const wanted: [string, string][] = [];
  if (assignee !== undefined) wanted.push(['assignee = ?', profileName(assignee)]);
  if (status !== undefined) wanted.push(['status = ?', status]);
  if (tenant !== undefined) wanted.push(['tenant = ?', tenant]);
  const conditions = wanted.map(([condition]) => condition);
  if (!includeArchived && status !== 'archived') conditions.push(`status != 'archived'`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const sql = `SELECT * FROM tasks ${where} ORDER BY priority DESC, created_at ASC LIMIT ?`;
  return readTasks(db.all(sql, ...wanted.map(([, value]) => value), limit));
}

export function parentsOf({ db }: Board, id: string): string[] {
  const rows = db.all('SELECT parent_id AS id FROM task_links WHERE child_id = ? ORDER BY parent_id', id);
  return rows.map((row) => String(row['id']));
}

export function childrenOf({ db }: Board, id: string): string[] {
  const rows = db.all('SELECT child_id AS id FROM task_links WHERE parent_id = ? ORDER BY child_id', id);
  return rows.map((row) => String(row['id']));
}

export function hasOpenParent({ db }: Board, id: string): boolean {
  const sql = `SELECT 1 FROM task_links l JOIN tasks p ON p.id = l.parent_id
    WHERE l.child_id = ? AND p.status NOT IN ${overStatuses} LIMIT 1`;
  return db.get(sql, id) !== undefined;
}

/** Those of the ids that no task has. */
export function missingTasks({ db }: Board, ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => db.get('SELECT 1 FROM tasks WHERE id = ?', id) === undefined);
}

export function commentsOf({ db }: Board, id: string): Comment[] {
  return readComments(db.all('SELECT * FROM task_comments WHERE task_id = ? ORDER BY created_at, id', id));
}

/** Profiles are lower-case, whatever a list of them shows. */
export function profileName(written: string): string {
  return written.trim().toLowerCase();
}
