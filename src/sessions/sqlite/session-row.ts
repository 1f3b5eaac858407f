/** Rows of `sessions`: reading them, and the statements that change one. */
import type { NewSession, SessionRow } from '../sessions.ts';
import type { UsageDelta } from '../usage-log.ts';
import { wellFormed, wellFormedJson } from '../well-formed.ts';
import { deleteApprovals } from './approvals.ts';
import { number, numberOrNull, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { deleteSent } from './outbox.ts';
import { deleteRoute } from './routing-scope.ts';
import { bindTopic, freeSession } from './topic-tables.ts';

/** Ended so by mistakes of older versions; such a session of a chat goes on. */
export const goesOn = "(ended_at IS NULL OR end_reason IN ('agent_close', 'ws_orphan_reap'))";

/** The row under its column names; columns this build does not know are left out. */
export function readSession(row: Row): SessionRow {
  return {
    id: text(row, 'id'),
    source: text(row, 'source'),
    user_id: textOrNull(row, 'user_id'),
    model: textOrNull(row, 'model'),
    model_config: textOrNull(row, 'model_config'),
    system_prompt: textOrNull(row, 'system_prompt'),
    parent_session_id: textOrNull(row, 'parent_session_id'),
    started_at: number(row, 'started_at'),
    ended_at: numberOrNull(row, 'ended_at'),
    end_reason: textOrNull(row, 'end_reason'),
    message_count: number(row, 'message_count'),
    tool_call_count: number(row, 'tool_call_count'),
    input_tokens: number(row, 'input_tokens'),
    output_tokens: number(row, 'output_tokens'),
    cache_read_tokens: number(row, 'cache_read_tokens'),
    cache_write_tokens: number(row, 'cache_write_tokens'),
    reasoning_tokens: number(row, 'reasoning_tokens'),
    billing_provider: textOrNull(row, 'billing_provider'),
    billing_base_url: textOrNull(row, 'billing_base_url'),
    billing_mode: textOrNull(row, 'billing_mode'),
    estimated_cost_usd: numberOrNull(row, 'estimated_cost_usd'),
    actual_cost_usd: numberOrNull(row, 'actual_cost_usd'),
    cost_status: textOrNull(row, 'cost_status'),
    cost_source: textOrNull(row, 'cost_source'),
    pricing_version: textOrNull(row, 'pricing_version'),
    title: textOrNull(row, 'title'),
    api_call_count: number(row, 'api_call_count'),
    cwd: textOrNull(row, 'cwd'),
    git_branch: textOrNull(row, 'git_branch'),
    git_repo_root: textOrNull(row, 'git_repo_root'),
    rewind_count: number(row, 'rewind_count'),
    archived: number(row, 'archived') !== 0,
  };
}

export function findSession(db: Connection, id: string): SessionRow | undefined {
  const row = db.get('SELECT * FROM sessions WHERE id = ?', id);
  return row && readSession(row);
}

/**
 * Creates the row and returns true; of one that exists only empty columns are filled. A parent that was deleted meanwhile
 * is left out rather than losing the child.
 */
export function insertSession(db: Connection, session: NewSession, now: number): boolean {
  const { changes } = db.run(
    `INSERT OR IGNORE INTO sessions
       (id, source, user_id, session_key, chat_id, chat_type, thread_id, display_name, origin_json, profile_name,
        model, model_config, system_prompt, parent_session_id, cwd, git_branch, git_repo_root, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM sessions WHERE id = ?), ?, ?, ?, ?)`,
    session.id,
    session.source,
    session.userId ?? null,
    ...chatColumns(session),
    ...fillable(session),
    now,
  );
  if (changes === 0) fillSession(db, session);
  bindNew(db, session, now);
  return changes > 0;
}

/** A topic of a private chat may have had this session since before it was stored. */
function bindNew(db: Connection, { id: sessionId, source, userId, chat }: NewSession, now: number): void {
  if (chat === undefined || source !== 'telegram' || chat.chatType !== 'dm') return;
  const { sessionKey, chatId, threadId } = chat;
  if (threadId !== null && userId !== undefined)
    bindTopic(db, { chatId, threadId, userId, sessionKey, sessionId }, now);
}

/** A row with its prompt is long, and is written anew whatever changes in it: one that has everything is left alone. */
const fillEmpty = `UPDATE sessions SET model = COALESCE(model, ?1), model_config = COALESCE(model_config, ?2),
    system_prompt = COALESCE(system_prompt, ?3),
    parent_session_id = COALESCE(parent_session_id, (SELECT id FROM sessions WHERE id = ?4)),
    cwd = COALESCE(cwd, ?5), git_branch = COALESCE(git_branch, ?6), git_repo_root = COALESCE(git_repo_root, ?7)
  WHERE id = ?8 AND (${[
    'model',
    'model_config',
    'system_prompt',
    'parent_session_id',
    'cwd',
    'git_branch',
    'git_repo_root',
  ]
    .map((column, at) => `(${column} IS NULL AND ?${at + 1} IS NOT NULL)`)
    .join(' OR ')})`;

/** Whose it is belongs to what is begun in a chat: a title may have been stored before the first message. */
const fillChat = `UPDATE sessions SET user_id = COALESCE(user_id, ?), session_key = ?, chat_id = ?, chat_type = ?,
    thread_id = ?, display_name = ?, origin_json = ?, profile_name = ?
  WHERE id = ? AND session_key IS NULL AND chat_id IS NULL AND parent_session_id IS NULL`;

function fillSession(db: Connection, session: NewSession): void {
  db.run(fillEmpty, ...fillable(session), session.id);
  if (session.chat !== undefined) db.run(fillChat, session.userId ?? null, ...chatColumns(session), session.id);
}

function chatColumns({ chat }: NewSession): (string | null)[] {
  if (chat === undefined) return [null, null, null, null, null, null, null];
  const { sessionKey, chatId, chatType, threadId, displayName, origin, profile = null } = chat;
  return [sessionKey, chatId, chatType, threadId, displayName, origin, profile].map((value) =>
    value === null ? null : wellFormed(value),
  );
}

function fillable(session: NewSession): (string | null)[] {
  const { model, modelConfig, systemPrompt, parentSessionId, workspace } = session;
  return [
    model ?? null,
    modelConfig === undefined ? null : wellFormedJson(modelConfig),
    systemPrompt === undefined ? null : wellFormed(systemPrompt),
    parentSessionId ?? null,
    workspace?.cwd ?? null,
    workspace?.gitBranch ?? null,
    workspace?.gitRepoRoot ?? null,
  ];
}

/**
 * Adds to the counters. Model and billing keep the value of the first request that was answered, cost status and source
 * take the newest.
 */
export function addUsage(db: Connection, id: string, delta: UsageDelta): void {
  db.run(
    countUsage,
    delta.input_tokens,
    delta.output_tokens,
    delta.cache_read_tokens,
    delta.cache_write_tokens,
    delta.reasoning_tokens,
    delta.api_calls,
    delta.estimated_cost_usd ?? null,
    delta.model ?? null,
    delta.billing_provider ?? null,
    delta.billing_base_url ?? null,
    delta.billing_mode ?? null,
    delta.cost_status ?? null,
    delta.cost_source ?? null,
    id,
  );
}

/** The row was made with what was to be asked; a fallback may have answered the first request instead. */
const isFirstAnswer = 'COALESCE(api_call_count, 0) = 0 AND ?8 IS NOT NULL AND ?9 IS NOT NULL';
const countUsage = `UPDATE sessions SET
    input_tokens = COALESCE(input_tokens, 0) + ?1,
    output_tokens = COALESCE(output_tokens, 0) + ?2,
    cache_read_tokens = COALESCE(cache_read_tokens, 0) + ?3,
    cache_write_tokens = COALESCE(cache_write_tokens, 0) + ?4,
    reasoning_tokens = COALESCE(reasoning_tokens, 0) + ?5,
    api_call_count = COALESCE(api_call_count, 0) + ?6,
    estimated_cost_usd = CASE WHEN ?7 IS NULL THEN estimated_cost_usd ELSE COALESCE(estimated_cost_usd, 0) + ?7 END,
    ${['model', 'billing_provider', 'billing_base_url', 'billing_mode']
      .map(
        (column, at) =>
          `${column} = CASE WHEN ${isFirstAnswer} THEN ?${at + 8} ELSE COALESCE(${column}, ?${at + 8}) END`,
      )
      .join(', ')},
    cost_status = COALESCE(?12, cost_status),
    cost_source = COALESCE(?13, cost_source)
  WHERE id = ?14`;

export function setSystemPrompt(db: Connection, id: string, prompt: string): void {
  db.run('UPDATE sessions SET system_prompt = ?1 WHERE id = ?2 AND system_prompt IS NOT ?1', wellFormed(prompt), id);
}

/** The first reason stays until the session is reopened: a compressed session closed once more is still compressed. */
export function endSession(db: Connection, id: string, reason: string, now: number): void {
  db.run('UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL', now, reason, id);
}

export function reopenSession(db: Connection, id: string): void {
  db.run('UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?', id);
}

/**
 * Removes a session with its messages and the runs of its sub-agents; other children stay, without a parent. Returns the
 * ids that are gone, none when there was no such session.
 */
export function deleteSession(db: Connection, id: string): string[] {
  const runs = db.all(
    `WITH RECURSIVE gone(id) AS (
       SELECT id FROM sessions WHERE id = ?
       UNION SELECT s.id FROM sessions s JOIN gone
         ON instr(s.model_config, '"_delegate_from"') > 0 AND ${delegateOf('s')} = gone.id)
     SELECT id FROM gone`,
    id,
  );
  const ids = runs.map((row) => text(row, 'id'));
  for (const one of ids) {
    const key = textOrNull(db.get('SELECT session_key FROM sessions WHERE id = ?', one) ?? {}, 'session_key');
    db.run('UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?', one);
    db.run('DELETE FROM messages WHERE session_id = ?', one);
    deleteApprovals(db, one);
    freeSession(db, one);
    if (key !== null) {
      deleteRoute(db, key, one);
      deleteSent(db, key);
    }
  }
  for (const one of ids) db.run('DELETE FROM sessions WHERE id = ?', one);
  return ids;
}

/** SQL for the session that a sub-agent's run was made by; null for every other session. */
function delegateOf(row: string): string {
  return `CASE WHEN json_valid(${row}.model_config) THEN json_extract(${row}.model_config, '$._delegate_from') END`;
}
