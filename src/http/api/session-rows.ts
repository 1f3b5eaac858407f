/** Sessions and messages as the API shows them, and what it keeps with a session that a client made. */
import { type JsonObject, isJsonObject, parseJson } from '../../lib/json.ts';
import { type HistoryMessage, isSaid, textOf } from '../../llm/message.ts';
import type { StoredMessage } from '../../sessions/messages.ts';
import type { SessionRow, SessionSummary } from '../../sessions/sessions.ts';

/** In the configuration of the row, so that the agent keeps its own prompt. */
const systemMessageKey = '_api_system_message';

/** For the row of a session whose maker has something to say to the agent. */
export function withSystemMessage(text: string): JsonObject {
  return text === '' ? {} : { [systemMessageKey]: text };
}

export function apiSystemMessage({ model_config: stored }: SessionRow): string {
  const config = stored === null ? undefined : parseJson(stored);
  const text = isJsonObject(config) ? config[systemMessageKey] : undefined;
  return typeof text === 'string' ? text : '';
}

export function sessionObject(row: SessionRow): object {
  return {
    id: row.id,
    source: row.source,
    user_id: row.user_id,
    model: row.model,
    title: row.title,
    started_at: row.started_at,
    ended_at: row.ended_at,
    end_reason: row.end_reason,
    message_count: row.message_count,
    tool_call_count: row.tool_call_count,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cache_read_tokens: row.cache_read_tokens,
    cache_write_tokens: row.cache_write_tokens,
    reasoning_tokens: row.reasoning_tokens,
    estimated_cost_usd: row.estimated_cost_usd,
    actual_cost_usd: row.actual_cost_usd,
    api_call_count: row.api_call_count,
    parent_session_id: row.parent_session_id,
    has_system_prompt: row.system_prompt !== null || apiSystemMessage(row) !== '',
    has_model_config: row.model_config !== null,
  };
}

export function listedSession(summary: SessionSummary): object {
  const { last_active, preview, lineage_root_id } = summary;
  const root = lineage_root_id === undefined ? {} : { _lineage_root_id: lineage_root_id };
  return { ...sessionObject(summary), last_active, preview, ...root };
}

export function messageObject(sessionId: string, { id, timestamp, message }: StoredMessage): object {
  return { id, session_id: sessionId, timestamp, token_count: null, ...fieldsOf(message) };
}

/** What a turn has put into its conversation: answers, calls and results, without what was asked. */
export function turnObjects(history: readonly HistoryMessage[]): readonly object[] {
  const turn = history.slice(history.findLastIndex(isSaid) + 1);
  return turn.filter(({ role }) => role !== 'user').map(fieldsOf);
}

function fieldsOf(message: HistoryMessage): object {
  return {
    role: message.role,
    content: message.content,
    tool_call_id: message.role === 'tool' ? message.tool_call_id : null,
    tool_calls: message.role === 'assistant' ? (message.tool_calls ?? null) : null,
    tool_name: message.role === 'tool' ? (message.tool_name ?? null) : null,
    finish_reason: message.role === 'assistant' ? (message.finish_reason ?? null) : null,
    reasoning: message.role === 'assistant' ? (message.reasoning ?? null) : null,
    reasoning_content: message.role === 'assistant' ? (message.reasoning_content ?? null) : null,
  };
}

/**
 * True when a client that keeps the conversation itself sends just what was said in this one: then its tool calls and
 * results, which no client sees, stay with it. An answer may come back whole or as its last part.
 */
export function tellsTheSame(history: readonly HistoryMessage[], told: readonly HistoryMessage[]): boolean {
  const here = exchanges(history);
  const there = exchanges(told);
  return (
    here.length === there.length &&
    here.every(({ question, answers }, index) => {
      const other = there[index];
      const answer = other?.answers.join('\n\n').trim();
      const mine = [answers.at(-1), answers.join('\n\n')].map((text = '') => text.trim());
      return other?.question === question && answer !== undefined && mine.includes(answer);
    })
  );
}

interface Exchange {
  readonly question: string;
  readonly answers: string[];
}

function exchanges(history: readonly HistoryMessage[]): Exchange[] {
  const found: Exchange[] = [];
  for (const message of history) {
    if (message.role === 'user') {
      const { content } = message;
      found.push({ question: typeof content === 'string' ? content : JSON.stringify(content), answers: [] });
    } else if (message.role === 'assistant' && textOf(message.content) !== '') {
      found.at(-1)?.answers.push(textOf(message.content));
    }
  }
  return found;
}
