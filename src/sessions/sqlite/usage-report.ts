/** What `insights` counts: requests of this program one by one, and those of the original as it summed them up. */
import type { UsageAmounts, UsageReport } from '../usage-log.ts';
import { number, numberOrNull, text } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { modelCalls } from './model-calls.ts';
import { hasTable } from './own-tables.ts';
import { activityReport } from './activity-report.ts';

const MAX_MODELS = 50;
const MAX_DAYS = 366;

interface Scope {
  /** Unix seconds. */
  readonly since: number;
  readonly source?: string;
}

/** Figures by model, by day and by tool since a time, for sessions of a source or of all. */
export function usageReport(db: Connection, scope: Scope): UsageReport {
  const rows = [...ownCalls(db, scope), ...foreignUsage(db, scope)];
  const models = grouped(rows, (row) => JSON.stringify([text(row, 'provider'), text(row, 'model')]));
  const days = grouped(rows, (row) => text(row, 'day'));
  return {
    models: models
      .map(([[first], amounts]) => ({ provider: text(first, 'provider'), model: text(first, 'model'), ...amounts }))
      .sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || b.calls - a.calls)
      .slice(0, MAX_MODELS),
    days: days
      .map(([[first], amounts]) => ({ day: text(first, 'day'), ...amounts }))
      .sort((a, b) => (a.day < b.day ? 1 : -1))
      .slice(0, MAX_DAYS),
    ...activityReport(db, scope),
  };
}

const inSource = '(?2 IS NULL OR session_id IN (SELECT id FROM sessions WHERE source = ?2))';
const tokens = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'];

function ownCalls(db: Connection, { since, source }: Scope): Row[] {
  if (!hasTable(db, modelCalls)) return [];
  return db.all(
    `SELECT strftime('%Y-%m-%d', at, 'unixepoch', 'localtime') AS day, COALESCE(provider, '') AS provider,
       COALESCE(model, '') AS model, count(*) AS calls, ${tokens.map((column) => `sum(${column}) AS ${column}`).join(', ')},
       sum(cost_usd) AS usd, sum(cost_usd IS NULL) AS unpriced
     FROM model_calls WHERE at >= ?1 AND ${inSource} GROUP BY 1, 2, 3`,
    since,
    source ?? null,
  );
}

/**
 * What is booked for a session beyond our own requests, on the day it was last added to: the original writes no list of
 * requests.
 */
function foreignUsage(db: Connection, { since, source }: Scope): Row[] {
  const own = hasTable(db, modelCalls)
    ? `SELECT session_id, COALESCE(task, '') AS task, COALESCE(provider, '') AS provider, COALESCE(model, 'unknown') AS model,
         count(*) AS calls, ${tokens.map((column) => `sum(${column}) AS ${column}`).join(', ')}, sum(cost_usd) AS usd
       FROM model_calls GROUP BY 1, 2, 3, 4`
    : `SELECT '' AS session_id, '' AS task, '' AS provider, '' AS model, 0 AS calls,
         ${tokens.map((column) => `0 AS ${column}`).join(', ')}, 0 AS usd WHERE 0`;
  const beyond = (column: string, mine = column): string => `max(0, u.${column} - COALESCE(o.${mine}, 0)) AS ${mine}`;
  return db.all(
    `WITH own AS (${own}), booked AS (SELECT session_id, task, sum(api_call_count) AS calls FROM session_model_usage GROUP BY 1, 2)
     SELECT strftime('%Y-%m-%d', u.last_seen, 'unixepoch', 'localtime') AS day, u.billing_provider AS provider, u.model,
       ${beyond('api_call_count', 'calls')}, ${tokens.map((column) => beyond(column)).join(', ')},
       CASE WHEN u.estimated_cost_usd > 0 OR u.cost_status = 'included' THEN max(0, u.estimated_cost_usd - COALESCE(o.usd, 0)) END AS usd,
       CASE WHEN u.estimated_cost_usd > 0 OR u.cost_status = 'included' THEN 0
         ELSE max(0, u.api_call_count - COALESCE(o.calls, 0)) END AS unpriced
     FROM session_model_usage u JOIN booked b ON b.session_id = u.session_id AND b.task = u.task
       LEFT JOIN own o ON o.session_id = u.session_id AND o.task = u.task AND o.model = u.model
         AND o.provider = u.billing_provider
     WHERE u.last_seen >= ?1 AND (?2 IS NULL OR u.session_id IN (SELECT id FROM sessions WHERE source = ?2))
       AND u.api_call_count > COALESCE(o.calls, 0)
       AND b.calls > (SELECT COALESCE(sum(calls), 0) FROM own WHERE own.session_id = u.session_id AND own.task = u.task)`,
    since,
    source ?? null,
  );
}

function grouped(rows: readonly Row[], key: (row: Row) => string): [readonly [Row, ...Row[]], UsageAmounts][] {
  return [...Map.groupBy(rows, key).values()].flatMap((group) => {
    const [first, ...rest] = group;
    return first === undefined ? [] : [[[first, ...rest], sumOf(group)]];
  });
}

function sumOf(rows: readonly Row[]): UsageAmounts {
  const sum = (column: string): number => rows.reduce((total, row) => total + number(row, column), 0);
  return {
    calls: sum('calls'),
    input: sum('input_tokens'),
    output: sum('output_tokens'),
    cacheRead: sum('cache_read_tokens'),
    cacheWrite: sum('cache_write_tokens'),
    usd: rows.every((row) => numberOrNull(row, 'usd') === null) ? null : sum('usd'),
    unpriced: sum('unpriced'),
  };
}
