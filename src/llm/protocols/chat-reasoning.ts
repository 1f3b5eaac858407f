/**
 * How each endpoint of the chat-completions format is asked to think more or less.
 * https://platform.openai.com/docs/guides/reasoning and https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Quirks } from '../endpoint.ts';
import { claudeModel } from './anthropic/claude-model.ts';
import { nearestEffort } from './reasoning-effort.ts';
import type { ModelRequest } from '../protocol.ts';

/** Body fields for the effort; none where the endpoint or the model knows no such thing. */
export function chatReasoning({ reasoningEffort: asked, model }: ModelRequest, quirks: Quirks): JsonObject {
  if (asked === undefined || quirks.reasoning === undefined) return {};
  const effort = nearestEffort(asked, quirks.efforts);
  switch (quirks.reasoning) {
    case 'openrouter':
      return openRouter(effort, model);
    case 'nous':
      return effort === 'none' ? {} : { reasoning: { enabled: true, effort } };
    case 'gateway':
      return { reasoning: effort === 'none' ? { enabled: false } : { enabled: true, effort } };
    case 'own_server':
      return ownServer(effort);
    case 'reasoning_effort':
      return openAiReasoning.test(model) ? { reasoning_effort: effort } : {};
    case 'kimi':
      return kimi(effort);
    case 'deepseek':
      return deepseekThinkers.test(model) ? deepseek(effort) : {};
    case 'zai':
      return glmThinkers.test(model) ? { thinking: switched(effort), ...glmEffort(effort, model) } : {};
    case 'ollama':
      return { reasoning_effort: upToMax(effort) };
    case 'opencode_go':
      return openCodeGo(effort, model);
  }
}

/** Model families that take OpenRouter's `reasoning` object. */
const openRouterFamilies =
  /^(?:deepseek\/|anthropic\/|openai\/|x-ai\/|google\/gemini-2|google\/gemma-4|qwen\/qwen3|tencent\/hy3|xiaomi\/)/i;
/** OpenAI's models that reason. */
const openAiReasoning = /^(?:o\d|gpt-5)/;

type Effort = NonNullable<ModelRequest['reasoningEffort']>;

function openRouter(effort: Effort, model: string): JsonObject {
  // Claude from 4.6 on decides for itself how long to think; `verbosity` is its knob.
  if (claudeModel(model).thinking === 'adaptive') {
    return effort === 'none' ? {} : { verbosity: effort === 'minimal' ? 'low' : effort };
  }
  if (!openRouterFamilies.test(model)) return {};
  return { reasoning: effort === 'none' ? { enabled: false } : { enabled: true, effort } };
}

/** https://api-docs.deepseek.com/guides/thinking_mode: `deepseek-chat` is the name of a model that does not think. */
const deepseekThinkers = /^deepseek-(?:v[4-9]|reasoner)/i;
/** https://docs.z.ai/guides/capabilities/thinking */
const glmThinkers = /^glm-(?:4\.[5-9]|[5-9])/i;
/** From this version on GLM knows `high` and `max`. */
const glmWithEffort = /^glm-(?:5\.[2-9]|[6-9])/i;

/** Three steps, or none: the API refuses a request that has `thinking` and `reasoning_effort`. */
function kimi(effort: Effort): JsonObject {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  return { reasoning_effort: nearestEffort(effort, ['low', 'medium', 'high']) };
}

/**
 * Whatever runs there: vLLM, llama.cpp and most gateways know `reasoning_effort`, Ollama and proxies before it `think`.
 * Nothing is said of the usual effort, which is the server's to choose.
 */
function ownServer(effort: Effort): JsonObject {
  if (effort === 'medium') return {};
  return { reasoning_effort: effort, ...(effort === 'none' ? { think: false } : {}) };
}

function deepseek(effort: Effort): JsonObject {
  return { thinking: switched(effort), ...(effort === 'none' ? {} : { reasoning_effort: upToMax(effort) }) };
}

function glmEffort(effort: Effort, model: string): JsonObject {
  if (effort === 'none' || !glmWithEffort.test(model)) return {};
  return { reasoning_effort: effort === 'xhigh' ? 'max' : 'high' };
}

/** One gateway, and each maker's own way. */
function openCodeGo(effort: Effort, model: string): JsonObject {
  if (/^kimi-k2/i.test(model)) return kimi(effort);
  if (glmWithEffort.test(model)) return glmEffort(effort, model);
  if (!deepseekThinkers.test(model)) return {};
  return effort === 'none' ? { thinking: switched(effort) } : { reasoning_effort: upToMax(effort) };
}

function switched(effort: Effort): JsonObject {
  return { type: effort === 'none' ? 'disabled' : 'enabled' };
}

function upToMax(effort: Effort): string {
  if (effort === 'xhigh') return 'max';
  return effort === 'minimal' ? 'low' : effort;
}
