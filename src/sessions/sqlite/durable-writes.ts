/** Writes to tables of our own, on the disk before anybody is told. */
import { SAVING } from './attempts.ts';
import type { Connection } from './connection.ts';
import { ensureFitting, type OwnTable } from './own-tables.ts';

/**
 * A platform does not send again what it was told has arrived, so what is written here is on the disk before anybody is
 * told, also before a power cut; those of the same turn of the event loop together, which costs little.
 */
export class DurableWrites {
  readonly #db: Connection;
  /** Tables that are there and fit. */
  readonly #ready = new Set<OwnTable>();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** `work` may write to `tables`. The promise resolves when what it did is durable. */
  async write<T>(tables: readonly OwnTable[], work: () => T): Promise<T> {
    const prepared = (): T => {
      for (const table of tables) if (!this.#ready.has(table)) ensureFitting(this.#db, table);
      return work();
    };
    const result = await this.#db.write(SAVING, prepared, { flushed: true });
    for (const table of tables) this.#ready.add(table);
    return result;
  }
}
