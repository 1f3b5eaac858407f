/** The table `session_model_usage`: what each model of a session took, for the conversation and for each side task. */
import type { UsageDelta } from '../usage-log.ts';
import type { Connection } from './connection.ts';

const counters = [
  'api_call_count',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'estimated_cost_usd',
] as const;

const add = `INSERT INTO session_model_usage (session_id, model, billing_provider, billing_base_url, billing_mode, task,
    ${counters.join(', ')}, actual_cost_usd, cost_status, cost_source, first_seen, last_seen)
  SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, ?14, ?15, ?16, ?16 FROM sessions WHERE id = ?1
  ON CONFLICT(session_id, model, billing_provider, billing_base_url, billing_mode, task) DO UPDATE SET
    ${counters.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')},
    cost_status = COALESCE(excluded.cost_status, cost_status), cost_source = COALESCE(excluded.cost_source, cost_source),
    last_seen = excluded.last_seen`;

/** Adds to the row of the model and the task. Does nothing while the session is not stored. */
export function addModelUsage(db: Connection, sessionId: string, delta: UsageDelta, now: number): void {
  db.run(
    add,
    sessionId,
    delta.model ?? 'unknown',
    delta.billing_provider ?? '',
    delta.billing_base_url ?? '',
    delta.billing_mode ?? '',
    delta.task ?? '',
    delta.api_calls,
    delta.input_tokens,
    delta.output_tokens,
    delta.cache_read_tokens,
    delta.cache_write_tokens,
    delta.reasoning_tokens,
    delta.estimated_cost_usd ?? 0,
    delta.cost_status ?? null,
    delta.cost_source ?? null,
    now,
  );
}
