/**
 * The internal history in the chat-completions format: only fields that the format knows, and no row it rejects.
 * https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages
 */
import { type JsonObject, type JsonValue } from '../../lib/json.ts';
import { argumentsText } from './call-arguments.ts';
import type { Quirks } from '../endpoint.ts';
import type { AssistantMessage, Content, ContentPart, Message, ToolCall, ToolMessage } from '../message.ts';
import { hasThinking } from '../thinking.ts';
import { listOf, objectOf } from './read-json.ts';

/** What a model reads where a result holds no text: strict servers reject empty rows. */
const emptyResult = '(no output)';

/**
 * `messages` of a request. Origins, finish reasons and other internal fields are left out; `reasoning` travels as
 * `reasoning_content`. Images of tool results move into a user message behind the results, unless the endpoint takes
 * them in place.
 */
export function toChatMessages(messages: readonly Message[], model: string, quirks: Quirks): JsonObject[] {
  const rows: JsonObject[] = [];
  let images: JsonValue[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool' && quirks.imagesInToolResults !== true) images.push(...imagesOf(message.content));
    rows.push(toRow(message, model, quirks));
    const next = messages[index + 1];
    if (images.length === 0 || next?.role === 'tool') continue;
    rows.push({ role: 'user', content: [{ type: 'text', text: 'Images from the tool results above:' }, ...images] });
    images = [];
  }
  return mergeUserRows(rows);
}

function toRow(message: Message, model: string, quirks: Quirks): JsonObject {
  switch (message.role) {
    case 'system': {
      const role = quirks.developerRoleModels?.test(model) === true ? 'developer' : 'system';
      return { role, content: message.content };
    }
    case 'user':
      return { role: 'user', content: toContent(message.content) };
    case 'assistant':
      return assistantRow(message, quirks);
    case 'tool':
      return { role: 'tool', tool_call_id: message.tool_call_id, content: toolContent(message, quirks) };
  }
}

function assistantRow(message: AssistantMessage, quirks: Quirks): JsonObject {
  const calls = message.tool_calls ?? [];
  return {
    role: 'assistant',
    // llama-cpp-python refuses null, and nobody an empty text beside calls.
    content: calls.length === 0 ? message.content : (message.content ?? ''),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toWireCall) }),
    ...(quirks.replayReasoning === false ? {} : reasoningFields(message)),
  };
}

/** Thinking that stands inline in the content is not sent a second time. */
function reasoningFields(message: AssistantMessage): JsonObject {
  const inline = message.content !== null && hasThinking(message.content);
  const text = message.reasoning_content ?? (inline ? undefined : message.reasoning);
  return {
    ...(text === undefined ? {} : { reasoning_content: text }),
    ...(message.reasoning_details === undefined || isSignedThinking(message.reasoning_details)
      ? {}
      : { reasoning_details: message.reasoning_details }),
  };
}

/** Blocks of Anthropic's own format, after a change of provider: this format knows no such items. */
function isSignedThinking(details: JsonValue): boolean {
  const types = listOf(details).map((item) => objectOf(item)?.['type']);
  return types.includes('thinking') || types.includes('redacted_thinking');
}

/** A name with characters that no provider allows would have every later request refused. */
function toWireCall(call: ToolCall): JsonObject {
  const { name } = call.function;
  return {
    id: call.id,
    type: 'function',
    function: {
      name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown',
      arguments: argumentsText(call),
    },
    ...(call.extra_content === undefined ? {} : { extra_content: call.extra_content }),
  };
}

function toContent(content: Content): JsonValue {
  return typeof content === 'string' ? content : content.filter(isFilled).map(toWirePart);
}

function toolContent(message: ToolMessage, quirks: Quirks): JsonValue {
  const { content } = message;
  if (typeof content === 'string') return content.trim() === '' ? emptyResult : content;
  if (quirks.imagesInToolResults === true && content.some(isFilled)) return toContent(content);
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (text.trim() !== '') return text;
  return content.some((part) => part.type === 'image_url') ? '(an image, shown below)' : emptyResult;
}

function imagesOf(content: Content): JsonValue[] {
  return typeof content === 'string' ? [] : content.filter((part) => part.type === 'image_url').map(toWirePart);
}

function isFilled(part: ContentPart): boolean {
  return part.type !== 'text' || part.text !== '';
}

function toWirePart(part: ContentPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  // Not of OpenAI, but of all who take videos: https://openrouter.ai/docs/features/multimodal/videos
  if (part.type === 'video_url') return { type: 'video_url', video_url: { url: part.video_url.url } };
  const { url, detail } = part.image_url;
  return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } };
}

/** Moved images may stand next to what the user said; two user rows in a row are refused by strict servers. */
function mergeUserRows(rows: readonly JsonObject[]): JsonObject[] {
  const merged: JsonObject[] = [];
  for (const row of rows) {
    const last = merged.at(-1);
    if (row['role'] !== 'user' || last?.['role'] !== 'user') merged.push(row);
    else
      merged[merged.length - 1] = { role: 'user', content: [...toParts(last['content']), ...toParts(row['content'])] };
  }
  return merged;
}

function toParts(content: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(content)) return content;
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
}
