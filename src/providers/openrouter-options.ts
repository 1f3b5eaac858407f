/** What OpenRouter, and nobody else, is told of the owner's preferences. */
import type { JsonObject } from '../lib/json.ts';
import type { ModelVariables } from '../config/model-variables.ts';
import type { ModelSettings } from './model-settings.ts';

/** Body fields for a model. The choice of providers is about the conversation; side tasks do not inherit it. */
export function openRouterBody(settings: ModelSettings, model: string, sideTask: boolean): JsonObject {
  const routing = settings.provider_routing ?? {};
  const score = settings.openrouter?.min_coding_score ?? 0.65;
  return {
    ...(sideTask || Object.keys(routing).length === 0 ? {} : { provider: routing }),
    ...(model === 'openrouter/pareto-code' ? { plugins: [{ id: 'pareto-router', min_coding_score: score }] } : {}),
  };
}

/** Headers that have equal requests answered from OpenRouter's cache; the configuration beats the environment. */
export function openRouterCacheHeaders(settings: ModelSettings, variables: ModelVariables): Record<string, string> {
  if (!(settings.openrouter?.response_cache ?? variables.openRouterCache)) return {};
  const ttl = settings.openrouter?.response_cache_ttl ?? variables.openRouterCacheTtl ?? 0;
  const valid = Number.isInteger(ttl) && ttl >= 1 && ttl <= 86_400;
  return { 'X-OpenRouter-Cache': 'true', ...(valid ? { 'X-OpenRouter-Cache-TTL': String(ttl) } : {}) };
}
