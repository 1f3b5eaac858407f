/**
 * How each endpoint of the chat-completions format is asked to think more or less.
 * https://platform.openai.com/docs/guides/reasoning and https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
import type { JsonObject } from '../../lib/json.ts';
import type { Quirks } from '../endpoint.ts';
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
    case 'reasoning_effort':
      return openAiReasoning.test(model) ? { reasoning_effort: effort } : {};
    case 'kimi':
      return effort === 'none'
        ? { thinking: { type: 'disabled' } }
        : { reasoning_effort: kimiEffort(effort), thinking: { type: 'enabled' } };
  }
}

/** Model families that take OpenRouter's `reasoning` object. */
const openRouterFamilies = /^(?:deepseek\/|anthropic\/|openai\/|x-ai\/|google\/gemini-2|qwen\/qwen3)/;
/** Claude from 4.6 on decides for itself how long to think; `verbosity` is its knob. */
const adaptiveClaude = /^anthropic\/claude-[a-z]+-4[.-]([6-9]|\d\d)/;
/** OpenAI's models that reason. */
const openAiReasoning = /^(?:o\d|gpt-5)/;

type Effort = NonNullable<ModelRequest['reasoningEffort']>;

function openRouter(effort: Effort, model: string): JsonObject {
  if (adaptiveClaude.test(model)) {
    return effort === 'none' ? {} : { verbosity: effort === 'minimal' ? 'low' : effort };
  }
  if (!openRouterFamilies.test(model)) return {};
  return { reasoning: effort === 'none' ? { enabled: false } : { enabled: true, effort } };
}

/** Kimi knows three steps. */
function kimiEffort(effort: Effort): Effort {
  return nearestEffort(effort, ['low', 'medium', 'high']);
}
