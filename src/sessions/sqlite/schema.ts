/** The tables of `state.db`, version 11, as data: what is created, and what an older database is completed to. */

export const SCHEMA_VERSION = 11;

/** Column name → declaration, in table order. */
export type Columns = Readonly<Record<string, string>>;

export const tables: Readonly<Record<'sessions' | 'messages' | 'state_meta', Columns>> = {
  sessions: {
    id: 'TEXT PRIMARY KEY',
    source: 'TEXT NOT NULL',
    user_id: 'TEXT',
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
  },
  messages: {
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    session_id: 'TEXT NOT NULL REFERENCES sessions(id)',
    role: 'TEXT NOT NULL',
    content: 'TEXT',
    tool_call_id: 'TEXT',
    tool_calls: 'TEXT',
    tool_name: 'TEXT',
    timestamp: 'REAL NOT NULL',
    token_count: 'INTEGER',
    finish_reason: 'TEXT',
    reasoning: 'TEXT',
    reasoning_content: 'TEXT',
    reasoning_details: 'TEXT',
    codex_reasoning_items: 'TEXT',
    codex_message_items: 'TEXT',
  },
  state_meta: { key: 'TEXT PRIMARY KEY', value: 'TEXT' },
};

/**
 * Columns of ours that neither the original nor its newer versions have. They are null in every row of theirs, and
 * programs that name the columns they write take no notice of them.
 */
export const additions: Readonly<Record<string, Columns>> = {
  sessions: { provenance: 'TEXT' },
  messages: { provenance: 'TEXT' },
};

/** Index name → what `CREATE INDEX` says after `IF NOT EXISTS`. */
export const indexes: Readonly<Record<string, string>> = {
  idx_sessions_source: 'INDEX IF NOT EXISTS idx_sessions_source ON sessions(source)',
  idx_sessions_parent: 'INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id)',
  idx_sessions_started: 'INDEX IF NOT EXISTS idx_sessions_started ON sessions(started_at DESC)',
  idx_sessions_title_unique:
    'UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL',
  idx_messages_session: 'INDEX IF NOT EXISTS idx_messages_session ON messages(session_id, timestamp)',
};

/** The statement that creates a table with all its columns. */
export function createTable(name: string, columns: Columns): string {
  const lines = Object.entries(columns).map(([column, declaration]) => `  ${column} ${declaration}`);
  return `CREATE TABLE IF NOT EXISTS ${name} (\n${lines.join(',\n')}\n)`;
}
