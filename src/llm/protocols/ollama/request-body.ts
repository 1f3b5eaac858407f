/**
 * The body of a request to Ollama's own `/api/chat`.
 * https://docs.ollama.com/api/chat
 */
import { type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { argumentsObject } from '../call-arguments.ts';
import type { Endpoint } from '../../endpoint.ts';
import type { Content, Message } from '../../message.ts';
import type { ModelRequest } from '../../protocol.ts';
import { splitThinking } from '../../thinking.ts';
import { parseDataUrl } from '../data-url.ts';
import { noVideos } from '../no-videos.ts';
import { objectOf } from '../read-json.ts';

/** What a model cannot do, learned from refusals. */
export type Missing = 'think' | 'tools';

/** `think`, `options` and `keep_alive` may also come from the extra body; options are merged. */
export function ollamaBody(request: ModelRequest, endpoint: Endpoint, missing: ReadonlySet<Missing>): JsonObject {
  const extra = { ...endpoint.extraBody, ...request.extraBody };
  const think = missing.has('think') ? undefined : thinkField(request);
  const options = {
    ...(endpoint.contextLength === undefined ? {} : { num_ctx: endpoint.contextLength }),
    ...(request.maxTokens === undefined ? {} : { num_predict: request.maxTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...objectOf(extra['options']),
  };
  return {
    model: request.model,
    messages: toRows(request.messages),
    ...(request.tools.length === 0 || missing.has('tools')
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters },
          })),
        }),
    ...(think === undefined ? {} : { think }),
    stream: request.stream,
    ...extra,
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}

/** Models of the gpt-oss family know three steps and cannot be silenced, others on and off. */
function thinkField({ reasoningEffort, model }: ModelRequest): JsonValue | undefined {
  if (reasoningEffort === undefined) return undefined;
  if (!model.includes('gpt-oss')) return reasoningEffort !== 'none';
  if (reasoningEffort === 'medium' || reasoningEffort === 'high') return reasoningEffort;
  return reasoningEffort === 'xhigh' ? 'high' : 'low';
}

function toRows(messages: readonly Message[]): JsonObject[] {
  return messages.map((message) => {
    switch (message.role) {
      case 'system':
        return { role: 'system', content: message.content };
      case 'user':
        return { role: 'user', ...wordsAndImages(message.content) };
      case 'tool':
        return {
          role: 'tool',
          ...wordsAndImages(message.content),
          ...(message.tool_name === undefined ? {} : { tool_name: message.tool_name }),
          tool_call_id: message.tool_call_id,
        };
      case 'assistant': {
        const { text, reasoning: inline } = splitThinking(message.content ?? '');
        const thinking = message.reasoning_content ?? message.reasoning ?? inline;
        const calls = message.tool_calls ?? [];
        return {
          role: 'assistant',
          content: text,
          ...(thinking === '' ? {} : { thinking }),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map((call) => ({
                  id: call.id,
                  function: { name: call.function.name, arguments: argumentsObject(call) },
                })),
              }),
        };
      }
    }
  });
}

/** Pictures travel as base64 beside the text; what only has an address cannot be sent. */
function wordsAndImages(content: Content): JsonObject {
  if (typeof content === 'string') return { content };
  const words: string[] = [];
  const images: string[] = [];
  for (const part of content) {
    if (part.type === 'text') {
      words.push(part.text);
      continue;
    }
    if (part.type === 'video_url') throw noVideos('The format of Ollama');
    const data = parseDataUrl(part.image_url.url);
    if (data === undefined) words.push(`[A picture at ${part.image_url.url.slice(0, 500)}]`);
    else images.push(data.base64);
  }
  return { content: words.join('\n'), ...(images.length === 0 ? {} : { images }) };
}
