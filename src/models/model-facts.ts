/** What is known of a model, whoever serves it. */
import type { Usage } from '../llm/protocol.ts';

/** Prices in US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Default: the input price. */
  readonly cacheRead?: number;
  /** Default: the input price. */
  readonly cacheWrite?: number;
}

export interface ModelPrice extends TokenPrices {
  /** Prices of a whole request whose prompt, cached or not, is longer than this many tokens. */
  readonly longPrompt?: TokenPrices & { readonly aboveTokens: number };
}

/** What is not known is absent. */
export interface ModelFacts {
  /** Tokens. */
  readonly contextLength?: number;
  /** Longest answer in tokens. */
  readonly maxOutput?: number;
  readonly price?: ModelPrice;
  readonly vision?: boolean;
  readonly reasoning?: boolean;
  readonly toolCalls?: boolean;
  /** Where it is from, for `/usage`. */
  readonly source: 'catalogue' | 'models.dev' | 'endpoint' | 'config';
}

/** Facts by provider and model: shipped, refreshed in the background, usable offline. Never throws. */
export interface ModelKnowledge {
  facts(provider: string, model: string): Promise<ModelFacts | undefined>;
  /** Ids of the models a provider is known to serve, newest first where that is known. */
  models(provider: string): Promise<readonly string[]>;
}

/** US dollars of one request; undefined when there is no price. `reasoning` is part of `output` and not counted twice. */
export function costOf(usage: Usage, price: ModelPrice | undefined): number | undefined {
  if (usage.costUsd !== undefined) return usage.costUsd;
  if (price === undefined) return undefined;
  const { longPrompt } = price;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const prices = longPrompt !== undefined && prompt > longPrompt.aboveTokens ? longPrompt : price;
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  const millionths =
    usage.input * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite;
  return millionths / 1_000_000;
}
