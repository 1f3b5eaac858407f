/** What hooks see of requests and answers of models: no keys, and no more than they can take. */
import type { HistoryMessage, Message } from '../llm/message.ts';
import type { ModelRequest, Usage } from '../llm/protocol.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';

interface Limits {
  readonly string: number;
  readonly sequence: number;
}

const maxDepth = 8;
const wide: Limits = { string: 8000, sequence: 200 };
const narrow: Limits = { string: 1000, sequence: 50 };
const secretKeys: ReadonlySet<string> = new Set([
  'api_key',
  'authorization',
  'proxy_authorization',
  'cookie',
  'set_cookie',
]);

/** The value with secrets taken out and long parts cut, as JSON of at most `maxChars` characters or a preview of it. */
export function boundedPayload(value: unknown, maxChars: number): unknown {
  for (const limits of [wide, narrow]) {
    const bounded = bound(value, limits, 0);
    if (JSON.stringify(bounded).length <= maxChars) return bounded;
  }
  const preview = JSON.stringify(bound(value, narrow, 0))
    .slice(0, maxChars)
    .toWellFormed();
  return { _truncated: true, original_type: Array.isArray(value) ? 'array' : typeof value, preview };
}

function bound(value: unknown, limits: Limits, depth: number): unknown {
  if (depth > maxDepth) return '<depth limit>';
  if (typeof value === 'string') return boundText(value, limits.string);
  if (Array.isArray(value)) {
    const kept: unknown[] = value.slice(0, limits.sequence).map((item) => bound(item, limits, depth + 1));
    return value.length > kept.length ? [...kept, { _truncated_items: value.length - kept.length }] : kept;
  }
  if (!isJsonObject(value)) return value ?? null;
  const entries = Object.entries(value);
  const kept = entries
    .slice(0, limits.sequence)
    .map(([key, item]) => [key, isSecretKey(key) ? '<redacted>' : bound(item, limits, depth + 1)] as const);
  const more = entries.length - kept.length;
  return { ...Object.fromEntries(kept), ...(more > 0 ? { _truncated_items: more } : {}) };
}

function boundText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).toWellFormed()}...[truncated ${text.length - max} chars]`;
}

/** Whether what stands under this name is kept from hooks. */
export function isSecretKey(key: string): boolean {
  const name = key.toLowerCase().replaceAll('-', '_');
  return secretKeys.has(name) || name.endsWith('_api_key');
}

/** The address of a provider without a login or a query, in which keys may stand. */
export function plainAddress(address: string): string {
  const url = /[@?]/.test(address) ? URL.parse(address) : null;
  return url === null ? address : `${url.protocol}//${url.host}${url.pathname}`;
}

/** As models know messages: what is kept beside the text (kinds, sources) is left out. */
export function plainMessages(messages: readonly (HistoryMessage | Message)[]): readonly JsonObject[] {
  return messages.map((message): JsonObject => {
    const content =
      message.role === 'assistant' || message.role === 'system' ? message.content : plain(message.content);
    const base = { role: message.role, content };
    if (message.role === 'tool') return { ...base, tool_call_id: message.tool_call_id };
    if (message.role !== 'assistant' || message.tool_calls === undefined) return base;
    return {
      ...base,
      tool_calls: message.tool_calls.map(({ id, type, function: call }) => ({ id, type, function: { ...call } })),
    };
  });
}

function plain(content: Extract<HistoryMessage, { role: 'user' }>['content']): string | JsonObject[] {
  if (typeof content === 'string') return content;
  return content.map((part) => {
    if (part.type === 'text') return { ...part };
    if (part.type === 'video_url') return { type: part.type, video_url: { ...part.video_url } };
    return { type: part.type, image_url: { ...part.image_url } };
  });
}

/** A request in the shape of chat completions, whatever is spoken on the wire; without headers, so without keys. */
export function requestBody(request: Omit<ModelRequest, 'stream'> & { readonly stream?: boolean }): JsonObject {
  const { model, messages, tools, maxTokens, temperature, reasoningEffort, extraBody, stream } = request;
  return {
    model,
    messages: [...plainMessages(messages)],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters },
          })),
        }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...(stream === undefined ? {} : { stream }),
    ...extraBody,
  };
}

/** In the names of the original. */
export function usageFields({ input, output, cacheRead, cacheWrite, reasoning }: Usage): JsonObject {
  const prompt = input + cacheRead + cacheWrite;
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: reasoning,
    prompt_tokens: prompt,
    total_tokens: prompt + output,
  };
}
