/** Answers what is known of a model, from the configuration, models.dev and our own tables. */
import { dirname, join } from 'node:path';
import { familyContextLength } from '../context-lengths.ts';
import type { ModelFacts, ModelKnowledge } from '../model-facts.ts';
import { findModel } from './find-model.ts';
import { type CatalogueModels, factsOf, namesNewestFirst, type PartialFacts } from './models-dev.ts';
import { cachedModels, type ModelsDevPaths } from './models-dev-cache.ts';
import { newerFacts, providerLimits } from './overrides.ts';
import { listsOf, makerOf, type ProviderTraits } from './provider-names.ts';
import { shippedModels } from './shipped-catalogue.ts';

export interface ModelKnowledgeOptions {
  /** The downloaded models.dev: `$HERMES_HOME/models_dev_cache.json`. */
  readonly cachePath: string;
  /** Directory of its parts, one file a provider; default `cache/models` beside `cachePath`. */
  readonly partsPath?: string;
  /** False: nothing is downloaded; what is on disk is used. */
  readonly enabled: boolean;
  /** Default https://models.dev/api.json */
  readonly url?: string;
  /** Age at which the download is renewed. */
  readonly ttlHours: number;
  /** What the profile of a provider says about its lists and bills. */
  readonly traitsOf: (provider: string) => ProviderTraits;
  /** What the configuration says of a model; it wins. */
  readonly overrides?: (provider: string, model: string) => PartialFacts | undefined;
  readonly fetch?: typeof fetch;
  readonly clock: { now(): number };
}

export interface RefreshingKnowledge extends ModelKnowledge {
  /** Renews the download when it is old. Returns at once; what fails is tried again later and told to nobody. */
  refreshInBackground(signal: AbortSignal): void;
  /** Settles when no download is running. */
  idle(): Promise<void>;
  /** Ends a running download and waits for it. */
  close(): Promise<void>;
}

type Source = ModelFacts['source'];
type Layer = readonly [Source, PartialFacts | undefined];

interface HeldList {
  readonly models: Promise<CatalogueModels | undefined>;
  readonly readAt: number;
}

/** How long a list is kept in memory; another process may have renewed it on disk. */
const heldMs = 60 * 60_000;
const mostHeldLists = 32;

/**
 * Knowledge over one home. The first that knows a fact is believed: the configuration, limits of the provider, the
 * downloaded models.dev, models newer than the shipped catalogue, the catalogue, the maker's own list (for
 * aggregators), and at last the window of the model's family. Nothing is read before the first question.
 */
export function createModelKnowledge(options: ModelKnowledgeOptions): RefreshingKnowledge {
  const { cachePath, clock, overrides, traitsOf } = options;
  const paths: ModelsDevPaths = {
    whole: cachePath,
    parts: options.partsPath ?? join(dirname(cachePath), 'cache', 'models'),
  };
  const held = new Map<string, HeldList>();
  const closing = new AbortController();
  let refreshing: Promise<void> | undefined;

  /** Kept in memory, the longest unused of them is forgotten first. */
  function downloaded(list: string): Promise<CatalogueModels | undefined> {
    const known = held.get(list);
    held.delete(list);
    const usable = known !== undefined && Math.abs(clock.now() - known.readAt) < heldMs;
    const kept = usable ? known : { models: cachedModels(paths, list), readAt: clock.now() };
    held.set(list, kept);
    const [oldest] = held.keys();
    if (held.size > mostHeldLists && oldest !== undefined) held.delete(oldest);
    return kept.models;
  }

  async function* layersOf(provider: string, model: string): AsyncGenerator<Layer> {
    const traits = traitsOf(provider);
    const lists = listsOf(provider, traits);
    // A request to one's own server or within a plan costs nothing by the token.
    const billed = (known: PartialFacts | undefined) =>
      lists.length === 0 || traits?.billing === 'plan' ? withoutPrice(known) : known;
    yield ['config', overrides?.(provider, model)];
    yield ['catalogue', providerLimits(provider, model)];
    for (const list of lists) yield ['models.dev', billed(lookUp(await downloaded(list), model))];
    yield ['catalogue', billed(newerFacts(provider, lists, model))];
    for (const list of lists) yield ['catalogue', billed(lookUp(await shippedModels(list), model))];
    const maker = makerOf(model, traits);
    if (maker !== undefined) {
      yield ['models.dev', billed(lookUp(await downloaded(maker.list), maker.model))];
      yield ['catalogue', billed(lookUp(await shippedModels(maker.list), maker.model))];
    }
    const contextLength = familyContextLength(model);
    yield ['catalogue', contextLength === undefined ? undefined : { contextLength }];
  }

  async function models(provider: string): Promise<readonly string[]> {
    const names: string[] = [];
    for (const list of listsOf(provider, traitsOf(provider))) {
      const known = (await downloaded(list)) ?? (await shippedModels(list));
      if (known !== undefined) names.push(...namesNewestFirst(known));
    }
    return [...new Set(names)];
  }

  async function refresh(signal: AbortSignal): Promise<void> {
    const { refreshCache } = await import('./refresh-models-dev.ts');
    const renewed = await refreshCache({
      paths,
      url: options.url ?? 'https://models.dev/api.json',
      ttlMs: options.ttlHours * 60 * 60_000,
      now: () => clock.now(),
      signal,
      fetch: options.fetch,
    });
    if (renewed) held.clear();
  }

  return {
    facts: (provider, model) => merge(layersOf(provider, model)),
    models,
    refreshInBackground(signal) {
      if (!options.enabled || refreshing !== undefined || closing.signal.aborted) return;
      refreshing = refresh(AbortSignal.any([signal, closing.signal]))
        // A full disk or another process at work: the old knowledge will do.
        .catch(() => undefined)
        .finally(() => {
          refreshing = undefined;
        });
    },
    async idle() {
      await refreshing;
    },
    async close() {
      closing.abort();
      await refreshing;
    },
  };
}

/** The first layer that knows a fact is believed. `source` is where the price is from, else the first that knew any. */
async function merge(layers: AsyncIterable<Layer>): Promise<ModelFacts | undefined> {
  let facts: PartialFacts = {};
  let first: Source | undefined;
  let priced: Source | undefined;
  for await (const [source, known] of layers) {
    if (known === undefined || Object.keys(known).length === 0) continue;
    first ??= source;
    if (facts.price === undefined && known.price !== undefined) priced = source;
    facts = { ...known, ...facts };
    if (isComplete(facts)) break;
  }
  const source = priced ?? first;
  return source === undefined ? undefined : { ...facts, source };
}

function isComplete({ contextLength, maxOutput, price, vision, reasoning, toolCalls }: PartialFacts): boolean {
  return [contextLength, maxOutput, price, vision, reasoning, toolCalls].every((fact) => fact !== undefined);
}

function lookUp(models: CatalogueModels | undefined, model: string): PartialFacts | undefined {
  const found = models === undefined ? undefined : findModel(models, model);
  return found === undefined ? undefined : factsOf(found);
}

function withoutPrice(facts: PartialFacts | undefined): PartialFacts | undefined {
  if (facts?.price === undefined) return facts;
  const { price: _price, ...rest } = facts;
  return rest;
}
