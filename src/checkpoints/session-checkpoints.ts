/** The checkpoints that one session takes: before its changes, at most one of a directory in a turn. */
import type { Log } from '../lib/log.ts';
import { CheckpointStore, type CheckpointStoreOptions, projectRoot } from './checkpoint-store.ts';
import { isPruneDue, prune, type PruneLimits } from './upkeep.ts';

export interface SessionCheckpointsOptions extends CheckpointStoreOptions {
  readonly log: Log;
  /** Absent: nothing is pruned by itself. */
  readonly pruning?: PruneLimits & { readonly everyHours: number };
}

export class SessionCheckpoints {
  readonly #options: SessionCheckpointsOptions;
  readonly #store: CheckpointStore;
  readonly #taken = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  #hasPruned = false;

  constructor(options: SessionCheckpointsOptions) {
    this.#options = options;
    this.#store = new CheckpointStore(options);
  }

  newTurn(): void {
    this.#taken.clear();
  }

  /** Keeps the state of the projects around these paths. Never rejects: work goes on without a checkpoint. */
  async before(paths: readonly string[], reason: string): Promise<void> {
    for (const root of new Set(paths.map(projectRoot))) {
      if (this.#taken.has(root)) continue;
      this.#taken.add(root);
      this.#work = this.#work.then(() => this.#take(root, reason));
    }
    await this.#work;
  }

  async #take(root: string, reason: string): Promise<void> {
    const { pruning, log, now = () => new Date() } = this.#options;
    try {
      await this.#store.take(root, reason);
      if (pruning === undefined || this.#hasPruned) return;
      this.#hasPruned = true;
      if (isPruneDue(this.#store, pruning.everyHours, now())) await prune(this.#store, pruning, now());
    } catch (error) {
      log.error(`no checkpoint of ${root}`, error);
    }
  }
}
