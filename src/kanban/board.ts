/** One board, open: what the functions of this room work on. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BoardDatabase } from './database.ts';
import { boardPlaces, type BoardPlaces, type BoardSettings, workspaceRoots } from './places.ts';

export interface Board {
  readonly db: BoardDatabase;
  readonly places: BoardPlaces;
  /** Folders that workspaces of tasks lie in, of all boards. */
  readonly workspaceRoots: readonly string[];
  /** `kanban.failure_limit`: failures in a row after which a task goes on by itself no more. */
  readonly failureLimit: number;
  /** Unix seconds. */
  readonly now: () => number;
}

export interface BoardsOptions {
  readonly settings: BoardSettings;
  /** How long other processes are waited for. */
  readonly busyTimeoutMs: number;
  readonly failureLimit: number;
  readonly clock?: { now(): number };
}

/** Opens boards for as long as something is done with them: other processes and profiles use them too. */
export class Boards {
  readonly #options: BoardsOptions;
  /** Files that are whole boards, looked at once. */
  readonly #known = new Set<string>();

  constructor(options: BoardsOptions) {
    this.#options = options;
  }

  /** Without a name the board that is chosen. Throws `UserError`, and what `work` throws. */
  async use<T>(named: string | undefined, work: (board: Board) => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    const { settings, busyTimeoutMs, failureLimit, clock = Date } = this.#options;
    const places = boardPlaces(settings, named);
    const isKnown = this.#known.has(places.database);
    const db = await BoardDatabase.open(places.database, { waitMs: busyTimeoutMs, isKnown, signal });
    try {
      this.#known.add(places.database);
      const roots = workspaceRoots(settings, slugsIn(settings.home));
      return await work({ db, places, workspaceRoots: roots, failureLimit, now: () => Math.floor(clock.now() / 1000) });
    } finally {
      db.close();
    }
  }
}

function slugsIn(home: string): readonly string[] {
  try {
    return readdirSync(join(home, 'kanban', 'boards'));
  } catch {
    // There are no boards but the default one.
    return [];
  }
}
