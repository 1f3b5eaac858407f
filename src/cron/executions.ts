/** `cron/executions.db`: one row for each attempt to run a job, with how it ended. */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';

export type ExecutionSource = 'builtin' | 'chronos' | 'direct';

const rowSchema = z.object({
  id: z.string(),
  job_id: z.string(),
  source: z.string(),
  process_id: z.string(),
  pid: z.number(),
  process_started_at: z.number().nullable(),
  status: z.enum(['claimed', 'running', 'completed', 'failed', 'unknown']),
  claimed_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  error: z.string().nullable(),
});
export type Execution = z.infer<typeof rowSchema>;

/** The process that runs jobs. */
export interface Runner {
  readonly processId: string;
  readonly pid: number;
  /** Clock ticks since the machine started; null where the system does not say. */
  readonly startedAt: number | null;
}

/** A row is written before its job runs. All methods throw SQLite's errors. */
export class Executions {
  readonly #db: DatabaseSync;

  constructor(homePath: string) {
    const folder = join(homePath, 'cron');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, 'executions.db');
    // Loaded when jobs are run or looked at.
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    this.#db = new DatabaseSync(path, { timeout: 10_000 });
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    this.#db.exec(schema);
    chmodSync(path, 0o600);
  }

  /** Returns the id of the row. */
  claim(jobId: string, source: ExecutionSource, runner: Runner, at: string): string {
    const id = randomUUID().replaceAll('-', '');
    this.#db
      .prepare(
        `INSERT INTO executions (id, job_id, source, process_id, pid, process_started_at, status, claimed_at)
         VALUES (?, ?, ?, ?, ?, ?, 'claimed', ?)`,
      )
      .run(id, jobId, source, runner.processId, runner.pid, runner.startedAt, at);
    return id;
  }

  begin(id: string, at: string): void {
    this.#db.prepare(`UPDATE executions SET status = 'running', started_at = ? WHERE id = ?`).run(at, id);
  }

  /** Without an error it is completed. The newest 1,000 finished rows are kept. */
  finish(id: string, at: string, error: string | undefined): void {
    this.#db
      .prepare('UPDATE executions SET status = ?, finished_at = ?, error = ? WHERE id = ?')
      .run(error === undefined ? 'completed' : 'failed', at, error ?? null, id);
    this.#db.exec(tidy);
  }

  /** Rows that nobody has ended, oldest first. */
  open(): Execution[] {
    return this.#rows(`WHERE status IN ('claimed', 'running') ORDER BY claimed_at, id`, []);
  }

  /** Nobody will ever know how it ended. False when somebody else has said so before. */
  giveUp(id: string, at: string, error: string): boolean {
    const { changes } = this.#db
      .prepare(
        `UPDATE executions SET status = 'unknown', finished_at = ?, error = ? WHERE id = ? AND status IN ('claimed', 'running')`,
      )
      .run(at, error, id);
    return Number(changes) > 0;
  }

  /** Newest first; of one job, or of all. */
  list({ jobId, limit }: { readonly jobId?: string | undefined; readonly limit: number }): Execution[] {
    const order = 'ORDER BY claimed_at DESC, id DESC LIMIT ?';
    return jobId === undefined ? this.#rows(order, [limit]) : this.#rows(`WHERE job_id = ? ${order}`, [jobId, limit]);
  }

  close(): void {
    this.#db.close();
  }

  #rows(where: string, values: readonly (string | number)[]): Execution[] {
    const rows = this.#db.prepare(`SELECT * FROM executions ${where}`).all(...values);
    return rows.flatMap((row) => rowSchema.safeParse(row).data ?? []);
  }
}

const schema = `
  CREATE TABLE IF NOT EXISTS executions (
    id TEXT PRIMARY KEY,
    job_id TEXT NOT NULL,
    source TEXT NOT NULL,
    process_id TEXT NOT NULL,
    pid INTEGER NOT NULL,
    process_started_at INTEGER,
    status TEXT NOT NULL CHECK(status IN ('claimed','running','completed','failed','unknown')),
    claimed_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    error TEXT
  );
  CREATE INDEX IF NOT EXISTS idx_executions_job_claimed ON executions(job_id, claimed_at DESC, id DESC);
  CREATE INDEX IF NOT EXISTS idx_executions_status_claimed ON executions(status, claimed_at DESC, id DESC)`;

const tidy = `
  DELETE FROM executions WHERE status NOT IN ('claimed', 'running') AND id NOT IN (
    SELECT id FROM executions WHERE status NOT IN ('claimed', 'running') ORDER BY claimed_at DESC, id DESC LIMIT 1000
  )`;
