/** A conversation in the shape that the binding renders with the model's own template. */
import { type JsonValue, parseJson } from '../../lib/json.ts';
import { type AssistantMessage, type Content, type Message, type ToolMessage, textOf } from '../../llm/message.ts';
import { noVideos } from '../../llm/protocols/no-videos.ts';
import { splitThinking } from '../../llm/thinking.ts';
import type { ChatItem, ModelPart } from './binding.ts';

const imageNote = '[An image was here; this model cannot see images.]';

/**
 * Everything between two words of the user is one answer of the model, with its calls and their results in it; the
 * last one is left open for the answer to come. Thoughts are kept of the open answer only.
 */
export function toChatHistory(messages: readonly Message[]): ChatItem[] {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const results = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.tool_call_id, message]] : [])),
  );
  const items: ChatItem[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') items.push({ type: 'system', text: message.content });
    else if (message.role === 'user') addUser(items, wordsOf(message.content));
    else if (message.role === 'assistant') answerAt(items).push(...partsOf(message, results, index > lastUser));
  }
  answerAt(items);
  return items;
}

function addUser(items: ChatItem[], text: string): void {
  const last = items.at(-1);
  if (last?.type === 'user') items[items.length - 1] = { type: 'user', text: `${last.text}\n\n${text}` };
  else items.push({ type: 'user', text });
}

/** The parts of the answer at the end, which is begun when there is none. */
function answerAt(items: ChatItem[]): ModelPart[] {
  const last = items.at(-1);
  if (last?.type === 'model') return last.response;
  const response: ModelPart[] = [];
  items.push({ type: 'model', response });
  return response;
}

function partsOf(
  message: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
  isCurrent: boolean,
): readonly ModelPart[] {
  const { text, reasoning: inline } = splitThinking(message.content ?? '');
  const thought = message.reasoning ?? inline;
  const parts: ModelPart[] = [];
  if (isCurrent && thought !== '') {
    parts.push({ type: 'segment', segmentType: 'thought', text: thought, ended: true });
  }
  if (text !== '') parts.push(text);
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    parts.push({
      type: 'functionCall',
      name: call.function.name,
      params: parseJson(call.function.arguments) ?? {},
      result: resultOf(results.get(call.id)),
      ...(index === 0 ? { startsNewChunk: true } : {}),
    });
  }
  return parts;
}

/** A result that is JSON is passed on as what it means, so that it is not quoted twice. */
function resultOf(message: ToolMessage | undefined): JsonValue {
  if (message === undefined) return 'There is no result.';
  const text = wordsOf(message.content);
  return parseJson(text) ?? text;
}

function wordsOf(content: Content): string {
  const text = textOf(content);
  if (typeof content !== 'string' && content.some(({ type }) => type === 'video_url')) {
    throw noVideos('What this machine runs itself');
  }
  const hasImage = typeof content !== 'string' && content.some(({ type }) => type === 'image_url');
  return hasImage ? [text, imageNote].filter((part) => part !== '').join('\n') : text;
}
