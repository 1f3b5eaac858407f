/**
 * The body of a request in the Responses format.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { Endpoint } from '../../endpoint.ts';
import type { ModelRequest } from '../../protocol.ts';
import { nearestEffort } from '../reasoning-effort.ts';
import type { Dialect, Part } from './dialect.ts';
import { instructionsOf, toInput } from './to-input.ts';

/** Bounds of the API. */
const maxCacheKeyChars = 64;
const minOutputTokens = 16;

/** Nothing is kept at the service (`store: false`), so reasoning comes and goes encrypted. */
export function responsesBody(request: ModelRequest, endpoint: Endpoint, dialect: Dialect): JsonObject {
  const quirks = endpoint.quirks ?? {};
  const takes = (part: Part) => !dialect.without.has(part);
  const replays = (item: JsonObject) =>
    quirks.encryptedReasoning !== false && takes('encrypted') && dialect.replays(item);
  const temperature = temperatureOf(request, quirks.temperature);
  const cacheKey = quirks.encryptedReasoning === false ? undefined : request.sessionId;
  return {
    model: request.model,
    instructions: instructionsOf(request.messages),
    input: toInput(request.messages, { replays, messageIds: takes('message_ids') }),
    store: false,
    ...toolFields(request, takes('parallel_tool_calls')),
    ...reasoningFields(request, endpoint, dialect),
    ...(request.maxTokens === undefined || !takes('max_output_tokens')
      ? {}
      : { max_output_tokens: Math.max(minOutputTokens, request.maxTokens) }),
    ...(temperature === undefined || !takes('temperature') ? {} : { temperature }),
    ...(cacheKey === undefined || !takes('prompt_cache_key')
      ? {}
      : { prompt_cache_key: cacheKey.slice(0, maxCacheKeyChars) }),
    ...(request.priority === true && takes('service_tier') ? { service_tier: 'priority' } : {}),
    stream: request.stream || dialect.streamOnly,
    ...endpoint.extraBody,
    ...request.extraBody,
  };
}

function toolFields({ tools }: ModelRequest, parallel: boolean): JsonObject {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      strict: false,
      parameters,
    })),
    tool_choice: 'auto',
    ...(parallel ? { parallel_tool_calls: true } : {}),
  };
}

/** OpenAI's models that do not reason refuse to be told how much. */
const plainModels = /^(?:gpt-[34](?!\d)|chatgpt-|gpt-5(?:\.\d+)?-chat)/;

/** Without a word about it, a model reasons with medium effort. */
function reasoningFields(request: ModelRequest, endpoint: Endpoint, { without, efforts }: Dialect): JsonObject {
  const quirks = endpoint.quirks ?? {};
  const asked = request.reasoningEffort ?? 'medium';
  const off = asked === 'none' || without.has('reasoning') || plainModels.test(request.model);
  const encrypted = quirks.encryptedReasoning !== false && !without.has('encrypted');
  const effort = nearestEffort(asked, efforts ?? quirks.efforts);
  return {
    ...(off || quirks.reasoningParameter === false
      ? {}
      : { reasoning: { effort, ...(without.has('summary') ? {} : { summary: 'auto' }) } }),
    ...(encrypted ? { include: off ? [] : ['reasoning.encrypted_content'] } : {}),
  };
}

function temperatureOf({ temperature }: ModelRequest, quirk: 'omit' | number | undefined): number | undefined {
  return quirk === 'omit' ? undefined : (quirk ?? temperature);
}
