/** Puts a task on a board. */
import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { UserError } from '../lib/errors.ts';
import type { Board } from './board.ts';
import { addEvent } from './events.ts';
import { defaultWorkFolder } from './places.ts';
import { readTasks, type Task } from './records.ts';
import { hasOpenParent, missingTasks, profileName, requireTask } from './tasks.ts';

export type WorkspaceKind = 'scratch' | 'dir' | 'worktree';

export interface NewTask {
  readonly title: string;
  readonly body?: string | undefined;
  /** The profile that is to work on it. */
  readonly assignee?: string | undefined;
  readonly createdBy: string;
  readonly parents?: readonly string[];
  readonly tenant?: string | undefined;
  /** More is earlier. */
  readonly priority?: number | undefined;
  readonly workspaceKind?: WorkspaceKind;
  /** Absolute. */
  readonly workspacePath?: string | undefined;
  /** Somebody is to think it through first. */
  readonly triage?: boolean;
  readonly blocked?: boolean;
  /** A second task with the same key is not made. */
  readonly idempotencyKey?: string | undefined;
  readonly maxRuntimeSeconds?: number | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly goalMode?: boolean;
  readonly goalMaxTurns?: number | undefined;
  /** The conversation that it was made in. */
  readonly sessionId?: string | undefined;
  /** Words of others may be in it. */
  readonly outside?: boolean;
}

/** Returns it; with a key that a task has which is not archived, that one. Throws `UserError`. */
export async function createTask(board: Board, task: NewTask): Promise<Task> {
  const title = task.title.trim();
  if (title === '') throw new UserError('A task needs a title.', { hint: 'Say in a few words what is to be done.' });
  const workspacePath = workspaceOf(board, task);
  const skills = task.skills === undefined ? undefined : namesOf(task.skills);
  return await board.db.write(() => {
    const known = sameKey(board, task.idempotencyKey);
    if (known !== undefined) return known;
    const parents = [...new Set(task.parents?.filter((id) => id !== '') ?? [])];
    requireAll(board, parents);
    const id = freeId(board);
    const assignee = task.assignee === undefined ? null : profileName(task.assignee);
    board.db.run(
      `INSERT INTO tasks (id, title, body, assignee, status, priority, created_by, created_at, workspace_kind,
         workspace_path, tenant, idempotency_key, max_runtime_seconds, skills, goal_mode, goal_max_turns, session_id)
       VALUES (?, ?, ?, ?, 'todo', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      title,
      task.body ?? null,
      assignee,
      task.priority ?? 0,
      task.createdBy,
      board.now(),
      task.workspaceKind ?? 'scratch',
      workspacePath ?? null,
      task.tenant ?? null,
      task.idempotencyKey ?? null,
      task.maxRuntimeSeconds ?? null,
      skills === undefined ? null : JSON.stringify(skills),
      task.goalMode === true ? 1 : 0,
      task.goalMaxTurns ?? null,
      task.sessionId ?? null,
    );
    for (const parent of parents) {
      board.db.run('INSERT OR IGNORE INTO task_links (parent_id, child_id) VALUES (?, ?)', parent, id);
    }
    const status = firstStatus(board, id, task);
    board.db.run('UPDATE tasks SET status = ? WHERE id = ?', status, id);
    addEvent(board, {
      taskId: id,
      kind: 'created',
      payload: {
        assignee,
        status,
        parents,
        tenant: task.tenant ?? null,
        branch_name: null,
        skills: skills === undefined || skills.length === 0 ? null : skills,
        goal_mode: task.goalMode === true ? true : null,
        ...(task.outside === true ? { outside: true } : {}),
      },
    });
    // Without it the next look at the board takes the task for one that failures have blocked, and lets it go on.
    if (status === 'blocked') {
      addEvent(board, { taskId: id, kind: 'blocked', payload: { reason: null, kind: null, recurrences: 0 } });
    }
    return requireTask(board, id);
  });
}

function firstStatus(board: Board, id: string, { blocked, triage }: NewTask): string {
  if (blocked === true) return 'blocked';
  if (triage === true) return 'triage';
  return hasOpenParent(board, id) ? 'todo' : 'ready';
}

function requireAll(board: Board, parents: readonly string[]): void {
  const missing = missingTasks(board, parents);
  if (missing.length === 0) return;
  throw new UserError(`There are no tasks ${missing.join(', ')} that could be parents.`, {
    hint: 'Parents must be on the same board, and be made first.',
  });
}

function sameKey({ db }: Board, key: string | undefined): Task | undefined {
  if (key === undefined || key === '') return undefined;
  const sql = `SELECT * FROM tasks WHERE idempotency_key = ? AND status != 'archived' ORDER BY created_at DESC LIMIT 1`;
  return readTasks(db.all(sql, key))[0];
}

function freeId(board: Board): string {
  for (;;) {
    const id = `t_${randomBytes(4).toString('hex')}`;
    if (missingTasks(board, [id]).length > 0) return id;
  }
}

/** A scratch folder is deleted when its task is done, so it is never one that somebody named for all tasks. */
function workspaceOf(board: Board, { workspaceKind = 'scratch', workspacePath }: NewTask): string | undefined {
  const path = workspacePath ?? (workspaceKind === 'scratch' ? undefined : defaultWorkFolder(board.places));
  if (path !== undefined && !isAbsolute(path)) {
    throw new UserError(`The workspace ${path} is not an absolute path.`, { hint: 'Write it from / on.' });
  }
  if (path !== undefined || workspaceKind !== 'dir') return path;
  throw new UserError('A task that works in a folder (workspace_kind dir) needs to say in which.', {
    hint: 'Give workspace_path, or set the default folder of the board.',
  });
}

function namesOf(skills: readonly string[]): string[] {
  const names = [...new Set(skills.map((name) => name.trim()).filter((name) => name !== ''))];
  const wrong = names.find((name) => name.includes(','));
  if (wrong === undefined) return names;
  throw new UserError(`'${wrong}' is not the name of a skill: names have no commas.`, {
    hint: 'Give several skills as a list.',
  });
}
