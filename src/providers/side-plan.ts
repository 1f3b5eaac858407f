/** Which models a side task may ask, in order, and when it may leave one for the next. */
import { type SideTaskVariables, sideTaskVariables } from '../config/model-variables.ts';
import { hasKey, namedKeys } from '../credentials/keys.ts';
import { usableSecret } from '../lib/secrets.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ModelError } from '../llm/model-error.ts';
import type { ModelRoute, ReasoningEffort } from '../llm/protocol.ts';
import type { ProviderIdentity } from '../llm/provider.ts';
import { filled } from '../config/env-values.ts';
import { allProfiles, findProfile, type RouteRequest } from './choose-provider.ts';
import { type FallbackEntry, fallbackRequests } from './fallback-entries.ts';
import { ownEndpoints } from './own-endpoints.ts';
import { custom } from './profiles/custom.ts';
import type { RouteSources } from './route-services.ts';

/** `auxiliary.<task>` of the configuration; empty strings are not set. */
export interface SideTaskSettings {
  /** Provider id, `auto`, or `main`. */
  readonly provider: string;
  readonly model: string;
  readonly base_url: string;
  readonly api_key: string;
  /** Seconds. */
  readonly timeout: number;
  readonly temperature?: number | undefined;
  /** Default: what the provider does by itself. */
  readonly reasoningEffort?: ReasoningEffort | undefined;
  readonly extra_body?: JsonObject | undefined;
  readonly fallback_chain?: readonly FallbackEntry[] | undefined;
}

/** The conversation's own route, or a request for another one. */
export type Candidate = 'main' | RouteRequest;

export interface SidePlan {
  readonly candidates: readonly Candidate[];
  /** Those behind them, found out when they are needed. */
  readonly more?: () => readonly Candidate[];
  /** Whether the next one is tried after this error. */
  readonly movesOn: (error: ModelError) => boolean;
}

export interface PlanRequest {
  /** Also one that a plug-in brought. */
  readonly task: string;
  readonly settings: SideTaskSettings;
  /** For this request only. */
  readonly model?: string | undefined;
  /** For this request only, in the place of all others. */
  readonly provider?: string | undefined;
  /** The conversation's own route; not asked for before it is needed. */
  readonly main: () => ModelRoute;
  /** `fallback_providers` */
  readonly fallbacks: readonly FallbackEntry[];
}

/** Call, environment, configuration, and last what the task can do by itself. */
export function planFor(asked: PlanRequest, sources: RouteSources): SidePlan {
  const { task, settings, main, fallbacks } = asked;
  const variables = sideTaskVariables(sources.variables.named, task);
  const baseUrl = variables.baseUrl ?? filled(settings.base_url);
  const provider = (variables.provider ?? filled(settings.provider) ?? 'auto').toLowerCase();
  const model = asked.model ?? variables.model ?? filled(settings.model);
  if (asked.provider !== undefined) {
    const wanted = asked.model ?? findProfile(asked.provider, sources.settings)?.auxModel;
    const own = { provider: asked.provider, ...(wanted === undefined ? {} : { model: wanted }) };
    return { candidates: [own], movesOn: () => false };
  }
  const chain = fallbackRequests(settings.fallback_chain ?? []).map(mainOr);
  const named = model === undefined ? {} : { model };
  if (baseUrl !== undefined) {
    const own = { provider: custom.id, baseUrl, ...named, ...keyOf(settings, variables, sources) };
    return { candidates: [own, ...chain, 'main'], movesOn: isOutOfCapacity };
  }
  if (provider === 'main') return { candidates: [mainWith(main, named), ...chain], movesOn: isOutOfCapacity };
  if (provider !== 'auto') {
    const wanted = model ?? findProfile(provider, sources.settings)?.auxModel;
    const own = { provider, ...(wanted === undefined ? {} : { model: wanted }) };
    return { candidates: [own, ...chain, 'main'], movesOn: isOutOfCapacity };
  }
  const candidates = [mainWith(main, named), ...chain, ...fallbackRequests(fallbacks).map(mainOr)];
  const blind = isVisual(task) && model === undefined && main().vision === false;
  return {
    candidates: blind ? candidates.slice(1) : candidates,
    more: () => builtInChain(task, main(), sources),
    movesOn: () => true,
  };
}

/** An endpoint of the task has the task's key, or the one that is meant for endpoints of one's own. */
function keyOf({ api_key }: SideTaskSettings, { apiKey }: SideTaskVariables, { variables }: RouteSources) {
  const key = usableSecret(apiKey ?? api_key) ?? namedKeys(custom.keyVariables, variables.named)[0]?.secret;
  return key === undefined ? {} : { apiKey: key };
}

function mainOr(request: RouteRequest): Candidate {
  return request.provider?.toLowerCase() === 'main' ? 'main' : request;
}

/** The conversation's provider, with another of its models when the task names one. */
function mainWith(main: () => ModelRoute, named: { readonly model?: string }): Candidate {
  if (named.model === undefined) return 'main';
  const { provider, baseUrl } = main();
  return { provider, ...(provider === custom.id ? { baseUrl } : {}), model: named.model };
}

/** Providers that a key or a login may be there for, with their models for side tasks. */
function builtInChain(task: string, main: ModelRoute, sources: RouteSources): RouteRequest[] {
  const kind = isVisual(task) ? 'vision' : 'text';
  const rank = ({ sideRank }: ProviderIdentity) => sideRank?.[kind] ?? Number.POSITIVE_INFINITY;
  const ranked = allProfiles(sources.settings).filter((profile) => kind === 'text' || Number.isFinite(rank(profile)));
  // Sorting keeps the order of the catalogue among those without a place.
  const ordered = ranked.toSorted((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)));
  return ordered.flatMap((profile) => {
    if (profile.id === custom.id) return ownEndpoints(sources).filter(({ baseUrl }) => baseUrl !== main.baseUrl);
    if (profile.id === main.provider) return [];
    const byKey = profile.auth === 'api_key' && hasKey(profile, sources.variables.named);
    const byLogin = profile.auth === 'oauth_device_code';
    const model = profile.auxModel ?? profile.defaultModel;
    return (byKey || byLogin) && model !== undefined ? [{ provider: profile.id, model }] : [];
  });
}

function isVisual(task: string): boolean {
  return task === 'vision' || task === 'video';
}

/** Out of money or quota, or not there at all. A limit that passes by itself is no reason to leave a chosen model. */
function isOutOfCapacity({ kind, message }: ModelError): boolean {
  if (kind === 'billing' || kind === 'network') return true;
  return kind === 'rate_limit' && /\b(?:daily|per[- ]day|quota|plan|usage limit)\b/i.test(message);
}
