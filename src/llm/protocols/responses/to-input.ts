/**
 * The internal history as input items of the Responses API.
 * https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { argumentsText } from '../call-arguments.ts';
import type { AssistantMessage, Message, ToolCall } from '../../message.ts';
import { listOf, objectOf, stringOf } from '../read-json.ts';
import { toolOutput, userContent } from './wire-content.ts';
import { CallIds, isItemId } from './wire-ids.ts';

export interface InputOptions {
  /** False for stored reasoning that is not sent back. */
  replays(reasoning: JsonObject): boolean;
  /** False: messages of the model go without the ids that the service gave them. */
  readonly messageIds: boolean;
}

/** The text that goes into `instructions`; the subscription's API refuses a request without. */
export function instructionsOf(messages: readonly Message[]): string {
  const text = messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
  return text.trim() === '' ? 'You are Hermes, a helpful assistant.' : text;
}

/**
 * `input` of a request: reasoning first, then the words and the calls that followed it, and each result by the id of
 * its call. Results without a call are left out; items are never empty, and no id comes twice.
 */
export function toInput(messages: readonly Message[], options: InputOptions): JsonObject[] {
  const callIds = new CallIds();
  const itemIds = new Set<string>();
  return messages.flatMap((message): JsonObject[] => {
    switch (message.role) {
      case 'system':
        return [];
      case 'user':
        return [{ role: 'user', content: userContent(message.content) }];
      case 'assistant':
        return assistantItems(message, options, callIds, itemIds);
      case 'tool': {
        const id = callIds.answer(message.tool_call_id);
        if (id === undefined) return [];
        return [{ type: 'function_call_output', call_id: id, output: toolOutput(message.content) }];
      }
    }
  });
}

function assistantItems(
  message: AssistantMessage,
  options: InputOptions,
  callIds: CallIds,
  itemIds: Set<string>,
): JsonObject[] {
  const thoughts = reasoningItems(message.codex_reasoning_items, options, itemIds);
  const words = messageItems(message, options, itemIds);
  const calls = (message.tool_calls ?? []).map((call) => toWireCall(call, callIds));
  // Reasoning must be followed by what came of it.
  const bare = thoughts.length > 0 && words.length + calls.length === 0;
  return [...thoughts, ...words, ...(bare ? [{ role: 'assistant', content: '' }] : []), ...calls];
}

function reasoningItems(stored: JsonValue | undefined, options: InputOptions, itemIds: Set<string>): JsonObject[] {
  return listOf(stored).flatMap((entry): JsonObject[] => {
    const item = objectOf(entry);
    const encrypted = stringOf(item?.['encrypted_content']);
    if (item === undefined || encrypted === '' || !options.replays(item)) return [];
    const id = stringOf(item['id']);
    const known = isItemId(id, 'rs_');
    if (known && itemIds.has(id)) return [];
    if (known) itemIds.add(id);
    const summary = listOf(item['summary']).flatMap((part): JsonObject[] => {
      const text = objectOf(part)?.['text'];
      return typeof text === 'string' ? [{ type: 'summary_text', text }] : [];
    });
    return [{ type: 'reasoning', ...(known ? { id } : {}), summary, encrypted_content: encrypted }];
  });
}

/** The items of the answer as they came; plain text when the content has changed since, or came from elsewhere. */
function messageItems(message: AssistantMessage, options: InputOptions, itemIds: Set<string>): JsonObject[] {
  const content = message.content ?? '';
  if (content.trim() === '') return [];
  const items = listOf(message.codex_message_items).filter(isJsonObject);
  const texts = items.map(storedText);
  if (items.length === 0 || texts.join('\n') !== content) return [{ role: 'assistant', content }];
  return items.flatMap((item, index): JsonObject[] => {
    const text = texts[index] ?? '';
    if (text.trim() === '') return [];
    const id = stringOf(item['id']);
    const phase = phaseOf(item);
    if (!options.messageIds || !isItemId(id, 'msg_') || itemIds.has(id)) {
      return [{ role: 'assistant', content: text, ...phase }];
    }
    itemIds.add(id);
    const parts = [{ type: 'output_text', text, annotations: [] }];
    return [{ type: 'message', role: 'assistant', id, status: 'completed', content: parts, ...phase }];
  });
}

function storedText(item: JsonObject): string {
  return listOf(item['content'])
    .map((part) => stringOf(objectOf(part)?.['text']))
    .join('');
}

function phaseOf(item: JsonObject): JsonObject {
  const phase = item['phase'];
  return phase === 'commentary' || phase === 'final_answer' ? { phase } : {};
}

/** A name with characters that no provider allows would have every later request refused. */
function toWireCall(call: ToolCall, callIds: CallIds): JsonObject {
  const { name } = call.function;
  return {
    type: 'function_call',
    call_id: callIds.claim(call.id),
    name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown',
    arguments: argumentsText(call),
  };
}
