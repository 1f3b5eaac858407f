/** Watches over who works on a task of a board: its signs of life, and that it does not leave without a word. */
import type { FinishedCall } from '../agent/run-tool-calls.ts';
import type { Verifier } from '../agent/verifier.ts';
import { kanbanVariables } from '../config/kanban-variables.ts';
import type { Log } from '../lib/log.ts';
import type { BoardAccess } from '../tools/kanban/board-access.ts';
import type { SessionParts } from './session-parts.ts';

export interface WorkerWatchOptions {
  readonly access: BoardAccess & { readonly worker: NonNullable<BoardAccess['worker']> };
  /** `HERMES_KANBAN_STOP_NUDGE` */
  readonly reminds: boolean;
  /** Who else watches the turn, and is asked first. */
  readonly other: Verifier | undefined;
  readonly log: Log;
  readonly now?: () => number;
}

const maxReminders = 2;
/** A claim holds for many minutes: a sign of life for each call would fill the board. */
const msBetweenBeats = 60_000;
const boardMs = 10_000;

export class WorkerWatch implements Verifier {
  readonly #options: WorkerWatchOptions;
  #reminders = 0;
  #beatAt = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: WorkerWatchOptions) {
    this.#options = options;
  }

  startTurn(): void {
    this.#options.other?.startTurn();
  }

  note(call: FinishedCall): void {
    this.#options.other?.note(call);
    const now = (this.#options.now ?? performance.now.bind(performance))();
    if (now - this.#beatAt < msBetweenBeats) return;
    this.#beatAt = now;
    this.#beating = this.#beating.then(async () => await this.#beat());
  }

  async demand(): Promise<string | undefined> {
    const { other, reminds } = this.#options;
    const demand = await other?.demand();
    if (demand !== undefined) return demand;
    await this.#beating;
    if (!reminds || this.#reminders >= maxReminders || !(await this.#isOpen())) return undefined;
    this.#reminders += 1;
    return reminder(this.#options.access.worker.taskId);
  }

  async close(): Promise<void> {
    await this.#beating;
  }

  /** Work goes on without it: who was given up meanwhile hears so from the board when it is done. */
  async #beat(): Promise<void> {
    const { access, log } = this.#options;
    const { taskId, runId } = access.worker;
    try {
      const [{ beat }, { claimOf }] = await Promise.all([
        import('../kanban/claim.ts'),
        import('../tools/kanban/heartbeat.ts'),
      ]);
      const sign = { runId, claim: claimOf(access) };
      await access.use(undefined, async (board) => await beat(board, taskId, sign), AbortSignal.timeout(boardMs));
    } catch (error) {
      log.debug('no sign of life was noted on the board', error);
    }
  }

  async #isOpen(): Promise<boolean> {
    const { access, log } = this.#options;
    const { taskId, runId } = access.worker;
    try {
      const { findTask } = await import('../kanban/tasks.ts');
      const task = await access.use(undefined, (board) => findTask(board, taskId), AbortSignal.timeout(boardMs));
      if (task?.status !== 'running' && task?.status !== 'ready') return false;
      return runId === undefined || task.current_run_id === runId;
    } catch (error) {
      log.debug('the board could not be asked about the task', error);
      return false;
    }
  }
}

/** Undefined where nobody works on a task. */
export function workerWatch(
  parts: Pick<SessionParts, 'env' | 'log'>,
  access: BoardAccess | undefined,
  other: Verifier | undefined,
): WorkerWatch | undefined {
  if (access?.worker === undefined) return undefined;
  const { reminds } = kanbanVariables(parts.env);
  return new WorkerWatch({
    access: { ...access, worker: access.worker },
    reminds,
    other,
    log: parts.log.named('kanban'),
  });
}

function reminder(taskId: string): string {
  return `[System: ${taskId} is still open, and an answer does not end it. If something is missing from what was to be made, make it now. Then call kanban_complete with a summary, or kanban_block with the reason why you cannot go on. To leave without one of them counts as a failure.]`;
}
