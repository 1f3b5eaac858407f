/**
 * The body of a chat-completions request.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
import type { JsonObject } from '../../lib/json.ts';
import { claudeOutputCap } from './claude-limits.ts';
import type { Endpoint, KeptRefusals, Quirks } from '../endpoint.ts';
import type { ModelRequest, ToolSchema } from '../protocol.ts';
import { cacheTtlFor, withCacheMarks } from './cache-marks.ts';
import { toChatMessages } from './chat-messages.ts';
import { chatReasoning } from './chat-reasoning.ts';
import { rejectsField, rejectsPart } from './model-failure.ts';

/** What an endpoint turned out to want; learned from its refusals. */
export interface Dialect {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** The other name was refused before. */
  readonly maxTokensSettled: boolean;
  /** Optional parts that were refused by name. */
  readonly without: ReadonlySet<string>;
}

/** Parts of a request that an answer can be had without, as refusals name them; the first ones are dropped first. */
const optionalParts: readonly string[] = [
  'stream_options',
  'reasoning_content',
  'reasoning_details',
  'thinking',
  'think',
  'reasoning_effort',
  'reasoning',
  'verbosity',
  'service_tier',
  'prompt_cache_key',
  'session_id',
  'cache_control',
  'temperature',
];

const plainDialect = { maxTokensSettled: false, without: new Set<string>() };
/** Bounds what is remembered: models of one endpoint. */
const maxModels = 200;

/** Remembers what the models of one endpoint refused. */
export class Dialects {
  readonly #first: Dialect;
  readonly #kept: KeptRefusals | undefined;
  readonly #byModel = new Map<string, Dialect>();

  constructor({ quirks, refusals }: Endpoint) {
    this.#first = { ...plainDialect, maxTokensField: quirks?.maxTokensField ?? 'max_tokens' };
    this.#kept = refusals;
  }

  for(model: string): Dialect {
    return this.#byModel.get(model) ?? withRefused(this.#first, this.#kept?.of(model) ?? []);
  }

  /** For later processes. */
  keep(model: string, { maxTokensField, maxTokensSettled, without }: Dialect): void {
    this.#kept?.keep(model, [...(maxTokensSettled ? [otherLimit(maxTokensField)] : []), ...without]);
  }

  set(model: string, dialect: Dialect): void {
    if (this.#byModel.size >= maxModels) this.#byModel.clear();
    this.#byModel.set(model, dialect);
  }
}

function withRefused(first: Dialect, refused: readonly string[]): Dialect {
  const { maxTokensField } = first;
  const limit = refused.includes(maxTokensField);
  return {
    maxTokensField: limit ? otherLimit(maxTokensField) : maxTokensField,
    maxTokensSettled: limit,
    without: new Set(optionalParts.filter((part) => refused.includes(part))),
  };
}

function otherLimit(field: Dialect['maxTokensField']): Dialect['maxTokensField'] {
  return field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
}

export interface Refusal {
  readonly status: number;
  readonly body: string;
}

/** What to try after a refusal; undefined when it was about something else, or the other way was refused as well. */
export function adaptDialect(dialect: Dialect, body: JsonObject, refusal: Refusal): Dialect | undefined {
  const { maxTokensField, without } = dialect;
  if (!dialect.maxTokensSettled && rejectsField(refusal.status, refusal.body, maxTokensField)) {
    return { ...dialect, maxTokensField: otherLimit(maxTokensField), maxTokensSettled: true };
  }
  const refused = optionalParts.find(
    (part) => !without.has(part) && rejectsPart(refusal.status, refusal.body, part) && holds(body, part),
  );
  return refused === undefined ? undefined : { ...dialect, without: new Set([...without, refused]) };
}

/** Some parts stand in the messages, or in their content. */
function holds(body: JsonObject, part: string): boolean {
  return part in body || JSON.stringify(body['messages'] ?? []).includes(`"${part}":`);
}

export function chatRequestBody(request: ModelRequest, endpoint: Endpoint, dialect: Dialect): JsonObject {
  const quirks = endpoint.quirks ?? {};
  const maxTokens = request.maxTokens ?? (quirks.claudeOutputCap === true ? claudeOutputCap(request.model) : undefined);
  const session = quirks.sessionField;
  const { without } = dialect;
  const replayReasoning = quirks.replayReasoning !== false && !without.has('reasoning_content');
  const messages = toChatMessages(request.messages, request.model, { ...quirks, replayReasoning });
  const marksTtl =
    quirks.cacheMarks === true && !without.has('cache_control')
      ? cacheTtlFor(request.model, request.cacheTtl)
      : undefined;
  const optional: JsonObject = {
    ...temperatureField(request, quirks.temperature),
    ...chatReasoning(request, quirks),
    ...(session === undefined || request.sessionId === undefined ? {} : { [session]: request.sessionId }),
    ...(request.priority === true && quirks.maxTokensField === 'max_completion_tokens'
      ? { service_tier: 'priority' }
      : {}),
    ...(request.stream ? { stream_options: { include_usage: true } } : {}),
  };
  return {
    model: request.model,
    messages: marksTtl === undefined ? messages : withCacheMarks(messages, marksTtl),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(asFunction),
        }),
    ...(maxTokens === undefined ? {} : { [dialect.maxTokensField]: maxTokens }),
    ...Object.fromEntries(Object.entries(optional).filter(([name]) => !without.has(name))),
    stream: request.stream,
    ...endpoint.extraBody,
    ...request.extraBody,
  };
}

/** As long as the schema itself is used: a thousand requests that wait have one set of tools. */
const functions = new WeakMap<ToolSchema, JsonObject>();

function asFunction(schema: ToolSchema): JsonObject {
  const known = functions.get(schema);
  if (known !== undefined) return known;
  const { name, description, parameters } = schema;
  const written: JsonObject = { type: 'function', function: { name, description, parameters } };
  functions.set(schema, written);
  return written;
}

function temperatureField({ temperature }: ModelRequest, quirk: Quirks['temperature']): JsonObject {
  if (quirk === 'omit') return {};
  const value = quirk ?? temperature;
  return value === undefined ? {} : { temperature: value };
}
