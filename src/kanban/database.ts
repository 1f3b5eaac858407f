/** The SQLite file of one board: opened, completed, and written in transactions that wait their turn. */
import { createHash } from 'node:crypto';
import { chmodSync, closeSync, copyFileSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage, UserError } from '../lib/errors.ts';
import { makeDirectories } from '../lib/make-directories.ts';
import { isBusy, isDamage, sqliteCode, useWriteAheadLog } from '../lib/sqlite.ts';
import { canBeAdded, createTable, indexes, tables } from './schema.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

export interface OpenOptions {
  /** How long others are waited for. */
  readonly waitMs: number;
  /** The file was looked at before by this process, and is a whole board. */
  readonly isKnown: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Blocks the event loop: short, and tried again. */
const busyTimeoutMs = 100;
const sqliteHeader = 'SQLite format 3\0';
const durable = `PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 100; PRAGMA foreign_keys = ON;
  PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON`;

/**
 * Work passed to `read` and `write` is synchronous, so that no transaction is held across an `await`. Throws `UserError`
 * for what is wrong with the file.
 */
export class BoardDatabase {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #waitMs: number;
  readonly #signal: AbortSignal | undefined;

  private constructor(path: string, options: OpenOptions) {
    this.path = path;
    this.#waitMs = options.waitMs;
    this.#signal = options.signal;
    // Loaded when a board is used.
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    this.#database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  }

  /** Opens or creates it. A file that is no board, or is damaged, is copied aside and refused. */
  static async open(path: string, options: OpenOptions): Promise<BoardDatabase> {
    const isNew = !existsSync(path);
    try {
      makeDirectories(dirname(path), 0o700);
      if (!isNew && !options.isKnown) refuseOther(path);
      const database = new BoardDatabase(path, options);
      try {
        await database.#prepare(options.isKnown, isNew);
        return database;
      } catch (error) {
        database.close();
        throw error;
      }
    } catch (error) {
      throw boardError(path, error);
    }
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#database.prepare(sql).all(...values);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#database.prepare(sql).get(...values);
  }

  /** Returns the number of changed rows and the id of the last inserted one. */
  run(sql: string, ...values: SQLInputValue[]): { changes: number; id: number } {
    const { changes, lastInsertRowid } = this.#database.prepare(sql).run(...values);
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  }

  /** All that `work` sees is of one moment. */
  async read<T>(work: () => T): Promise<T> {
    return await this.#transaction('BEGIN', work);
  }

  /** What `work` did is taken back when it throws. */
  async write<T>(work: () => T): Promise<T> {
    return await this.#transaction('BEGIN IMMEDIATE', work);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  async #prepare(isKnown: boolean, isNew: boolean): Promise<void> {
    if (!isKnown && !isNew) await this.#untilFree(() => this.#checkWhole());
    await this.#untilFree(() => {
      useWriteAheadLog(this);
      this.exec(durable);
    });
    if (isNew) restrictToOwner(this.path);
    if (isKnown || (await this.read(() => this.#isComplete()))) return;
    await this.write(() => this.#complete());
  }

  #checkWhole(): void {
    const found = this.get('PRAGMA integrity_check(1)')?.['integrity_check'];
    if (found !== 'ok') throw damaged(this.path, String(found));
  }

  #isComplete(): boolean {
    const names = new Set(this.all('SELECT name FROM sqlite_master').map(({ name }) => name));
    return (
      [...Object.keys(tables), ...Object.keys(indexes)].every((name) => names.has(name)) &&
      Object.keys(tables).every((table) => this.#missing(table).length === 0)
    );
  }

  #complete(): void {
    for (const [name, table] of Object.entries(tables)) {
      this.exec(createTable(name, table));
      const missing = this.#missing(name);
      const foreign = missing.find(([, declaration]) => !canBeAdded(declaration));
      if (foreign !== undefined) {
        throw new UserError(`${this.path} is no board of tasks: its table ${name} has no column ${foreign[0]}.`, {
          hint: 'Move the file away, or set HERMES_KANBAN_HOME to another directory. The file was left untouched.',
        });
      }
      for (const [column, declaration] of missing) {
        this.exec(`ALTER TABLE ${name} ADD COLUMN ${column} ${declaration}`);
      }
    }
    for (const [name, on] of Object.entries(indexes)) this.exec(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`);
  }

  #missing(table: string): [string, string][] {
    const there = new Set(this.all(`PRAGMA table_info(${table})`).map(({ name }) => name));
    return Object.entries(tables[table]?.columns ?? {}).filter(([column]) => !there.has(column));
  }

  async #transaction<T>(begin: string, work: () => T): Promise<T> {
    try {
      return await this.#untilFree(() => {
        this.exec(begin);
        try {
          const result = work();
          this.exec('COMMIT');
          return result;
        } catch (error) {
          // Some errors (a full disk) have already rolled back.
          if (this.#database.isTransaction) this.exec('ROLLBACK');
          throw error;
        }
      });
    } catch (error) {
      throw boardError(this.path, error);
    }
  }

  async #untilFree<T>(work: () => T): Promise<T> {
    const deadline = Date.now() + this.#waitMs;
    for (;;) {
      this.#signal?.throwIfAborted();
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || Date.now() >= deadline) throw error;
      }
      // Random, so that two processes that met once do not keep meeting.
      await delay(20 + Math.random() * 130, undefined, this.#signal === undefined ? {} : { signal: this.#signal });
    }
  }
}

/** An empty file is one that nobody has written to yet. */
function refuseOther(path: string): void {
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(sqliteHeader.length);
    const length = readSync(file, start, 0, start.length, 0);
    if (length === 0 || start.toString('latin1') === sqliteHeader) return;
  } finally {
    closeSync(file);
  }
  throw damaged(path, 'it is no SQLite database');
}

function damaged(path: string, reason: string): UserError {
  let kept: string;
  try {
    kept = `A copy was put at ${copyAside(path)}.`;
  } catch (error) {
    kept = `No copy could be made (${errorMessage(error)}).`;
  }
  return new UserError(`The board ${path} is damaged (${reason}).`, {
    hint: `The file was left as it is. ${kept} Move the file away, or bring back one of its backups.`,
  });
}

/** With its journal, and once: named after what is in it, however often the file is met. */
function copyAside(path: string): string {
  const copy = `${path}.corrupt.${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)}.bak`;
  for (const part of ['', '-wal', '-shm']) {
    if (existsSync(path + part) && !existsSync(copy + part)) copyFileSync(path + part, copy + part);
  }
  return copy;
}

/** Tasks may say what is nobody else's business. SQLite gives the journal files the same mode. */
function restrictToOwner(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // File systems without modes refuse; the home directory itself is private already.
  }
}

/** What is neither a condition of the file nor told already comes back unchanged: it is a defect. */
function boardError(path: string, error: unknown): unknown {
  if (error instanceof UserError) return error;
  if (isBusy(error)) {
    return new UserError(`The board ${path} is being written to by another process for too long.`, {
      hint: 'Wait until the other program has finished, or end it, then try again.',
      cause: error,
    });
  }
  if (isDamage(error)) return damaged(path, errorMessage(error));
  if (sqliteCode(error) === undefined) return error;
  return new UserError(`The board ${path} cannot be used: ${errorMessage(error)}.`, {
    hint: 'Check that the file and its directory can be written to, and that the disk has space left.',
    cause: error,
  });
}
