/**
 * What the model families on Bedrock can do; the name is all that a request tells.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { ModelRequest, ReasoningEffort } from '../../protocol.ts';

export function isClaude(model: string): boolean {
  return /anthropic|claude/i.test(model);
}

function isNova(model: string): boolean {
  return /amazon\.nova/i.test(model);
}

/** Where the cached prefix may be marked. Source: "Prompt caching" in the Bedrock user guide. */
export interface CachePlaces {
  readonly tools: boolean;
  readonly messages: boolean;
  /** The longer life of one hour is known. */
  readonly hour: boolean;
}

export function cachePlaces(model: string): CachePlaces {
  if (isNova(model)) return { tools: false, messages: true, hour: false };
  const name = model.toLowerCase();
  const cacheless = /claude-(?:v2|instant|3-(?:opus|sonnet|haiku)|3-5-sonnet-20240620)/.test(name);
  const caches = isClaude(model) && !cacheless;
  return { tools: caches, messages: caches, hour: caches && /-4-[5-9]|-[5-9](?:-|$)/.test(name) };
}

/** Pictures inside of tool results. */
export function takesImagesInResults(model: string): boolean {
  return isClaude(model) || isNova(model);
}

/** How a model is asked to think, and what that means for the rest of the request. */
export interface Thinking {
  /** Into `additionalModelRequestFields`. */
  readonly fields: JsonObject;
  /** Tokens that the answer must have room for. */
  readonly budget: number;
  /** The model refuses a temperature while it thinks. */
  readonly fixedTemperature: boolean;
}

const budgets: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 2000,
  low: 4000,
  medium: 8000,
  high: 16_000,
  xhigh: 32_000,
};

/** Undefined when nothing is to be asked for, or the model is not known to think. */
export function thinkingFor({ model, reasoningEffort: effort }: ModelRequest): Thinking | undefined {
  if (effort === undefined || effort === 'none') return undefined;
  const name = model.toLowerCase();
  if (/nova-2/.test(name)) {
    const fields = { reasoningConfig: { type: 'enabled', maxReasoningEffort: threeSteps(effort) } };
    return { fields, budget: 0, fixedTemperature: threeSteps(effort) === 'high' };
  }
  if (/gpt-oss/.test(name))
    return { fields: { reasoning_effort: threeSteps(effort) }, budget: 0, fixedTemperature: false };
  if (!isClaude(model)) return undefined;
  if (/claude-[a-z]+-(?:4-[6-9]|4-\d\d(?!\d)|[5-9])/.test(name)) {
    const level = effort === 'minimal' ? 'low' : effort === 'xhigh' ? 'max' : effort;
    return {
      fields: { thinking: { type: 'adaptive' }, output_config: { effort: level } },
      budget: 0,
      fixedTemperature: true,
    };
  }
  if (!/claude-(?:3-7|(?:opus|sonnet)-4)/.test(name)) return undefined;
  const budget = budgets[effort];
  return { fields: { thinking: { type: 'enabled', budget_tokens: budget } }, budget, fixedTemperature: true };
}

function threeSteps(effort: Exclude<ReasoningEffort, 'none'>): 'low' | 'medium' | 'high' {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' ? 'high' : effort;
}
