/** Brings what sub-agents have done in the background into the conversation that a worker drives. */
import type { Log } from '../lib/log.ts';
import type { DueResults } from '../runtime/delegation/sub-agents.ts';
import type { SessionWorker } from './session-worker.ts';
import type { WorkerEvent } from './worker.ts';

/**
 * From now on, beginning with what earlier processes left: each is a message of its own, which counts as delivered when it
 * is stored. Returns the end of that, which gives back what still waits.
 */
export function bringResults(worker: SessionWorker, log: Log): () => Promise<void> {
  const bringing = new ResultBringer(worker, log);
  bringing.look();
  const ends = [
    worker.session.background.agents.listen(({ type }) => {
      if (type === 'results_due') bringing.look();
    }),
    worker.listen((event) => bringing.hear(event)),
  ];
  return async () => {
    for (const end of ends) end();
    await bringing.close();
  };
}

interface Handed {
  readonly due: DueResults;
  queued: string | undefined;
}

class ResultBringer {
  readonly #worker: SessionWorker;
  readonly #log: Log;
  /** Handed to the worker, by the id of the delegation; with the place in its queue. */
  readonly #handed = new Map<string, Handed>();
  /** The one whose turn begins. */
  #taken: string | undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(worker: SessionWorker, log: Log) {
    this.#worker = worker;
    this.#log = log;
  }

  look(): void {
    this.#looking = this.#looking
      .then(() => this.#look())
      .catch((error: unknown) => this.#log.warning('results of sub-agents were not brought', error));
  }

  hear(event: WorkerEvent): void {
    switch (event.type) {
      case 'message_taken':
        this.#taken = event.message.platformMessageId;
        return;
      case 'message_stored':
        if (event.role === 'user' && event.kind === 'note') this.#settle(this.#taken, (due) => due.delivered());
        return;
      case 'message_failed':
        return this.#settle(event.message.platformMessageId, (due) => due.release());
      case 'held_here':
        return this.look();
      default:
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#looking;
    for (const { due, queued } of this.#handed.values()) {
      if (queued !== undefined) await this.#worker.remove(queued);
      await due.release();
    }
    this.#handed.clear();
  }

  async #look(): Promise<void> {
    if (this.#closed || this.#worker.heldBy !== undefined) return;
    for (const due of await this.#worker.session.background.agents.due()) {
      const handed: Handed = { due, queued: undefined };
      this.#handed.set(due.delegationId, handed);
      try {
        const submitted = await this.#worker.submit(due.input);
        if (submitted.as === 'queued') handed.queued = submitted.message.id;
      } catch (error) {
        this.#handed.delete(due.delegationId);
        await due.release();
        throw error;
      }
    }
  }

  #settle(id: string | undefined, settle: (due: DueResults) => Promise<void>): void {
    const handed = id === undefined ? undefined : this.#handed.get(id);
    if (id === undefined || handed === undefined) return;
    this.#handed.delete(id);
    settle(handed.due).catch((error: unknown) =>
      this.#log.warning(`the delivery of ${id} was not written down`, error),
    );
  }
}
