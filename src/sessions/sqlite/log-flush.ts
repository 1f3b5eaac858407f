/** Brings the write-ahead log of a database onto the disk while the event loop goes on. */
import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { InTurn } from '../../lib/in-turn.ts';

/** Resolves when what was written to an open file until now is on the disk. */
export type FlushFile = (file: number) => Promise<void>;

/**
 * `PRAGMA synchronous = FULL` does the same inside of COMMIT, where everything else stands still for the milliseconds that a
 * disk takes. In a write-ahead log a commit is durable as soon as its frames are, whoever flushes them:
 * https://www.sqlite.org/wal.html#performance_considerations
 */
export class LogFlush {
  readonly #file: number;
  readonly #flush: FlushFile;
  readonly #flushes = new InTurn();
  /** Not begun yet: it serves whoever asks until then. */
  #next: Promise<void> | undefined;

  private constructor(file: number, flush: FlushFile) {
    this.#file = file;
    this.#flush = flush;
  }

  /**
   * Of the database at this path, which must have a write-ahead log. Undefined where there is none to be opened, and on
   * systems other than Linux, of which it is not known that a flush reaches what another descriptor has written.
   */
  static open(path: string, flush: FlushFile = promisify(fdatasync)): LogFlush | undefined {
    if (process.platform !== 'linux') return undefined;
    try {
      return new LogFlush(openSync(`${path}-wal`, 'r+'), flush);
    } catch {
      // SQLite flushes it by itself then.
      return undefined;
    }
  }

  /** Resolves when what was committed before the call is on the disk; rejects with what the system says against it. */
  onDisk(): Promise<void> {
    this.#next ??= this.#flushes.run(async () => {
      this.#next = undefined;
      await this.#flush(this.#file);
    });
    return this.#next;
  }

  /** Resolves when all that was asked for is done. */
  async settled(): Promise<void> {
    await this.#flushes.ended();
  }

  /** Closes the file when nothing is under way any more. */
  async close(): Promise<void> {
    await this.#flushes.run(async () => closeSync(this.#file));
  }
}
