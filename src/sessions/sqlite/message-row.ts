/** Messages as rows of `messages`, and back. */
import { isJsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import {
  type AssistantMessage,
  type HistoryMessage,
  textOf,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
} from '../../llm/message.ts';
import { decodeContent, encodeContent } from '../content.ts';
import { encodeProvenance, withProvenance } from '../provenance.ts';
import { wellFormed, wellFormedJson } from '../well-formed.ts';
import { number, text, textOrNull } from './columns.ts';
import type { Row } from './connection.ts';

/** Columns that hold JSON. */
export const jsonColumns = [
  'tool_calls',
  'reasoning_details',
  'codex_reasoning_items',
  'codex_message_items',
  'provenance',
] as const;

/** The columns that a message fills; the rest (id, session, time) belong to its place. */
export const messageColumns = [
  'role',
  'content',
  'tool_call_id',
  'tool_calls',
  'tool_name',
  'finish_reason',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'codex_reasoning_items',
  'codex_message_items',
  'effect_disposition',
  'platform_message_id',
  'observed',
  'api_content',
  'provenance',
] as const;

type Columns = Partial<Record<(typeof messageColumns)[number], string | number | null>>;

/** Values in the order of `messageColumns`. */
export function messageValues(message: HistoryMessage): (string | number | null)[] {
  const columns: Columns = {
    role: message.role,
    // Some databases lack the default of this column.
    observed: 0,
    content: encodeContent(message.content),
    provenance: encodeProvenance(message),
    ...(message.role === 'tool' && {
      tool_call_id: wellFormed(message.tool_call_id),
      tool_name: plain(message.tool_name),
      effect_disposition: message.kind === 'unknown' ? 'unknown' : (message.effect ?? null),
    }),
    ...(message.role === 'user' && {
      platform_message_id: plain(message.platformMessageId),
      observed: message.observed === true ? 1 : 0,
      api_content: plain(message.sent),
    }),
    ...(message.role === 'assistant' && assistantColumns(message)),
  };
  return messageColumns.map((column) => columns[column] ?? null);
}

/** Number of tool calls of a message, for the session's counter. */
export function toolCallCount(message: HistoryMessage): number {
  return message.role === 'assistant' ? (message.tool_calls?.length ?? 0) : 0;
}

/** The message of a row; undefined for roles that are not part of a history (`system`, `session_meta`). */
export function readMessage(row: Row): HistoryMessage | undefined {
  const message = readColumns(row);
  return message && withProvenance(message, textOrNull(row, 'provenance'));
}

function readColumns(row: Row): HistoryMessage | undefined {
  const role = text(row, 'role');
  const stored = textOrNull(row, 'content');
  if (role === 'user') return readUser(row, stored);
  if (role === 'assistant') return readAssistant(row, stored);
  if (role !== 'tool') return undefined;
  const name = textOrNull(row, 'tool_name');
  return {
    role,
    tool_call_id: text(row, 'tool_call_id'),
    ...(name !== null && { tool_name: name }),
    content: decodeContent(stored ?? ''),
    ...effectOf(row),
  };
}

function readUser(row: Row, stored: string | null): UserMessage {
  const content = decodeContent(stored ?? '');
  const sent = textOrNull(row, 'api_content') ?? '';
  const platformMessageId = textOrNull(row, 'platform_message_id');
  return {
    role: 'user',
    content,
    ...(typeof content === 'string' && sent !== '' && { sent }),
    ...(platformMessageId !== null && { platformMessageId }),
    ...(number(row, 'observed') !== 0 && { observed: true as const }),
  };
}

/** What the original wrote counts; our own rows say beside it what they are. */
function effectOf(row: Row): Pick<ToolMessage, 'effect' | 'kind'> {
  const effect = textOrNull(row, 'effect_disposition');
  if (effect === 'none') return { effect };
  return effect === 'unknown' && textOrNull(row, 'provenance') === null ? { kind: 'unknown' } : {};
}

/** The tool calls of a `tool_calls` column; what is not a call is left out. */
function readToolCalls(stored: string | null): ToolCall[] {
  const list = stored === null ? undefined : parseJson(stored);
  return Array.isArray(list) ? list.flatMap((item) => readToolCall(item) ?? []) : [];
}

function assistantColumns(message: AssistantMessage): Columns {
  return {
    tool_calls: message.tool_calls?.length ? wellFormedJson(message.tool_calls) : null,
    finish_reason: plain(message.finish_reason),
    reasoning: plain(message.reasoning),
    reasoning_content: plain(message.reasoning_content),
    reasoning_details: json(message.reasoning_details),
    codex_reasoning_items: json(message.codex_reasoning_items),
    codex_message_items: json(message.codex_message_items),
  };
}

function plain(value: string | undefined): string | null {
  return value === undefined ? null : wellFormed(value);
}

function json(value: JsonValue | undefined): string | null {
  return value === undefined ? null : wellFormedJson(value);
}

function readAssistant(row: Row, stored: string | null): AssistantMessage {
  const calls = readToolCalls(textOrNull(row, 'tool_calls'));
  return {
    role: 'assistant',
    content: stored === null ? null : textOf(decodeContent(stored)),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...textField(row, 'reasoning'),
    ...textField(row, 'reasoning_content'),
    ...jsonField(row, 'reasoning_details'),
    ...jsonField(row, 'codex_reasoning_items'),
    ...jsonField(row, 'codex_message_items'),
    ...textField(row, 'finish_reason'),
  };
}

function textField<Name extends string>(row: Row, name: Name): { [key in Name]?: string } {
  const value = textOrNull(row, name);
  const field: { [key in Name]?: string } = {};
  if (value !== null) Object.assign(field, { [name]: value });
  return field;
}

/** Absent when the column is null or not JSON: replaying broken provider data would be refused by the provider. */
function jsonField<Name extends string>(row: Row, name: Name): { [key in Name]?: JsonValue } {
  const value = textOrNull(row, name);
  const parsed = value === null ? undefined : parseJson(value);
  const field: { [key in Name]?: JsonValue } = {};
  if (parsed !== undefined && parsed !== null) Object.assign(field, { [name]: parsed });
  return field;
}

function readToolCall(item: JsonValue): ToolCall | undefined {
  if (!isJsonObject(item) || !isJsonObject(item['function'])) return undefined;
  const { name, arguments: given } = item['function'];
  const id = item['id'] ?? item['call_id'];
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const extra = item['extra_content'];
  return {
    id,
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) },
    ...(extra !== undefined && extra !== null && { extra_content: extra }),
  };
}
