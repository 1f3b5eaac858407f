/** How the tools of a session reach boards of tasks. */
import type { KanbanWorker } from '../../config/kanban-variables.ts';
import type { Board } from '../../kanban/board.ts';
import type { Moved } from '../../kanban/block.ts';

export interface BoardAccess {
  /** The task that this process works on; absent for who hands out work. */
  readonly worker: KanbanWorker | undefined;
  /** The profile that writes. */
  readonly author: string;
  /** Of new tasks that name none. */
  readonly tenant: string | undefined;
  /** How long a claim holds. */
  readonly claimSeconds: number;
  /** The conversation, as it is stored. */
  sessionId(): string | undefined;
  /** Opens the board that is named, or the one that is chosen, while `work` runs. Throws `UserError`. */
  use<T>(board: string | undefined, work: (board: Board) => Promise<T> | T, signal: AbortSignal): Promise<T>;
  /** Tells those who listen. Must not reject. */
  tell(event: BoardEvent, signal: AbortSignal): Promise<void>;
}

/** What happened to a task, and is on the board by now. */
export interface BoardEvent extends Moved {
  readonly kind: 'completed' | 'blocked';
  readonly board: string;
  /** What it came to, or why it waits. */
  readonly words: string;
}
