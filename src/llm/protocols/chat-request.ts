/**
 * The body of a chat-completions request.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
import type { JsonObject } from '../../lib/json.ts';
import { claudeOutputCap } from './claude-limits.ts';
import type { Endpoint, Quirks } from '../endpoint.ts';
import type { ModelRequest } from '../protocol.ts';
import { cacheTtlFor, withCacheMarks } from './cache-marks.ts';
import { toChatMessages } from './chat-messages.ts';
import { chatReasoning } from './chat-reasoning.ts';

/** What an endpoint turned out to want; learned from its refusals. */
export interface Dialect {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** The other name was refused before. */
  readonly maxTokensSettled: boolean;
  readonly streamOptions: boolean;
}

/** What to try after a refusal; undefined when it was about something else, or the other way was refused as well. */
export function adaptDialect(dialect: Dialect, rejects: (field: string) => boolean): Dialect | undefined {
  const { maxTokensField } = dialect;
  if (!dialect.maxTokensSettled && rejects(maxTokensField)) {
    const other = maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
    return { ...dialect, maxTokensField: other, maxTokensSettled: true };
  }
  return dialect.streamOptions && rejects('stream_options') ? { ...dialect, streamOptions: false } : undefined;
}

export function chatRequestBody(request: ModelRequest, endpoint: Endpoint, dialect: Dialect): JsonObject {
  const quirks = endpoint.quirks ?? {};
  const maxTokens = request.maxTokens ?? (quirks.claudeOutputCap === true ? claudeOutputCap(request.model) : undefined);
  const session = quirks.sessionField;
  const messages = toChatMessages(request.messages, request.model, quirks);
  const marksTtl = quirks.cacheMarks === true ? cacheTtlFor(request.model, request.cacheTtl) : undefined;
  return {
    model: request.model,
    messages: marksTtl === undefined ? messages : withCacheMarks(messages, marksTtl),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: 'function',
            function: { name, description, parameters },
          })),
        }),
    ...(maxTokens === undefined ? {} : { [dialect.maxTokensField]: maxTokens }),
    ...temperatureField(request, quirks.temperature),
    ...chatReasoning(request, quirks),
    ...(session === undefined || request.sessionId === undefined ? {} : { [session]: request.sessionId }),
    ...(request.priority === true && quirks.maxTokensField === 'max_completion_tokens'
      ? { service_tier: 'priority' }
      : {}),
    stream: request.stream,
    ...(request.stream && dialect.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...endpoint.extraBody,
    ...request.extraBody,
  };
}

function temperatureField({ temperature }: ModelRequest, quirk: Quirks['temperature']): JsonObject {
  if (quirk === 'omit') return {};
  const value = quirk ?? temperature;
  return value === undefined ? {} : { temperature: value };
}
