/**
 * The internal history in Anthropic's format: alternating rows of blocks, every call answered in the next row.
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use
 */
import { type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { argumentsObject } from '../call-arguments.ts';
import type { AssistantMessage, Content, Message, ToolCall, ToolMessage } from '../../message.ts';
import { replayThinking } from './signed-thinking.ts';
import { toImageBlock } from './wire-image.ts';
import { toVideoBlock } from './wire-video.ts';
import { WireIds } from './wire-ids.ts';

const emptyUser = '(empty message)';
const emptyAssistant = '(empty)';
const emptyResult = '(no output)';

/** A row of `messages`. */
export interface WireRow {
  readonly role: 'user' | 'assistant';
  readonly content: JsonObject[];
}

/** The text of the system messages; empty when there is none. */
export function systemText(messages: readonly Message[]): string {
  const texts = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

/**
 * `messages` of a request, system messages left out. Results stand first in the row behind their calls; calls without
 * a result and results without a call are dropped; neighbours of one role become one row. `wanted` says which signed
 * thoughts go back. Throws `ModelError` for a video, unless the endpoint takes them.
 */
export function toWireRows(
  messages: readonly Message[],
  wanted: (thought: JsonObject) => boolean,
  takesVideos = false,
): WireRow[] {
  const ids = new WireIds();
  const rows: WireRow[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') add(rows, 'user', orText(contentBlocks(message.content, takesVideos), emptyUser));
    if (message.role !== 'assistant') continue;
    const { calls, results } = pairsOf(message, resultsBehind(messages, index), ids);
    const blocks = replayThinking(message.reasoning_details, message.content ?? '', calls, wanted);
    add(rows, 'assistant', saysNothing(blocks) ? [...blocks, text(emptyAssistant)] : blocks);
    if (results.length > 0) add(rows, 'user', results);
  }
  if (rows[0]?.role !== 'user') rows.unshift({ role: 'user', content: [text(emptyUser)] });
  return rows;
}

function add(rows: WireRow[], role: WireRow['role'], blocks: readonly JsonObject[]): void {
  const last = rows.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else rows.push({ role, content: [...blocks] });
}

function text(value: string): JsonObject {
  return { type: 'text', text: value };
}

function orText(blocks: JsonObject[], placeholder: string): JsonObject[] {
  return blocks.length === 0 ? [text(placeholder)] : blocks;
}

/** A row of nothing but thoughts is refused. */
function saysNothing(blocks: readonly JsonObject[]): boolean {
  return !blocks.some((block) => block['type'] === 'text' || block['type'] === 'tool_use');
}

/** The tool rows right behind the message at `index`. */
function resultsBehind(messages: readonly Message[], index: number): Map<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (let next = messages[index + 1], at = index + 1; next?.role === 'tool'; at += 1, next = messages[at]) {
    if (!results.has(next.tool_call_id)) results.set(next.tool_call_id, next);
  }
  return results;
}

function pairsOf(message: AssistantMessage, behind: Map<string, ToolMessage>, ids: WireIds) {
  const calls: JsonObject[] = [];
  const results: JsonObject[] = [];
  for (const call of message.tool_calls ?? []) {
    const result = behind.get(call.id);
    if (result === undefined) continue;
    behind.delete(call.id);
    const id = ids.next(call.id);
    calls.push(toToolUse(call, id));
    results.push({ type: 'tool_result', tool_use_id: id, content: toResultContent(result.content) });
  }
  return { calls, results };
}

/** A name with characters that the API does not allow would have every later request refused. */
function toToolUse(call: ToolCall, id: string): JsonObject {
  const name = call.function.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
  return { type: 'tool_use', id, name, input: argumentsObject(call) };
}

function toResultContent(content: Content): JsonValue {
  if (typeof content === 'string') return content.trim() === '' ? emptyResult : content;
  return orText(contentBlocks(content), emptyResult);
}

function contentBlocks(content: Content, takesVideos = false): JsonObject[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return parts.flatMap((part) => {
    if (part.type === 'image_url') return [toImageBlock(part.image_url.url)];
    if (part.type === 'video_url') return [toVideoBlock(part.video_url.url, takesVideos)];
    return part.text.trim() === '' ? [] : [text(part.text)];
  });
}
