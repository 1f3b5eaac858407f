/** One row for every model request: what the day cost, whoever asked, and what `insights` counts. */
import { MAX_LINEAGE } from '../lineage.ts';
import type { CallTotals, SpentScope, UsageDelta, UsageReport } from '../usage-log.ts';
import { number, numberOrNull, text } from './columns.ts';
import type { Connection } from './connection.ts';
import { ensureTable, hasTable, type OwnTable } from './own-tables.ts';

const modelCalls: OwnTable = {
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

/** Figures by model, by day and by tool since a time, for sessions of a source or of all. */
export function usageReport(db: Connection, options: { since: number; source?: string }): UsageReport {
  const source = options.source ?? null;
  const inSource = '(?2 IS NULL OR session_id IN (SELECT id FROM sessions WHERE source = ?2))';
  const calls = (select: string, rest: string) =>
    hasTable(db, modelCalls)
      ? db.all(`SELECT ${select} FROM model_calls WHERE at >= ?1 AND ${inSource} ${rest}`, options.since, source)
      : [];
  const figures = `count(*) AS calls, sum(input_tokens) AS input, sum(output_tokens) AS output,
    sum(cache_read_tokens) AS cache_read, sum(cache_write_tokens) AS cache_write, sum(cost_usd) AS usd,
    sum(cost_usd IS NULL) AS unpriced`;
  const models = calls(
    `COALESCE(provider, '') AS provider, COALESCE(model, '') AS model, ${figures}`,
    'GROUP BY 1, 2 ORDER BY sum(cost_usd) DESC, calls DESC LIMIT 50',
  );
  const days = calls(
    `strftime('%Y-%m-%d', at, 'unixepoch', 'localtime') AS day, ${figures}`,
    'GROUP BY 1 ORDER BY 1 DESC LIMIT 366',
  );
  const inMessages = `session_id IN (SELECT id FROM sessions WHERE (?2 IS NULL OR source = ?2))`;
  const tools = db.all(
    `SELECT tool_name AS name, count(*) AS uses FROM messages
     WHERE timestamp >= ?1 AND role = 'tool' AND tool_name IS NOT NULL AND ${inMessages}
     GROUP BY 1 ORDER BY 2 DESC LIMIT 20`,
    options.since,
    source,
  );
  const activity = db.get(
    `SELECT count(DISTINCT session_id) AS sessions, sum(role = 'user') AS questions, count(*) AS messages
     FROM messages WHERE timestamp >= ?1 AND ${inMessages}`,
    options.since,
    source,
  );
  const amounts = (row: (typeof models)[number]) => ({
    calls: number(row, 'calls'),
    input: number(row, 'input'),
    output: number(row, 'output'),
    cacheRead: number(row, 'cache_read'),
    cacheWrite: number(row, 'cache_write'),
    usd: numberOrNull(row, 'usd'),
    unpriced: number(row, 'unpriced'),
  });
  return {
    models: models.map((row) => ({ provider: text(row, 'provider'), model: text(row, 'model'), ...amounts(row) })),
    days: days.map((row) => ({ day: text(row, 'day'), ...amounts(row) })),
    tools: tools.map((row) => ({ name: text(row, 'name'), uses: number(row, 'uses') })),
    sessions: activity === undefined ? 0 : number(activity, 'sessions'),
    questions: activity === undefined ? 0 : (numberOrNull(activity, 'questions') ?? 0),
    messages: activity === undefined ? 0 : number(activity, 'messages'),
  };
}
