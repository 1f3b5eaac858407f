/**
 * The body and the headers of a request in Anthropic's format.
 * https://docs.claude.com/en/api/messages
 */
import type { JsonObject } from '../../../lib/json.ts';
import { outputCap } from './output-cap.ts';
import type { Endpoint } from '../../endpoint.ts';
import type { ModelRequest } from '../../protocol.ts';
import { cacheTtlFor, withCacheMarks } from '../cache-marks.ts';
import { objectOf } from '../read-json.ts';
import { type ClaudeModel, claudeModel } from './claude-model.ts';
import type { Dialect } from './dialect.ts';
import { isSigned } from './signed-thinking.ts';
import { thinkingRequest } from './thinking-request.ts';
import { systemText, toWireRows, type WireRow } from './wire-messages.ts';

/**
 * The body of a request.
 *
 * Signed thoughts go back only while the model thinks in this request: the API refuses or ignores them when thinking
 * is off. A model with a thinking budget does not think in the middle of tool calls that began without a signed
 * thought (after a change of provider, for instance), because the API refuses that as well.
 */
export function messagesBody(request: ModelRequest, endpoint: Endpoint, dialect: Dialect): JsonObject {
  const model = claudeModel(request.model);
  const cap = outputCap(request.model);
  const limit = belowContext(request.maxTokens ?? cap, endpoint.contextLength);
  const asked = thinkingRequest(
    request.reasoningEffort,
    dialect.without.has('thinking') ? { ...model, thinking: 'none' } : model,
    limit,
    belowContext(cap, endpoint.contextLength),
  );
  const replays = (thought: JsonObject) => asked.on && dialect.replays(thought);
  const rows = toWireRows(request.messages, replays, endpoint.quirks?.videos);
  const thinking =
    needsFirstThought(asked.fields) && !beganWithThought(rows) ? { fields: {}, on: false, maxTokens: limit } : asked;
  const maxTokens = Math.min(thinking.maxTokens, dialect.maxTokens ?? thinking.maxTokens);
  return {
    model: wireModelName(request.model, endpoint),
    max_tokens: maxTokens,
    ...promptFields(request, endpoint, thinking.on ? rows : withoutThoughts(rows), dialect),
    ...toolFields(request),
    ...thinkingFields(thinking.fields, maxTokens, dialect),
    ...temperatureField(request, model, thinking.fields, dialect),
    ...(wantsFastMode(request, endpoint, model) && !dialect.without.has('speed') ? { speed: 'fast' } : {}),
    ...(request.stream ? { stream: true } : {}),
    ...endpoint.extraBody,
    ...request.extraBody,
  };
}

/** Headers of the format; those that let the request in are the authorizer's. Betas are asked for at Anthropic's own API and what behaves like it. */
export function messagesHeaders(request: ModelRequest, endpoint: Endpoint): Record<string, string> {
  const version = { 'anthropic-version': '2023-06-01' };
  if (endpoint.quirks?.nativeAnthropic === false) return version;
  const betas = [
    'interleaved-thinking-2025-05-14',
    'fine-grained-tool-streaming-2025-05-14',
    ...(wantsFastMode(request, endpoint, claudeModel(request.model)) ? ['fast-mode-2026-02-01'] : []),
  ];
  return { ...version, 'anthropic-beta': betas.join(',') };
}

/** `/v1/messages` behind the base URL, which may have its `/v1` already. */
export function messagesPath(baseUrl: string): string {
  const [base = ''] = baseUrl.split('?', 1);
  return /\/v1\/*$/.test(base) ? '/messages' : '/v1/messages';
}

function wantsFastMode(request: ModelRequest, endpoint: Endpoint, model: ClaudeModel): boolean {
  return request.priority === true && model.fastMode && endpoint.quirks?.nativeAnthropic !== false;
}

/** Dots become hyphens in the names of Claude models; other models keep theirs. */
function wireModelName(model: string, endpoint: Endpoint): string {
  const name = model.replace(/^anthropic\//i, '');
  const isClaude = name.toLowerCase().includes('claude');
  return isClaude && endpoint.quirks?.dottedModelNames !== true ? name.replaceAll('.', '-') : name;
}

function belowContext(tokens: number, contextLength: number | undefined): number {
  return contextLength === undefined ? tokens : Math.max(1, Math.min(tokens, contextLength - 1));
}

function promptFields(
  request: ModelRequest,
  endpoint: Endpoint,
  rows: readonly WireRow[],
  dialect: Dialect,
): JsonObject {
  const system = systemText(request.messages);
  const prompt: JsonObject[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...rows.map(({ role, content }) => ({ role, content })),
  ];
  const takesMarks = endpoint.quirks?.nativeAnthropic !== false || endpoint.quirks.cacheMarks === true;
  const ttl = cacheTtlFor(request.model, request.cacheTtl);
  const marked =
    ttl === undefined || !takesMarks || dialect.without.has('cache_control') ? prompt : withCacheMarks(prompt, ttl);
  if (system === '') return { messages: marked };
  return { system: marked[0]?.['content'] ?? system, messages: marked.slice(1) };
}

function toolFields(request: ModelRequest): JsonObject {
  if (request.tools.length === 0) return {};
  return {
    tools: request.tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
  };
}

/** A limit that was lowered since may leave no room for the budget. */
function thinkingFields(fields: JsonObject, maxTokens: number, dialect: Dialect): JsonObject {
  const { thinking, output_config: effort } = fields;
  const budget = objectOf(thinking)?.['budget_tokens'];
  const fits = typeof budget !== 'number' || budget < maxTokens;
  return {
    ...(thinking === undefined || !fits ? {} : { thinking }),
    ...(effort === undefined || dialect.without.has('effort') ? {} : { output_config: effort }),
  };
}

/** A thinking model has the temperature 1, and only the older ones may be told so. */
function temperatureField(
  request: ModelRequest,
  model: ClaudeModel,
  thinking: JsonObject,
  dialect: Dialect,
): JsonObject {
  if (!model.takesTemperature || dialect.without.has('temperature')) return {};
  if (needsFirstThought(thinking)) return { temperature: 1 };
  return request.temperature === undefined || thinking['thinking'] !== undefined
    ? {}
    : { temperature: Math.min(request.temperature, 1) };
}

function needsFirstThought(fields: JsonObject): boolean {
  return objectOf(fields['thinking'])?.['type'] === 'enabled';
}

/** Whether the tool calls under way, if there are any, began with a thought. */
function beganWithThought(rows: readonly WireRow[]): boolean {
  const began = rows.findLastIndex(({ role, content }) => role === 'user' && content[0]?.['type'] !== 'tool_result');
  const first = rows.slice(began + 1).find(({ role }) => role === 'assistant')?.content[0];
  return first === undefined || isSigned(first);
}

function withoutThoughts(rows: readonly WireRow[]): WireRow[] {
  return rows.map(({ role, content }) => ({ role, content: content.filter((block) => !isSigned(block)) }));
}
