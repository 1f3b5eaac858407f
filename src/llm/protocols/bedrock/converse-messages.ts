/**
 * The internal history as messages of Bedrock's Converse format.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 */
import type {
  ContentBlock,
  ImageBlock,
  Message as WireMessage,
  ToolResultContentBlock,
  VideoBlock,
} from '@aws-sdk/client-bedrock-runtime';
import { type JsonObject } from '../../../lib/json.ts';
import { argumentsObject } from '../call-arguments.ts';
import type { AssistantMessage, Content, ContentPart, Message, ToolCall, ToolMessage } from '../../message.ts';
import { textOf } from '../../message.ts';
import { replayThinking } from '../anthropic/signed-thinking.ts';
import { parseDataUrl } from '../data-url.ts';
import { noVideos } from '../no-videos.ts';
import { objectOf, stringOf } from '../read-json.ts';
import { isClaude, takesImagesInResults } from './model-family.ts';
import { toReasoningBlock } from './reasoning-blocks.ts';
import { wireId, wireName } from './wire-names.ts';

/** Blank text is refused, and so is a message without content. */
const placeholders = { user: '(empty message)', assistant: '(empty)', result: '(no output)' } as const;

export interface MessagesOptions {
  readonly model: string;
  /** False: calls and results are told as text, because they are refused in a request that offers no tools. */
  readonly toolBlocks: boolean;
  /** Signed thoughts go back to the models that signed them. */
  readonly replayThoughts: boolean;
}

/** The system prompt; empty when there is none. */
export function systemText(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => (message.role === 'system' && message.content.trim() !== '' ? [message.content] : []))
    .join('\n\n');
}

/** Roles alternate: neighbours of one role become one message, the results of calls first. */
export function toConverseMessages(messages: readonly Message[], options: MessagesOptions): WireMessage[] {
  const turns: { readonly role: 'user' | 'assistant'; readonly content: ContentBlock[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message, options);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  return turns.map(({ role, content }) => ({
    role,
    content: content.length === 0 ? [{ text: placeholders[role] }] : resultsFirst(content),
  }));
}

function blocksOf(message: Exclude<Message, { role: 'system' }>, options: MessagesOptions): ContentBlock[] {
  switch (message.role) {
    case 'user':
      return contentBlocks(message.content);
    case 'assistant':
      return assistantBlocks(message, options);
    case 'tool':
      return options.toolBlocks ? resultBlocks(message, options.model) : toldResult(message);
  }
}

function assistantBlocks(
  message: AssistantMessage,
  { model, toolBlocks, replayThoughts }: MessagesOptions,
): ContentBlock[] {
  const calls = message.tool_calls ?? [];
  const content = message.content ?? '';
  if (!toolBlocks) return [...textBlock(content), ...calls.map(toldCall)];
  const uses = calls.map(
    (call): JsonObject => ({
      type: 'tool_use',
      id: wireId(call.id),
      name: wireName(call.function.name),
      input: argumentsObject(call),
    }),
  );
  const blocks = replayThinking(message.reasoning_details, content, uses, () => replayThoughts && isClaude(model));
  const wire = blocks.map(toAssistantBlock).filter((block) => block !== undefined);
  // Thoughts alone are no answer.
  return wire.every((block) => block.reasoningContent !== undefined) ? [] : wire;
}

function toAssistantBlock(block: JsonObject): ContentBlock | undefined {
  if (block['type'] === 'text') return { text: stringOf(block['text']) };
  if (block['type'] === 'tool_use') {
    const { id, name, input } = block;
    return { toolUse: { toolUseId: stringOf(id), name: stringOf(name), input: objectOf(input) ?? {} } };
  }
  const reasoning = toReasoningBlock(block);
  return reasoning === undefined ? undefined : { reasoningContent: reasoning };
}

function toldCall(call: ToolCall): ContentBlock {
  return { text: `[called ${wireName(call.function.name)} with ${call.function.arguments.trim() || '{}'}]` };
}

function toldResult(message: ToolMessage): ContentBlock[] {
  const text = textOf(message.content).trim() === '' ? placeholders.result : textOf(message.content);
  return [{ text: `[result of ${wireName(message.tool_name ?? '')}: ${text}]` }, ...imageBlocks(message.content)];
}

function resultBlocks(message: ToolMessage, model: string): ContentBlock[] {
  const inside = takesImagesInResults(model);
  const images = imageBlocks(message.content);
  const content: ToolResultContentBlock[] =
    typeof message.content === 'string' || !inside
      ? textBlock(textOf(message.content))
      : message.content.flatMap(toBlocks);
  const result = {
    toolUseId: wireId(message.tool_call_id),
    content:
      content.length > 0 ? content : [{ text: images.length > 0 ? '(an image, shown below)' : placeholders.result }],
  };
  return [{ toolResult: result }, ...(inside ? [] : images)];
}

function contentBlocks(content: Content): ContentBlock[] {
  return typeof content === 'string' ? textBlock(content) : content.flatMap(toBlocks);
}

function textBlock(text: string): { text: string }[] {
  return text.trim() === '' ? [] : [{ text }];
}

function toBlocks(part: ContentPart): ({ text: string } | { image: ImageBlock } | { video: VideoBlock })[] {
  if (part.type === 'text') return textBlock(part.text);
  return [part.type === 'video_url' ? toVideo(part.video_url.url) : toImage(part.image_url.url)];
}

function imageBlocks(content: Content): ContentBlock[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === 'image_url' ? [toImage(part.image_url.url)] : []));
}

const imageFormats: ReadonlyMap<string, 'png' | 'jpeg' | 'gif' | 'webp'> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

/** Bedrock takes bytes only; the model reads where a picture is that is not at hand. */
function toImage(url: string): { text: string } | { image: ImageBlock } {
  const data = parseDataUrl(url);
  const format = imageFormats.get(data?.mediaType ?? '');
  if (data !== undefined && format !== undefined) {
    return { image: { format, source: { bytes: Buffer.from(data.base64, 'base64') } } };
  }
  if (/^https?:/i.test(url)) return { text: `(an image at ${url})` };
  return { text: `(an image of a type that cannot be shown: ${data?.mediaType ?? 'unknown'})` };
}

const videoFormats: ReadonlyMap<string, 'mp4' | 'mov' | 'webm' | 'mpeg'> = new Map([
  ['video/mp4', 'mp4'],
  ['video/mov', 'mov'],
  ['video/webm', 'webm'],
  ['video/mpeg', 'mpeg'],
]);

function toVideo(url: string): { video: VideoBlock } {
  const data = parseDataUrl(url);
  const format = videoFormats.get(data?.mediaType ?? '');
  if (data === undefined || format === undefined)
    throw noVideos(`Bedrock's format, of type ${data?.mediaType ?? '?'},`);
  return { video: { format, source: { bytes: Buffer.from(data.base64, 'base64') } } };
}

/** The results of one step must come before anything else that was said. */
function resultsFirst(content: readonly ContentBlock[]): ContentBlock[] {
  const isResult = (block: ContentBlock) => block.toolResult !== undefined;
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}
