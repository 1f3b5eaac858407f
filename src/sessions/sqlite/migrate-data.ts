/** What an upgrade does to rows: the steps that give old sessions what newer columns and tables say of them. */
import type { Connection } from './connection.ts';
import { createTable, primaryKeys, tables } from './schema.ts';
import type { RoutingEntry } from './routing-mirror.ts';
import { text } from './columns.ts';

/** Runs the steps that a database of `version` has not had. Call it inside the write that raises the version. */
export function migrateData(db: Connection, version: number, routing: readonly RoutingEntry[]): void {
  if (version < 16) markSubAgentRuns(db);
  if (version < 18) fillRouting(db, routing);
  // Before the totals are copied: the table of a version between has another key.
  rebuildUsage(db);
  if (version < 20) bookTotals(db);
}

/** Rows that an older build of the original left without the mark of a live message. */
export function healActive(db: Connection): void {
  db.run('UPDATE messages SET active = 1 WHERE active IS NULL');
}

/** The newest session keeps a title that stands twice. */
export function dropRepeatedTitles(db: Connection): void {
  db.run(
    `UPDATE sessions SET title = NULL WHERE title IS NOT NULL AND EXISTS (
       SELECT 1 FROM sessions o WHERE o.title = sessions.title
         AND (o.started_at, o.rowid) > (sessions.started_at, sessions.rowid))`,
  );
}

const config =
  "CASE WHEN json_valid(model_config) AND json_type(model_config) = 'object' THEN model_config ELSE '{}' END";
const unmarked = `json_extract(${config}, '$._delegate_from') IS NULL AND json_extract(${config}, '$._branched_from') IS NULL`;
/** Every message of ours says what it is: the conversation is a person's own, whatever it looks like. */
const notOurs = `NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id AND m.provenance IS NOT NULL)`;

/** Version 16: sub-agent runs are told from conversations, which lists show. */
function markSubAgentRuns(db: Connection): void {
  const goesOn = `EXISTS (SELECT 1 FROM sessions p WHERE p.id = sessions.parent_session_id
    AND (p.end_reason = 'compression' OR (p.end_reason = 'branched' AND sessions.started_at >= p.ended_at)))`;
  db.run(
    `UPDATE sessions SET model_config = json_set(${config}, '$._branched_from', parent_session_id)
     WHERE parent_session_id IS NOT NULL AND ${unmarked} AND source NOT IN ('subagent', 'tool') AND EXISTS (
       SELECT 1 FROM sessions p WHERE p.id = sessions.parent_session_id
         AND p.end_reason = 'branched' AND sessions.started_at >= p.ended_at)`,
  );
  db.run(
    `UPDATE sessions SET model_config = json_set(${config}, '$._delegate_from', parent_session_id)
     WHERE parent_session_id IS NOT NULL AND ${unmarked} AND NOT ${goesOn}
       AND (source IN ('subagent', 'tool') OR ${notOurs})`,
  );
  db.run(
    `UPDATE sessions SET model_config = json_set(${config}, '$._delegate_from', '__orphaned__')
     WHERE parent_session_id IS NULL AND title IS NULL AND ${unmarked} AND ${notOurs}
       AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = sessions.id)
       AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id AND m.role = 'tool')
       AND (SELECT count(*) FROM messages m WHERE m.session_id = sessions.id) <= 25`,
  );
}

/** Version 18: which chat a session belongs to, as the routing index said it. */
function fillRouting(db: Connection, routing: readonly RoutingEntry[]): void {
  for (const entry of routing) {
    db.run(
      `UPDATE sessions SET session_key = COALESCE(session_key, ?), chat_id = COALESCE(chat_id, ?),
         chat_type = COALESCE(chat_type, ?), thread_id = COALESCE(thread_id, ?),
         display_name = COALESCE(display_name, ?), origin_json = COALESCE(origin_json, ?),
         expiry_finalized = max(COALESCE(expiry_finalized, 0), ?) WHERE id = ?`,
      entry.sessionKey,
      entry.chatId,
      entry.chatType,
      entry.threadId,
      entry.displayName,
      entry.origin,
      entry.expiryFinalized ? 1 : 0,
      entry.sessionId,
    );
  }
}

/** Version 22: the task is part of the key of `session_model_usage`. */
function rebuildUsage(db: Connection): void {
  const name = 'session_model_usage';
  const live = db.all('SELECT name, pk FROM pragma_table_info(?)', name);
  if (live.some((row) => text(row, 'name') === 'task' && Number(row['pk']) > 0)) return;
  const kept = Object.keys(tables[name]).filter((column) => live.some((row) => text(row, 'name') === column));
  const old = `${name}_before_tasks`;
  db.exec(`ALTER TABLE ${name} RENAME TO ${old}`);
  db.exec(createTable(name, tables[name]));
  const columns = kept.join(', ');
  if (primaryKeys[name]?.every((column) => column === 'task' || kept.includes(column)) === true) {
    db.exec(`INSERT OR IGNORE INTO ${name} (${columns}) SELECT ${columns} FROM ${old}`);
  }
  db.exec(`DROP TABLE ${old}`);
}

/** Version 20: what a session cost before requests were booked by model. */
function bookTotals(db: Connection): void {
  const sums = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'].map((kind) => `${kind}_tokens`);
  const values = sums.map((column) => `COALESCE(${column}, 0)`);
  db.run(
    `INSERT OR IGNORE INTO session_model_usage (session_id, model, billing_provider, billing_base_url, billing_mode,
       task, api_call_count, ${sums.join(', ')}, estimated_cost_usd, actual_cost_usd, cost_status, cost_source,
       first_seen, last_seen)
     SELECT id, COALESCE(model, 'unknown'), COALESCE(billing_provider, ''), COALESCE(billing_base_url, ''),
       COALESCE(billing_mode, ''), '', COALESCE(api_call_count, 0), ${values.join(', ')},
       COALESCE(estimated_cost_usd, 0), COALESCE(actual_cost_usd, 0), cost_status, cost_source,
       started_at, COALESCE(ended_at, started_at)
     FROM sessions WHERE ${values.join(' + ')} > 0`,
  );
}
