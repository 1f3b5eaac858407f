/** Answers what is known of a model, from the configuration, models.dev and our own tables. */
import { dirname, join } from 'node:path';
import { type Log, noLog } from '../../lib/log.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import { familyContextLength } from '../context-lengths.ts';
import type { ModelFacts, ModelKnowledge } from '../model-facts.ts';
import { findModel } from './find-model.ts';
import { type CatalogueModels, factsOf, namesNewestFirst, type PartialFacts } from './models-dev.ts';
import { listsOf, makerOf, type ProviderTraits } from './provider-names.ts';
import { cachedModels, type ModelsDevPaths } from './models-dev-cache.ts';
import { newerFacts, providerLimits } from './overrides.ts';
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
  /** What the configuration says of a model; it wins. */
  readonly overrides?: (provider: string, model: string) => PartialFacts | undefined;
  /** What the profile of a provider says about its lists and bills. */
  readonly traitsOf: (provider: string) => ProviderTraits;
  readonly fetch?: Fetch;
  readonly clock: { now(): number };
  readonly log?: Log;
}

type Source = ModelFacts['source'];
type Layer = readonly [Source, PartialFacts | undefined];

interface HeldList {
  readonly models: Promise<CatalogueModels | undefined>;
  readonly readAt: number;
}

/** How long a list is kept in memory; another process may have renewed it on disk. */
const heldMs = 60 * 60_000;
const maxHeldLists = 32;

/**
 * Knowledge over one home. The first that knows a fact is believed: the configuration, limits of the provider, the
 * downloaded models.dev, models newer than the shipped catalogue, the catalogue, the maker's own list (for
 * aggregators), and at last the window of the model's family. Nothing is read before the first fact is asked for.
 */
export class HomeKnowledge implements ModelKnowledge {
  readonly #options: ModelKnowledgeOptions;
  readonly #paths: ModelsDevPaths;
  readonly #held = new Map<string, HeldList>();
  readonly #closing = new AbortController();
  #refreshing: Promise<void> | undefined;

  constructor(options: ModelKnowledgeOptions) {
    const { cachePath, partsPath = join(dirname(cachePath), 'cache', 'models') } = options;
    this.#options = options;
    this.#paths = { whole: cachePath, parts: partsPath };
  }

  facts(provider: string, model: string): Promise<ModelFacts | undefined> {
    return merge(this.#layersOf(provider, model));
  }

  async models(provider: string): Promise<readonly string[]> {
    const names: string[] = [];
    for (const list of listsOf(provider, this.#options.traitsOf(provider))) {
      const known = (await this.#downloaded(list)) ?? (await shippedModels(list));
      if (known !== undefined) names.push(...namesNewestFirst(known));
    }
    return [...new Set(names)];
  }

  /** Renews the download when it is old. Settles when that is done; what fails is tried again later and never thrown. */
  async refresh(signal: AbortSignal): Promise<void> {
    if (!this.#options.enabled || this.#closing.signal.aborted) return;
    this.#refreshing ??= this.#renew(AbortSignal.any([signal, this.#closing.signal])).then(() => undefined);
    await this.#refreshing;
    this.#refreshing = undefined;
  }

  /** Renews the download whatever its age, because a person asked. False when nothing new came. */
  async refreshNow(signal: AbortSignal): Promise<boolean> {
    if (!this.#options.enabled) return false;
    return await this.#renew(AbortSignal.any([signal, this.#closing.signal]), true);
  }

  /** Ends a running download and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#refreshing;
  }

  async #renew(signal: AbortSignal, anyAge = false): Promise<boolean> {
    const { url = 'https://models.dev/api.json', ttlHours, clock, fetch, log = noLog } = this.#options;
    try {
      const { refreshCache } = await import('./refresh-models-dev.ts');
      const renewed = await refreshCache({
        paths: this.#paths,
        url,
        ttlMs: anyAge ? 0 : ttlHours * 60 * 60_000,
        retryMs: anyAge ? 0 : 5 * 60_000,
        now: () => clock.now(),
        signal,
        fetch,
      });
      if (renewed) this.#held.clear();
      return renewed;
    } catch (error) {
      // A full disk or another process at work: the old knowledge will do.
      if (!signal.aborted) log.info('the list of models was not renewed', error);
      return false;
    }
  }

  /** Kept in memory, the longest unused of them is forgotten first. */
  #downloaded(list: string): Promise<CatalogueModels | undefined> {
    const now = this.#options.clock.now();
    const known = this.#held.get(list);
    this.#held.delete(list);
    const usable = known !== undefined && Math.abs(now - known.readAt) < heldMs;
    const kept = usable ? known : { models: cachedModels(this.#paths, list), readAt: now };
    this.#held.set(list, kept);
    const [oldest] = this.#held.keys();
    if (this.#held.size > maxHeldLists && oldest !== undefined) this.#held.delete(oldest);
    return kept.models;
  }

  async *#layersOf(provider: string, model: string): AsyncGenerator<Layer> {
    const traits = this.#options.traitsOf(provider);
    const lists = listsOf(provider, traits);
    // A request to one's own server or within a plan costs nothing by the token.
    const billed = (known: PartialFacts | undefined) =>
      lists.length === 0 || traits?.billing === 'plan' ? withoutPrice(known) : known;
    yield ['config', this.#options.overrides?.(provider, model)];
    yield ['catalogue', providerLimits(provider, model)];
    for (const list of lists) yield ['models.dev', billed(lookUp(await this.#downloaded(list), model))];
    yield ['catalogue', billed(newerFacts(provider, lists, model))];
    for (const list of lists) yield ['catalogue', billed(lookUp(await shippedModels(list), model))];
    const maker = makerOf(model, traits);
    if (maker !== undefined) {
      yield ['models.dev', billed(lookUp(await this.#downloaded(maker.list), maker.model))];
      yield ['catalogue', billed(lookUp(await shippedModels(maker.list), maker.model))];
    }
    const contextLength = familyContextLength(model);
    yield ['catalogue', contextLength === undefined ? undefined : { contextLength }];
  }
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
