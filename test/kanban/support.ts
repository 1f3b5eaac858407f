/** A folder with boards in it, and a clock that a test moves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Board, Boards } from '../../src/kanban/board.ts';
import { createTask, type NewTask } from '../../src/kanban/create-task.ts';
import type { BoardSettings } from '../../src/kanban/places.ts';
import type { Task } from '../../src/kanban/records.ts';

export interface Desk {
  readonly home: string;
  readonly boards: Boards;
  /** On the default board. */
  readonly on: <T>(work: (board: Board) => Promise<T> | T) => Promise<T>;
  readonly create: (task: Partial<NewTask>) => Promise<Task>;
  /** Seconds pass. */
  readonly wait: (seconds: number) => void;
}

export function desk(t: TestContext, settings: Partial<BoardSettings> = {}): Desk {
  const home = mkdtempSync(join(tmpdir(), 'hermes-kanban-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  let at = 1_800_000_000;
  const boards = new Boards({
    settings: { home, ...settings },
    busyTimeoutMs: 120_000,
    failureLimit: 2,
    clock: { now: () => at * 1000 },
  });
  return {
    home,
    boards,
    on: async (work) => await boards.use(undefined, work),
    create: async (task) =>
      await boards.use(undefined, (board) => createTask(board, { title: 'Wash the cups', createdBy: 'user', ...task })),
    wait: (seconds) => {
      at += seconds;
    },
  };
}

/** Of one task, oldest first. */
export function kindsOf({ db }: Board, id: string): unknown[] {
  return db.all('SELECT kind FROM task_events WHERE task_id = ? ORDER BY id', id).map(({ kind }) => kind);
}
