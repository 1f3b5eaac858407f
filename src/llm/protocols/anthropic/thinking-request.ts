/**
 * The reasoning effort of a request in Anthropic's terms: thinking, effort, and the limits that they bring.
 * https://docs.claude.com/en/docs/build-with-claude/extended-thinking
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { ReasoningEffort } from '../../protocol.ts';
import type { ClaudeModel } from './claude-model.ts';

type Effort = Exclude<ReasoningEffort, 'none'>;

/** Tokens that a model with a budget may think for. */
const budgets: Readonly<Record<Effort, number>> = {
  minimal: 4000,
  low: 4000,
  medium: 8000,
  high: 16_000,
  xhigh: 32_000,
};
/** Room for the answer behind the thoughts. */
const answerTokens = 4096;
/** The API refuses smaller budgets. */
const minBudget = 1024;

const efforts: Readonly<Record<Effort, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
};

export interface ThinkingRequest {
  /** `thinking` and `output_config`, as far as the model takes them. */
  readonly fields: JsonObject;
  /** The model thinks in this request, so that its earlier thoughts may be sent back. */
  readonly on: boolean;
  /** The limit of the answer, with room for the thoughts. */
  readonly maxTokens: number;
}

/** `maxTokens` is raised to fit the budget, as far as `cap` allows; behind that the budget is cut. */
export function thinkingRequest(
  effort: ReasoningEffort | undefined,
  model: ClaudeModel,
  maxTokens: number,
  cap: number,
): ThinkingRequest {
  const thinksAnyway = model.off !== 'by_default';
  if (effort === undefined || model.thinking === 'none') return { fields: {}, on: thinksAnyway, maxTokens };
  if (effort === 'none') return { fields: withoutThinking(model), on: model.off === 'never', maxTokens };
  if (model.thinking === 'adaptive') {
    const thinking = model.hidesThoughts ? { type: 'adaptive', display: 'summarized' } : { type: 'adaptive' };
    return { fields: { thinking, output_config: { effort: efforts[effort] } }, on: true, maxTokens };
  }
  const limit = Math.min(Math.max(maxTokens, budgets[effort] + answerTokens), Math.max(cap, maxTokens));
  const budget = Math.min(budgets[effort], limit - answerTokens);
  if (budget < minBudget) return { fields: {}, on: thinksAnyway, maxTokens };
  return { fields: { thinking: { type: 'enabled', budget_tokens: budget } }, on: true, maxTokens: limit };
}

function withoutThinking(model: ClaudeModel): JsonObject {
  switch (model.off) {
    case 'by_default':
      return {};
    case 'disabled':
    case 'between_tools':
      return { thinking: { type: model.off } };
    case 'never':
      return { output_config: { effort: 'low' } };
  }
}
