/** The tables of `state.db`, version 22, as data: what is created, and what an older database is completed to. */

export const SCHEMA_VERSION = 22;

/** Column name → declaration, in table order. */
export type Columns = Readonly<Record<string, string>>;

const COUNTER = 'INTEGER NOT NULL DEFAULT 0';

/** Tables that every database has. */
export const tables: Readonly<Record<TableName, Columns>> = {
  sessions: {
    id: 'TEXT PRIMARY KEY',
    source: 'TEXT NOT NULL',
    user_id: 'TEXT',
    session_key: 'TEXT',
    chat_id: 'TEXT',
    chat_type: 'TEXT',
    thread_id: 'TEXT',
    display_name: 'TEXT',
    origin_json: 'TEXT',
    expiry_finalized: 'INTEGER DEFAULT 0',
    model: 'TEXT',
    model_config: 'TEXT',
    system_prompt: 'TEXT',
    parent_session_id: 'TEXT REFERENCES sessions(id)',
    started_at: 'REAL NOT NULL',
    ended_at: 'REAL',
    end_reason: 'TEXT',
    message_count: 'INTEGER DEFAULT 0',
    tool_call_count: 'INTEGER DEFAULT 0',
    input_tokens: 'INTEGER DEFAULT 0',
    output_tokens: 'INTEGER DEFAULT 0',
    cache_read_tokens: 'INTEGER DEFAULT 0',
    cache_write_tokens: 'INTEGER DEFAULT 0',
    reasoning_tokens: 'INTEGER DEFAULT 0',
    cwd: 'TEXT',
    git_branch: 'TEXT',
    git_repo_root: 'TEXT',
    billing_provider: 'TEXT',
    billing_base_url: 'TEXT',
    billing_mode: 'TEXT',
    estimated_cost_usd: 'REAL',
    actual_cost_usd: 'REAL',
    cost_status: 'TEXT',
    cost_source: 'TEXT',
    pricing_version: 'TEXT',
    title: 'TEXT',
    api_call_count: 'INTEGER DEFAULT 0',
    handoff_state: 'TEXT',
    handoff_platform: 'TEXT',
    handoff_error: 'TEXT',
    compression_failure_cooldown_until: 'REAL',
    compression_failure_error: 'TEXT',
    compression_fallback_streak: COUNTER,
    profile_name: 'TEXT',
    rewind_count: COUNTER,
    archived: COUNTER,
  },
  messages: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    session_id: 'TEXT NOT NULL REFERENCES sessions(id)',
    role: 'TEXT NOT NULL',
    content: 'TEXT',
    tool_call_id: 'TEXT',
    tool_calls: 'TEXT',
    tool_name: 'TEXT',
    effect_disposition: 'TEXT',
    timestamp: 'REAL NOT NULL',
    token_count: 'INTEGER',
    finish_reason: 'TEXT',
    reasoning: 'TEXT',
    reasoning_content: 'TEXT',
    reasoning_details: 'TEXT',
    codex_reasoning_items: 'TEXT',
    codex_message_items: 'TEXT',
    platform_message_id: 'TEXT',
    observed: 'INTEGER DEFAULT 0',
    active: 'INTEGER NOT NULL DEFAULT 1',
    compacted: COUNTER,
    api_content: 'TEXT',
  },
  session_model_usage: {
    session_id: 'TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE',
    model: 'TEXT NOT NULL',
    billing_provider: "TEXT NOT NULL DEFAULT ''",
    billing_base_url: "TEXT NOT NULL DEFAULT ''",
    billing_mode: "TEXT NOT NULL DEFAULT ''",
    task: "TEXT NOT NULL DEFAULT ''",
    api_call_count: COUNTER,
    input_tokens: COUNTER,
    output_tokens: COUNTER,
    cache_read_tokens: COUNTER,
    cache_write_tokens: COUNTER,
    reasoning_tokens: COUNTER,
    estimated_cost_usd: 'REAL NOT NULL DEFAULT 0',
    actual_cost_usd: 'REAL NOT NULL DEFAULT 0',
    cost_status: 'TEXT',
    cost_source: 'TEXT',
    first_seen: 'REAL',
    last_seen: 'REAL',
  },
  state_meta: { key: 'TEXT PRIMARY KEY', value: 'TEXT' },
  gateway_routing: {
    scope: "TEXT NOT NULL DEFAULT ''",
    session_key: 'TEXT NOT NULL',
    entry_json: 'TEXT NOT NULL',
    updated_at: 'REAL NOT NULL',
  },
  compression_locks: {
    session_id: 'TEXT PRIMARY KEY',
    holder: 'TEXT NOT NULL',
    acquired_at: 'REAL NOT NULL',
    expires_at: 'REAL NOT NULL',
  },
  async_delegations: {
    delegation_id: 'TEXT PRIMARY KEY',
    origin_session: 'TEXT NOT NULL',
    origin_ui_session_id: "TEXT NOT NULL DEFAULT ''",
    parent_session_id: 'TEXT',
    state: 'TEXT NOT NULL',
    dispatched_at: 'REAL NOT NULL',
    completed_at: 'REAL',
    updated_at: 'REAL NOT NULL',
    event_json: 'TEXT',
    result_json: 'TEXT',
    delivery_state: "TEXT NOT NULL DEFAULT 'pending'",
    delivery_attempts: COUNTER,
    delivered_at: 'REAL',
    owner_pid: 'INTEGER',
    owner_started_at: 'INTEGER',
    task_json: 'TEXT',
    delivery_claim: 'TEXT',
    delivery_claimed_at: 'REAL',
  },
};

export type TableName =
  | 'sessions'
  | 'messages'
  | 'session_model_usage'
  | 'state_meta'
  | 'gateway_routing'
  | 'compression_locks'
  | 'async_delegations';

/** Primary keys of more than one column. */
export const primaryKeys: Readonly<Partial<Record<string, readonly string[]>>> = {
  session_model_usage: ['session_id', 'model', 'billing_provider', 'billing_base_url', 'billing_mode', 'task'],
  gateway_routing: ['scope', 'session_key'],
  telegram_dm_topic_bindings: ['chat_id', 'thread_id'],
};

/**
 * Columns of ours that neither the original nor its newer versions have. They are null in every row of theirs, and
 * programs that name the columns they write take no notice of them.
 */
export const additions: Readonly<Record<string, Columns>> = {
  sessions: { provenance: 'TEXT' },
  messages: { provenance: 'TEXT' },
};

/** Index name → what `CREATE INDEX` says after the name. */
export const indexes: Readonly<Record<string, string>> = {
  idx_sessions_source: 'sessions(source)',
  idx_sessions_source_id: 'sessions(source, id)',
  idx_sessions_parent: 'sessions(parent_session_id)',
  idx_sessions_started: 'sessions(started_at DESC)',
  idx_sessions_session_key: 'sessions(session_key, started_at DESC)',
  idx_sessions_gateway_peer: 'sessions(source, user_id, chat_id, chat_type, thread_id, started_at DESC)',
  idx_sessions_handoff_state: 'sessions(handoff_state, started_at)',
  idx_messages_session: 'messages(session_id, timestamp)',
  idx_messages_session_active: 'messages(session_id, active, timestamp)',
  idx_messages_active_null: 'messages(active) WHERE active IS NULL',
  idx_messages_platform_msg_id: 'messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL',
  idx_session_model_usage_session: 'session_model_usage(session_id)',
  idx_session_model_usage_model: 'session_model_usage(model)',
  idx_compression_locks_expires: 'compression_locks(expires_at)',
  idx_async_delegations_delivery: 'async_delegations(delivery_state, completed_at)',
};

/** Made last, when no title stands twice any more. */
export const TITLE_INDEX = 'idx_sessions_title_unique';
export const createTitleIndex = `CREATE UNIQUE INDEX IF NOT EXISTS ${TITLE_INDEX} ON sessions(title) WHERE title IS NOT NULL`;

/** The statement that creates a table with all its columns. */
export function createTable(name: string, columns: Columns): string {
  const lines = Object.entries(columns).map(([column, declaration]) => `  ${column} ${declaration}`);
  const key = primaryKeys[name];
  if (key !== undefined) lines.push(`  PRIMARY KEY (${key.join(', ')})`);
  return `CREATE TABLE IF NOT EXISTS ${name} (\n${lines.join(',\n')}\n)`;
}

/** True when a column can be added to a table that has rows. */
export function canBeAdded(declaration: string): boolean {
  return !declaration.includes('PRIMARY KEY') && (!declaration.includes('NOT NULL') || declaration.includes('DEFAULT'));
}
