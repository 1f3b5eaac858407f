/** Writes that share a transaction with all others of the same turn of the event loop. */
import { SAVING } from './attempts.ts';
import type { Connection } from './connection.ts';
import { ensureFitting, type OwnTable } from './own-tables.ts';
import { concernsFile } from './storage-error.ts';

/** More would keep the event loop, and other processes, waiting for long. */
const MAX_IN_ONE = 500;

/**
 * A platform does not send again what it was told has arrived, so they are on the disk before anybody is told, also before
 * a power cut; together that costs little. They are done in the order they were asked for. One that throws is taken back alone; when the file is the reason, none
 * of them is done.
 */
export class GroupedWrites {
  readonly #db: Connection;
  /** Tables that are there and fit. */
  readonly #ready = new Set<OwnTable>();
  #waiting: Work[] = [];
  #underWay: Promise<void> = Promise.resolve();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** `work` may write to `tables`. The promise resolves when what it did is durable. */
  write<T>(tables: readonly OwnTable[], work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tables, reject, run: () => bind(resolve, work()) });
      if (this.#waiting.length === 1) this.#underWay = this.#nextTurn(this.#underWay);
    });
  }

  /** Waits for what was asked for until now. */
  async settled(): Promise<void> {
    await this.#underWay;
  }

  async #nextTurn(before: Promise<void>): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await before;
    const works = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < works.length; at += MAX_IN_ONE) await this.#together(works.slice(at, at + MAX_IN_ONE));
  }

  async #together(works: readonly Work[]): Promise<void> {
    try {
      const outcomes = await this.#db.write(SAVING, () => works.map((work) => this.#apart(work)), { flushed: true });
      for (const { tell, tables } of outcomes) {
        for (const table of tables) this.#ready.add(table);
        tell();
      }
    } catch (error) {
      for (const { reject } of works) reject(error);
    }
  }

  #apart(work: Work): Outcome {
    this.#db.run('SAVEPOINT one_of_many');
    try {
      for (const table of work.tables) if (!this.#ready.has(table)) ensureFitting(this.#db, table);
      const tell = work.run();
      this.#db.run('RELEASE one_of_many');
      return { tell, tables: work.tables };
    } catch (error) {
      if (concernsFile(error)) throw error;
      this.#db.run('ROLLBACK TO one_of_many');
      this.#db.run('RELEASE one_of_many');
      return { tell: bind(work.reject, error), tables: [] };
    }
  }
}

interface Work {
  readonly tables: readonly OwnTable[];
  /** Returns what tells the caller of its success. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  readonly tell: () => void;
  /** Made, if they were not there. */
  readonly tables: readonly OwnTable[];
}

function bind<T>(tell: (value: T) => void, value: T): () => void {
  return () => tell(value);
}
