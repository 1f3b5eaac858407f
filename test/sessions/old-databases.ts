/** Databases as other versions of the program, and the original, left them, as scripts for SQLite. */

/** As the first release made it: external-content index, no title, no counters of tokens. */
export const version1 = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (1);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT,
  system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
  message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
  FOREIGN KEY (parent_session_id) REFERENCES sessions(id));
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
  role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,
  token_count INTEGER);
CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id);
CREATE TRIGGER messages_ai AFTER INSERT ON messages BEGIN
  INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content); END;
CREATE TRIGGER messages_ad AFTER DELETE ON messages BEGIN
  INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', old.id, old.content); END;
CREATE TRIGGER messages_au AFTER UPDATE ON messages BEGIN
  INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
  INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content); END;
`;
/** A session `s` with a question, a call and its result; for databases of every version. */
export const rows = `
INSERT INTO sessions (id, source, started_at, message_count, tool_call_count) VALUES ('s', 'cli', 1700000000.5, 3, 1);
INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', '请部署服务到生产', 1700000001);
INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES ('s', 'assistant',
  '[{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{\\"command\\": \\"quokka\\"}"}}]', 1700000002);
INSERT INTO messages (session_id, role, content, tool_call_id, tool_name, timestamp) VALUES ('s', 'tool', 'ok', 'c1', 'terminal', 1700000003);
`;
/** Six versions later. */
export const version6 = `${version1}
UPDATE schema_version SET version = 6;
ALTER TABLE messages ADD COLUMN finish_reason TEXT;
ALTER TABLE sessions ADD COLUMN title TEXT;
CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
${'input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens'
  .split(' ')
  .map((name) => `ALTER TABLE sessions ADD COLUMN ${name} INTEGER DEFAULT 0;`)
  .join('\n')}
ALTER TABLE messages ADD COLUMN reasoning TEXT;
ALTER TABLE messages ADD COLUMN reasoning_details TEXT;
ALTER TABLE messages ADD COLUMN codex_reasoning_items TEXT;
`;
const indexed = (row: string): string =>
  `COALESCE(${row}.content, '') || ' ' || COALESCE(${row}.tool_name, '') || ' ' || COALESCE(${row}.tool_calls, '')`;
const triggers = (table: string): string => `
CREATE TRIGGER ${table}_insert AFTER INSERT ON messages BEGIN
  INSERT INTO ${table}(rowid, content) VALUES (new.id, ${indexed('new')}); END;
CREATE TRIGGER ${table}_delete AFTER DELETE ON messages BEGIN DELETE FROM ${table} WHERE rowid = old.id; END;
CREATE TRIGGER ${table}_update AFTER UPDATE ON messages BEGIN DELETE FROM ${table} WHERE rowid = old.id;
  INSERT INTO ${table}(rowid, content) VALUES (new.id, ${indexed('new')}); END;
`;
/** As the original makes it today. */
export const version11 = `${version1.replace(/CREATE VIRTUAL TABLE[\s\S]*/, '')}
UPDATE schema_version SET version = 11;
${'input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens api_call_count'
  .split(' ')
  .map((name) => `ALTER TABLE sessions ADD COLUMN ${name} INTEGER DEFAULT 0;`)
  .join('\n')}
${'billing_provider billing_base_url billing_mode cost_status cost_source pricing_version title'
  .split(' ')
  .map((name) => `ALTER TABLE sessions ADD COLUMN ${name} TEXT;`)
  .join('\n')}
ALTER TABLE sessions ADD COLUMN estimated_cost_usd REAL;
ALTER TABLE sessions ADD COLUMN actual_cost_usd REAL;
${'finish_reason reasoning reasoning_content reasoning_details codex_reasoning_items codex_message_items'
  .split(' ')
  .map((name) => `ALTER TABLE messages ADD COLUMN ${name} TEXT;`)
  .join('\n')}
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE INDEX idx_sessions_source ON sessions(source);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
CREATE VIRTUAL TABLE messages_fts USING fts5(content);
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram');
${triggers('messages_fts')}${triggers('messages_fts_trigram')}
`;
