/** One SQLite connection: cached statements, transactions that wait their turn, and patience with other processes. */
import { backup, DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { UserError } from '../../lib/errors.ts';
import { InTurn } from '../../lib/in-turn.ts';
import { isBusy, journalMode } from '../../lib/sqlite.ts';
import { OPENING } from './attempts.ts';
import { durability } from './journal.ts';
import { type FlushFile, LogFlush } from './log-flush.ts';
import { concernsFile, isIndexDamage, storageError } from './storage-error.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;
export type Value = SQLInputValue;

/** How long to wait for another process. */
export interface WaitOptions {
  /** How long SQLite itself waits inside one attempt, in milliseconds; blocks the event loop. Default 1000. */
  readonly busyTimeoutMs?: number;
  /** Attempts in all, with 20–150 ms of sleep between them. Default 15. */
  readonly attempts?: number;
  /**
   * Only reads. `shared`: others may write meanwhile. `unchanging`: nobody does, because neither the file nor its
   * directory can be written.
   */
  readonly readOnly?: 'shared' | 'unchanging';
  /** What a write ends with, where there is a better reason than that the file cannot be written. */
  readonly refusal?: UserError;
  /** How a file is brought onto the disk. Default: by the system. */
  readonly flush?: FlushFile;
}

const BUSY_TIMEOUT_MS = 1000;
const ATTEMPTS = 15;
const WRITES_PER_CHECKPOINT = 50;
/** Many conversations at once reach that many writes in no time; SQLite itself bounds the log meanwhile. */
const MS_BETWEEN_CHECKPOINTS = 500;
const MAX_STATEMENTS = 100;
/** More in one transaction would keep the event loop, and other processes, waiting for long. */
const MAX_IN_ONE = 500;

/** One of the writes that share a transaction. */
interface Write {
  readonly attempted: string;
  readonly flushed: boolean;
  /** Returns what tells the caller of its success. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Work passed to `read` and `write` is synchronous, so that no transaction is ever held across an `await`. Writes run
 * one after the other in the order they were asked for, even when an early one has to wait for a lock. Those that are asked
 * for in one turn of the event loop share a transaction, as each transaction costs more than what most of them do.
 */
export class Connection {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #attempts: number;
  readonly #refusal: UserError | undefined;
  readonly #flush: FlushFile | undefined;
  readonly #statements = new Map<string, StatementSync>();
  readonly #work = new InTurn();
  /** Still taking writes; its transaction has not begun. */
  #group: Write[] | undefined;
  #writes = 0;
  #checkpointedAt = 0;
  #mend: (() => void) | undefined;
  #log: LogFlush | undefined;
  /** Tables that are there; nobody takes one away again. */
  readonly #tables = new Set<string>();

  private constructor(path: string, options: WaitOptions) {
    this.path = path;
    this.#attempts = options.attempts ?? ATTEMPTS;
    this.#refusal = options.refusal;
    this.#flush = options.flush;
    this.#database = new DatabaseSync(options.readOnly === 'unchanging' ? unchanging(path) : path, {
      timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
      readOnly: options.readOnly !== undefined,
    });
  }

  /** Opens or creates the file; nothing is written yet. Throws `UserError` when it cannot be opened. */
  static async open(path: string, options: WaitOptions = {}): Promise<Connection> {
    const connection = Connection.#openFile(path, options);
    try {
      await connection.read(OPENING, () => connection.exec(durability(process.platform)));
      return connection;
    } catch (error) {
      connection.abandon();
      throw error;
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  /** Returns the number of changed rows and the id of the last inserted one. */
  run(sql: string, ...values: Value[]): { changes: number; id: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values);
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  }

  /** Whether a table is there, which `look` finds out; it is asked until it says so. */
  knows(table: string, look: () => boolean): boolean {
    if (this.#tables.has(table)) return true;
    if (!look()) return false;
    this.#tables.add(table);
    return true;
  }

  /** Reads; `attempted` completes "Cannot …" in the error. */
  read<T>(attempted: string, work: () => T): Promise<T> {
    return this.#patiently(attempted, work);
  }

  /** A write that fails because the search index is damaged is tried again after `mend`, a write too; once. */
  mendWith(mend: () => void): void {
    this.#mend = mend;
  }

  /**
   * Runs `work` in an immediate transaction; what it did is taken back when it throws, and when the file is the reason that
   * of all the others in its transaction is too. When it is done it survives a killed process; `flushed`, a power cut as well.
   */
  write<T>(attempted: string, work: () => T, { flushed = false }: { readonly flushed?: boolean } = {}): Promise<T> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    return new Promise((resolve, reject) => {
      const run = (): (() => void) => {
        const result = work();
        return () => resolve(result);
      };
      this.#group ??= this.#newGroup();
      this.#group.push({ attempted, flushed, run, reject });
    });
  }

  /** Runs `work` in a transaction that is always rolled back: would this succeed? */
  rehearse<T>(attempted: string, work: () => T, attempts = this.#attempts): Promise<T> {
    return this.#inTurn(attempted, () => this.#transaction(work, 'ROLLBACK'), attempts);
  }

  /** Runs statements that SQLite forbids inside a transaction, in turn with the writes. */
  outsideTransaction<T>(attempted: string, work: () => T): Promise<T> {
    return this.#inTurn(attempted, work);
  }

  /** Copies the database through SQLite's own backup, the only safe way while others may write. */
  async backupTo(target: string): Promise<void> {
    try {
      await backup(this.#database, target, { rate: 2000 });
    } catch (error) {
      throw storageError(target, `back up ${this.path}`, error);
    }
  }

  /** Resolves when what was asked to be written until now is. */
  async settled(): Promise<void> {
    await this.#work.ended();
    await this.#log?.settled();
  }

  /** Waits for writes under way, checkpoints and closes. Safe to call twice. */
  async close(): Promise<void> {
    await this.settled();
    if (!this.#database.isOpen) return;
    // Not waited for: whoever reads now, or closes last, leaves no long log behind either.
    this.checkpoint('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    this.abandon();
  }

  /** Closes at once. */
  abandon(): void {
    this.#statements.clear();
    void this.#log?.close();
    this.#log = undefined;
    if (this.#database.isOpen) this.#database.close();
  }

  static #openFile(path: string, options: WaitOptions): Connection {
    try {
      return new Connection(path, options);
    } catch (error) {
      throw storageError(path, OPENING, error);
    }
  }

  #inTurn<T>(attempted: string, work: () => T, attempts = this.#attempts): Promise<T> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    // What is asked for from now on comes behind it.
    this.#group = undefined;
    return this.#work.run(() => this.#patiently(attempted, work, attempts));
  }

  #newGroup(): Write[] {
    const group: Write[] = [];
    void this.#work.run(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#group === group) this.#group = undefined;
      for (let at = 0; at < group.length; at += MAX_IN_ONE) await this.#together(group.slice(at, at + MAX_IN_ONE));
    });
    return group;
  }

  async #together(writes: readonly Write[]): Promise<void> {
    const commit = (): (() => void)[] => this.#mended(() => this.#all(writes));
    try {
      const flushed = writes.some((write) => write.flushed);
      const log = flushed ? this.#openLog() : undefined;
      const tell = await this.#untilFree(() => (flushed && log === undefined ? this.#flushed(commit) : commit()));
      for (const [index, write] of writes.entries()) {
        if (log === undefined || !write.flushed) tell[index]?.();
        // Not waited for: what comes next is written meanwhile.
        else void log.onDisk().then(tell[index], (error: unknown) => write.reject(this.#problem(write, error)));
      }
    } catch (error) {
      for (const write of writes) write.reject(this.#problem(write, error));
      return;
    }
    this.#writes += writes.length;
    if (this.#writes >= WRITES_PER_CHECKPOINT) this.#checkpointInPassing();
  }

  #problem({ attempted }: Write, error: unknown): unknown {
    return storageError(this.path, attempted, error);
  }

  /** Undefined where SQLite itself has to flush what it commits. */
  #openLog(): LogFlush | undefined {
    if (this.#log === undefined && journalMode(this) === 'wal') this.#log = LogFlush.open(this.path, this.#flush);
    return this.#log;
  }

  /** Savepoints cost as much as what most writes do, and the search index is flushed at each: they wait for a failure. */
  #all(writes: readonly Write[]): (() => void)[] {
    try {
      return this.#transaction(() => writes.map((write) => write.run()), 'COMMIT');
    } catch (error) {
      if (writes.length === 1 || isOfAll(error)) throw error;
      return this.#transaction(() => writes.map((write) => this.#apart(write)), 'COMMIT');
    }
  }

  /** One that fails is taken back alone, unless it is the file. */
  #apart(write: Write): () => void {
    this.run('SAVEPOINT one_of_many');
    try {
      const tell = write.run();
      this.run('RELEASE one_of_many');
      return tell;
    } catch (error) {
      if (isOfAll(error)) throw error;
      this.#tables.clear();
      this.exec('ROLLBACK TO one_of_many; RELEASE one_of_many');
      return () => write.reject(error);
    }
  }

  async #patiently<T>(attempted: string, work: () => T, attempts = this.#attempts): Promise<T> {
    try {
      return await this.#untilFree(work, attempts);
    } catch (error) {
      throw storageError(this.path, attempted, error);
    }
  }

  async #untilFree<T>(work: () => T, attempts = this.#attempts): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || attempt >= attempts) throw error;
      }
      // Random, so that two processes that met once do not keep meeting.
      await delay(20 + Math.random() * 130);
    }
  }

  #flushed<T>(write: () => T): T {
    this.exec('PRAGMA synchronous = FULL');
    try {
      return write();
    } finally {
      this.exec(durability(process.platform));
    }
  }

  #mended<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      const mend = this.#mend;
      if (mend === undefined || !isIndexDamage(error)) throw error;
      this.#mend = undefined;
      try {
        this.#transaction(mend, 'COMMIT');
      } catch {
        // It was not the index; what failed first says more.
        throw error;
      }
      return write();
    }
  }

  #transaction<T>(work: () => T, ending: 'COMMIT' | 'ROLLBACK'): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      if (ending === 'ROLLBACK') this.#tables.clear();
      this.exec(ending);
      return result;
    } catch (error) {
      this.#tables.clear();
      // Some errors (a full disk) have already rolled back.
      if (this.#database.isTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  #checkpointInPassing(): void {
    const now = performance.now();
    if (now - this.#checkpointedAt < MS_BETWEEN_CHECKPOINTS) return;
    this.#checkpointedAt = now;
    this.#writes = 0;
    this.checkpoint('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** Brings the write-ahead log into the file, as far as that goes. */
  checkpoint(sql = 'PRAGMA wal_checkpoint(TRUNCATE)'): void {
    try {
      this.exec(sql);
    } catch {
      // A later checkpoint does the same work; nothing is lost meanwhile.
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** True when it is a condition of the file, not of the write that met it. */
function isOfAll(error: unknown): boolean {
  return concernsFile(error) || isIndexDamage(error);
}

/** A write-ahead log needs a file beside it, which cannot be made there. See https://www.sqlite.org/uri.html */
function unchanging(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
}
