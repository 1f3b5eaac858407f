/**
 * The internal history as Gemini's `contents`: turns of `user` and `model`, with the results of calls among them.
 * https://ai.google.dev/api/caching#Content
 */
import { type JsonObject } from '../../../lib/json.ts';
import { argumentsObject } from '../call-arguments.ts';
import type { AssistantMessage, Content, ContentPart, Message, ToolMessage } from '../../message.ts';
import { textOf } from '../../message.ts';
import { parseDataUrl } from '../data-url.ts';
import { callSignature, foreignCallSignature, textSignature } from './signatures.ts';
import { wantsSignatures } from './thinking-config.ts';

/** What a model reads where nothing was said: parts without text are refused. */
const placeholders = { user: '(empty message)', model: '(empty)', result: '(no output)' } as const;

type Role = 'user' | 'model';

export interface ContentsOptions {
  /** Calls and results carry their ids. */
  readonly callIds: boolean;
}

/** The system prompt; empty when there is none. */
export function systemText(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => (message.role === 'system' && message.content.trim() !== '' ? [message.content] : []))
    .join('\n\n');
}

/** Neighbours of one role become one turn, since roles must alternate; results stand in front of what else was said. */
export function toContents(messages: readonly Message[], model: string, options: ContentsOptions): JsonObject[] {
  const turns: { readonly role: Role; parts: JsonObject[] }[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role: Role = message.role === 'assistant' ? 'model' : 'user';
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) names.set(call.id, wireName(call.function.name));
    }
    const parts = partsOf(message, model, names, options);
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts });
  }
  return turns.map(({ role, parts }) => ({ role, parts: resultsFirst(filled(parts, role)) }));
}

function partsOf(
  message: Exclude<Message, { role: 'system' }>,
  model: string,
  names: ReadonlyMap<string, string>,
  options: ContentsOptions,
): JsonObject[] {
  switch (message.role) {
    case 'user':
      return contentParts(message.content);
    case 'assistant':
      return [...spokenParts(message), ...callParts(message, model, options)];
    case 'tool':
      return resultParts(message, names.get(message.tool_call_id), model, options);
  }
}

function spokenParts(message: AssistantMessage): JsonObject[] {
  const signature = textSignature(message);
  if ((message.content ?? '').trim() === '') return [];
  return [{ text: message.content ?? '', ...(signature === undefined ? {} : { thoughtSignature: signature }) }];
}

/** Of calls that were made side by side only the first is signed. */
function callParts(message: AssistantMessage, model: string, { callIds }: ContentsOptions): JsonObject[] {
  return (message.tool_calls ?? []).map((call, position) => {
    const foreign = position === 0 && wantsSignatures(model) ? foreignCallSignature : undefined;
    const signature = callSignature(call, message) ?? foreign;
    const functionCall: JsonObject = { name: wireName(call.function.name), args: argumentsObject(call) };
    if (callIds) functionCall['id'] = call.id;
    return { functionCall, ...(signature === undefined ? {} : { thoughtSignature: signature }) };
  });
}

/** Gemini takes pictures inside of results from its third generation on; before, they stand behind them. */
function resultParts(
  message: ToolMessage,
  callName: string | undefined,
  model: string,
  { callIds }: ContentsOptions,
): JsonObject[] {
  const name = callName ?? wireName(message.tool_name ?? '');
  const images = typeof message.content === 'string' ? [] : message.content.filter((part) => part.type === 'image_url');
  const inside = wantsSignatures(model) && images.length > 0 && images.every((part) => isInline(part));
  const text = textOf(message.content);
  const output = text.trim() !== '' ? text : images.length > 0 ? '(an image)' : placeholders.result;
  const functionResponse: JsonObject = { name, response: { output } };
  if (callIds) functionResponse['id'] = message.tool_call_id;
  if (inside) functionResponse['parts'] = contentParts(images);
  if (inside || images.length === 0) return [{ functionResponse }];
  return [{ functionResponse }, { text: `Images from the result of ${name}:` }, ...contentParts(images)];
}

function contentParts(content: Content): JsonObject[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ text: content }];
  return content.map(toPart).filter((part) => part !== undefined);
}

function toPart(part: ContentPart): JsonObject | undefined {
  if (part.type === 'text') return part.text.trim() === '' ? undefined : { text: part.text };
  const { url } = part.type === 'video_url' ? part.video_url : part.image_url;
  const data = parseDataUrl(url);
  if (data !== undefined) return { inlineData: { mimeType: data.mediaType, data: data.base64 } };
  if (part.type === 'video_url') return { text: '(a video that could not be read)' };
  if (!/^https?:/i.test(url)) return { text: '(an image that could not be read)' };
  return { fileData: { mimeType: mediaTypeOf(url), fileUri: url } };
}

function isInline(part: ContentPart): boolean {
  return part.type === 'image_url' && parseDataUrl(part.image_url.url) !== undefined;
}

/** An address has to come with a type; Google looks at the file itself as well. */
function mediaTypeOf(url: string): string {
  const ending = /\.(png|webp|gif|heic|heif)(?:$|[?#])/i.exec(url)?.[1];
  return ending === undefined ? 'image/jpeg' : `image/${ending.toLowerCase()}`;
}

function wireName(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return (/^[a-zA-Z_]/.test(clean) ? clean : `_${clean}`).slice(0, 64);
}

function filled(parts: readonly JsonObject[], role: Role): readonly JsonObject[] {
  return parts.length === 0 ? [{ text: placeholders[role] }] : parts;
}

/** The results of one step must be together. */
function resultsFirst(parts: readonly JsonObject[]): JsonObject[] {
  const isResult = (part: JsonObject) => part['functionResponse'] !== undefined;
  return [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
}
