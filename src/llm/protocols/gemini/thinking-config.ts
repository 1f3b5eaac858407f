/**
 * How long a Gemini model is asked to think.
 * https://ai.google.dev/gemini-api/docs/thinking
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { ReasoningEffort } from '../../protocol.ts';

/** Budgets in tokens of the 2.5 models; -1 lets the model decide. */
const budgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
};
/** The pro models cannot be kept from thinking. */
const minProBudget = 128;

/**
 * `thinkingConfig` of a request; undefined for models that do not think. Thoughts are always asked for where the model
 * has them; without an effort the model's own default holds. Source: Google's "Gemini thinking" guide.
 */
export function thinkingConfig(model: string, effort: ReasoningEffort | undefined): JsonObject | undefined {
  const name = model.toLowerCase();
  if (!thinks(name)) return undefined;
  if (effort === undefined || !/gemini-(?:2\.5|[3-9])/.test(name)) return { includeThoughts: effort !== 'none' };
  if (!name.includes('gemini-2.5')) return { includeThoughts: effort !== 'none', thinkingLevel: levelOf(name, effort) };
  const budget = name.includes('pro') ? Math.max(minProBudget, budgets[effort]) : budgets[effort];
  return { includeThoughts: effort !== 'none', thinkingBudget: budget };
}

/** True for models that refuse calls of their own without a thought signature. */
export function wantsSignatures(model: string): boolean {
  return /gemini-[3-9]/.test(model.toLowerCase());
}

function thinks(name: string): boolean {
  if (/image|tts|audio|live|embedding|computer-use/.test(name)) return false;
  return /gemini-(?:2\.5|[3-9]|(?:pro|flash|flash-lite)-latest)/.test(name);
}

/** The first pro models know `low` and `high` only, and no pro model knows `minimal`. */
function levelOf(name: string, effort: ReasoningEffort): string {
  const pro = name.includes('pro');
  if (effort === 'none' || effort === 'minimal') return pro ? 'low' : 'minimal';
  if (effort === 'medium' && /gemini-3-pro/.test(name)) return 'high';
  return effort === 'xhigh' ? 'high' : effort;
}
