/**
 * The shape in which models.dev describes models; its shipped copy and our cache have it too.
 * https://models.dev
 */
import type { ModelFacts, ModelPrice, TokenPrices } from '../model-facts.ts';

/** Prices in US dollars per million tokens. */
interface Cost {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
}

/** One model; only what is read here. */
export interface CatalogueModel {
  readonly reasoning?: boolean | undefined;
  readonly tool_call?: boolean | undefined;
  readonly release_date?: string | undefined;
  readonly status?: string | undefined;
  readonly modalities?:
    | { readonly input?: readonly string[] | undefined; readonly output?: readonly string[] | undefined }
    | undefined;
  readonly limit?: { readonly context?: number | undefined; readonly output?: number | undefined } | undefined;
  readonly cost?: (Cost & { readonly context_over_200k?: Cost | undefined }) | undefined;
}

/** The models of one provider by id. */
export type CatalogueModels = ReadonlyMap<string, CatalogueModel>;

/** What one layer of knowledge says of a model. */
export type PartialFacts = Omit<ModelFacts, 'source'>;

export function factsOf(model: CatalogueModel): PartialFacts {
  const { limit, modalities, reasoning, tool_call: toolCalls } = model;
  const price = priceOf(model.cost);
  const input = modalities?.input;
  return {
    ...(isPositive(limit?.context) ? { contextLength: limit.context } : {}),
    ...(isPositive(limit?.output) ? { maxOutput: limit.output } : {}),
    ...(price === undefined ? {} : { price }),
    ...(input === undefined ? {} : { vision: input.includes('image') }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
  };
}

/** Ids of the models that write text and are not withdrawn, newest first; of one day, in the order of the list. */
export function namesNewestFirst(models: CatalogueModels): readonly string[] {
  const shown = [...models].filter(
    ([, { modalities, status }]) => status !== 'deprecated' && modalities?.output?.includes('text') !== false,
  );
  const released = ([, model]: readonly [string, CatalogueModel]) => model.release_date ?? '';
  return shown.toSorted((a, b) => compare(released(b), released(a))).map(([id]) => id);
}

/** Names of lists become file names. */
export function isListName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name) && !name.includes('..');
}

function priceOf(cost: CatalogueModel['cost']): ModelPrice | undefined {
  const price = tokenPrices(cost);
  const long = tokenPrices(cost?.context_over_200k);
  if (price === undefined || long === undefined) return price;
  return { ...price, longPrompt: { aboveTokens: 200_000, ...long } };
}

function tokenPrices(cost: Cost | undefined): TokenPrices | undefined {
  if (cost?.input === undefined || cost.output === undefined) return undefined;
  return {
    input: cost.input,
    output: cost.output,
    ...(cost.cache_read === undefined ? {} : { cacheRead: cost.cache_read }),
    ...(cost.cache_write === undefined ? {} : { cacheWrite: cost.cache_write }),
  };
}

function isPositive(tokens: number | undefined): tokens is number {
  return tokens !== undefined && tokens > 0;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
