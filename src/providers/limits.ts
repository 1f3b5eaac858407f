/** Tokens that fit into a model and its answers, from whoever knows best. */
import { fetchOver } from '../lib/fetch-over.ts';
import { familyContextLength, unloadedWindow } from '../models/context-lengths.ts';
import type { ModelFacts } from '../models/model-facts.ts';
import type { Authorizer } from '../llm/authorizer.ts';
import { isLocalHost } from '../llm/endpoint.ts';
import type { ApiMode } from '../llm/protocol.ts';
import type { ProviderProfile } from '../llm/provider.ts';
import { custom } from './profiles/custom.ts';
import { withoutSlash } from './endpoint-address.ts';
import { networkOf } from './endpoint-options.ts';
import type { RouteSources } from './route-services.ts';
import type { Target } from './target.ts';

/** Tokens; what is not known is absent. */
export interface Limits {
  readonly contextLength?: number;
  readonly maxTokens?: number;
}

export interface LimitsRequest {
  readonly target: Target;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiMode: ApiMode;
  readonly facts: ModelFacts | undefined;
  readonly authorizer: Authorizer | undefined;
}

/** The window that Ollama is asked for when nobody set one: it takes the memory for all of it at once. */
const ollamaWindow = 65_536;

/** The configuration, the server itself where it is local, a refusal of it, the provider's profile, and tables. */
export async function limitsOf(asked: LimitsRequest, sources: RouteSources, signal?: AbortSignal): Promise<Limits> {
  const { target, baseUrl, model } = asked;
  const { chosen, own } = target;
  const saved =
    chosen.saved ?? sources.settings.custom_providers?.find((entry) => withoutSlash(entry.base_url) === baseUrl);
  const entry = saved?.models?.[model];
  const contextLength =
    own.context_length ??
    entry?.context_length ??
    chosen.saved?.context_length ??
    (await foundLength(asked, sources, signal));
  const maxTokens = own.max_tokens ?? entry?.max_tokens ?? usualAnswer(chosen.profile, contextLength);
  return {
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** Ollama gives the window that it is asked for, and 4,096 tokens when it is not. */
async function foundLength(
  asked: LimitsRequest,
  sources: RouteSources,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { target, baseUrl, model, apiMode, facts } = asked;
  const found =
    (await probe(asked, sources, signal)) ??
    (await sources.services?.learnedContext?.(model, baseUrl)) ??
    tableLength(target.chosen.profile, model, facts);
  return apiMode === 'ollama_chat' ? Math.min(found ?? ollamaWindow, ollamaWindow) : found;
}

/** What the model was made for; where it is loaded on request, no more than it is then loaded with. */
function tableLength(
  { contextLengths, loadsModels }: ProviderProfile,
  model: string,
  facts: ModelFacts | undefined,
): number | undefined {
  const known = contextLengths?.[model] ?? facts?.contextLength ?? familyContextLength(model);
  return loadsModels === true ? Math.min(known ?? unloadedWindow, unloadedWindow) : known;
}

/** What the profile says, as long as half the window is left for the question. On an endpoint of one's own the window must be known. */
function usualAnswer({ id, maxTokens }: ProviderProfile, contextLength: number | undefined): number | undefined {
  if (maxTokens === undefined || (contextLength === undefined && id === custom.id)) return undefined;
  return Math.min(maxTokens, Math.floor((contextLength ?? Infinity) / 2));
}

async function probe(
  { target, baseUrl, model, authorizer }: LimitsRequest,
  sources: RouteSources,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (!isLocalHost(URL.parse(baseUrl)?.hostname ?? '')) return undefined;
  const fetch = fetchOver(networkOf(target.chosen, sources));
  return await sources.services?.probeContext?.(
    { baseUrl, model, fetch, ...(authorizer === undefined ? {} : { authorizer }) },
    signal,
  );
}
