/** One row for every model request: what the day cost, whoever asked, and what `insights` counts. */
import { MAX_LINEAGE } from '../lineage.ts';
import type { CallTotals, SpentScope, UsageDelta } from '../usage-log.ts';
import { number } from './columns.ts';
import type { Connection } from './connection.ts';
import { ensureTable, hasTable, type OwnTable } from './own-tables.ts';

export const modelCalls: OwnTable = {
  name: 'model_calls',
  columns: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    at: 'REAL NOT NULL',
    session_id: 'TEXT',
    job_id: 'TEXT',
    task: 'TEXT',
    provider: 'TEXT',
    model: 'TEXT',
    input_tokens: 'INTEGER NOT NULL',
    output_tokens: 'INTEGER NOT NULL',
    cache_read_tokens: 'INTEGER NOT NULL',
    cache_write_tokens: 'INTEGER NOT NULL',
    reasoning_tokens: 'INTEGER NOT NULL',
    cost_usd: 'REAL',
  },
  indexes: ['idx_model_calls_at ON model_calls(at)', 'idx_model_calls_session ON model_calls(session_id)'],
};

const tokens = 'input_tokens + output_tokens + cache_read_tokens + cache_write_tokens';

/** Adds the row; the table is made with its first one. Call it inside a write. */
export function insertCall(db: Connection, sessionId: string | undefined, delta: UsageDelta, now: number): void {
  ensureTable(db, modelCalls);
  db.run(
    `INSERT INTO model_calls (at, session_id, job_id, task, provider, model, input_tokens, output_tokens,
       cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_usd) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    now,
    sessionId ?? null,
    delta.job_id ?? null,
    delta.task ?? null,
    delta.billing_provider ?? null,
    delta.model ?? null,
    delta.input_tokens,
    delta.output_tokens,
    delta.cache_read_tokens,
    delta.cache_write_tokens,
    delta.reasoning_tokens,
    delta.estimated_cost_usd ?? null,
  );
}

/** What was spent in a scope. A session counts with those that it was continued from. */
export function spentIn(db: Connection, scope: SpentScope): CallTotals {
  if (!hasTable(db, modelCalls)) return { calls: 0, tokens: 0, usd: 0 };
  const sums = `count(*) AS calls, COALESCE(sum(${tokens}), 0) AS tokens, COALESCE(sum(cost_usd), 0) AS usd`;
  const row =
    'since' in scope
      ? db.get(`SELECT ${sums} FROM model_calls WHERE at >= ?`, scope.since)
      : 'jobId' in scope
        ? db.get(`SELECT ${sums} FROM model_calls WHERE job_id = ?`, scope.jobId)
        : db.get(
            `WITH RECURSIVE lineage(id, depth) AS (
               SELECT ?1, 0
               UNION SELECT s.parent_session_id, depth + 1 FROM sessions s JOIN lineage ON s.id = lineage.id
               WHERE s.parent_session_id IS NOT NULL AND depth < ${MAX_LINEAGE})
             SELECT ${sums} FROM model_calls WHERE session_id IN (SELECT id FROM lineage)`,
            scope.sessionId,
          );
  if (row === undefined) return { calls: 0, tokens: 0, usd: 0 };
  return { calls: number(row, 'calls'), tokens: number(row, 'tokens'), usd: number(row, 'usd') };
}
