/** From what was asked for and what is configured to a model that can be called now. */
import { type Fetch, fetchOver } from '../lib/fetch-over.ts';
import { LoneKey } from '../credentials/lone-key.ts';
import type { Authorizer } from '../llm/authorizer.ts';
import { type Endpoint, noKeyRequired } from '../llm/endpoint.ts';
import type { ApiMode, ModelRoute, Protocol } from '../llm/protocol.ts';
import { openProtocol } from '../llm/protocols/catalogue.ts';
import type { ProviderProfile } from '../llm/provider.ts';
import type { ModelFacts } from '../models/model-facts.ts';
import { type Access, accessFor } from './access.ts';
import { chooseApiMode } from './api-mode.ts';
import { authorizerOf } from './authorizer.ts';
import { namedModel, onlyModel } from './choose-model.ts';
import { filled } from '../config/env-values.ts';
import type { RouteRequest } from './choose-provider.ts';
import { withoutSlash } from './endpoint-address.ts';
import { endpointOptions, networkOf } from './endpoint-options.ts';
import { limitsOf } from './limits.ts';
import type { RouteSources } from './route-services.ts';
import { chooseTarget, type Target, withAddress } from './target.ts';
import { virtualRoute } from './virtual-route.ts';

export type { RouteRequest } from './choose-provider.ts';
export { parseModelSpec } from './model-spec.ts';

/**
 * The route for a request. Explicit values beat the configuration, the configuration beats the environment; what the
 * configuration says of one provider (endpoint, key, limits) is never used for another. Asks the network only when a
 * local endpoint is asked what it serves, or where a key works. Throws `UserError` for an unknown provider, a missing
 * key or model, and `NotConfiguredError` when nothing is configured at all.
 */
export async function resolveRoute(
  request: RouteRequest,
  sources: RouteSources,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelRoute> {
  const asked = chooseTarget(request, sources);
  if (asked.chosen.profile.apiMode === 'in_process') return await virtualRoute(asked, sources);
  const target = withAddress(asked, sources);
  const { chosen, own } = target;
  // What was forgotten on the command line is said before what is missing in the home.
  const named = namedModel(target, sources);
  const access = await accessFor(target, sources, signal);
  const model = named ?? (await onlyModelAt(target, { access, sources }, signal));
  const baseUrl = await baseUrlFor({ target, access, model }, sources, signal);
  const apiMode = apiModeOf(target, baseUrl, model);
  const authorizer = authorizerOf(access, { profile: chosen.profile, baseUrl, apiMode });
  const facts = await sources.services?.knowledge?.facts(chosen.profile.id, model);
  const limits = await limitsOf({ target, baseUrl, model, apiMode, facts, authorizer }, sources, signal);
  const endpoint = endpointOptions({ target, baseUrl, model, apiMode, contextLength: limits.contextLength }, sources);
  return {
    provider: chosen.id,
    model,
    baseUrl,
    apiMode,
    ...(authorizer === undefined ? {} : { authorizer }),
    protocol: await open(access, { target, model, apiMode, endpoint }, sources),
    ...limits,
    ...(own.temperature === undefined ? {} : { temperature: own.temperature }),
    ...visionOf(target, model, facts),
    streaming: true,
  };
}

/** An endpoint that can be asked something beside a conversation: for its models, or whether it is there. */
export interface OpenEndpoint {
  readonly profile: ProviderProfile;
  readonly baseUrl: string;
  readonly apiMode: ApiMode;
  /** Absent where requests are signed by a cloud's own library. */
  readonly authorizer?: Authorizer;
  /** Over the proxies, authorities and sockets that lead there. */
  readonly fetch: Fetch;
}

/** Where a request would go and how it gets in; asks the network for nothing. Throws like `resolveRoute`. */
export async function openEndpoint(
  request: RouteRequest,
  sources: RouteSources,
  signal?: AbortSignal,
): Promise<OpenEndpoint> {
  const target = withAddress(chooseTarget(request, sources), sources);
  const { profile } = target.chosen;
  const access = await accessFor(target, sources, signal);
  const baseUrl = addressForKey(target, access) ?? target.address.baseUrl;
  const apiMode = apiModeOf(target, baseUrl, filled(request.model) ?? '');
  const authorizer = authorizerOf(access, { profile, baseUrl, apiMode });
  const fetch = fetchOver(networkOf(target.chosen, sources));
  return { profile, baseUrl, apiMode, fetch, ...(authorizer === undefined ? {} : { authorizer }) };
}

function apiModeOf({ chosen, request, own }: Target, baseUrl: string, model: string): ApiMode {
  const explicit = [
    request.apiMode,
    chosen.saved?.api_mode,
    own.api_mode,
    modeOfName(request.provider ?? own.provider),
  ];
  return chooseApiMode({ explicit, profile: chosen.profile, baseUrl, model });
}

/** Who calls a server Ollama means its own format, wherever it listens; what else answers there is found out with the first request. */
function modeOfName(name: string | undefined): ApiMode | undefined {
  return name?.trim().toLowerCase() === 'ollama' ? 'ollama_chat' : undefined;
}

/** Some keys belong to an address of their own, as long as nobody chose another one. */
function addressForKey({ chosen, address }: Target, access: Access): string | undefined {
  if (!address.isDefault || access.kind !== 'key') return undefined;
  return chosen.profile.baseUrlByKey?.find(({ prefix }) => access.key.startsWith(prefix))?.baseUrl;
}

async function onlyModelAt(
  target: Target,
  { access, sources }: { readonly access: Access; readonly sources: RouteSources },
  signal: AbortSignal,
): Promise<string> {
  const { profile } = target.chosen;
  const { baseUrl } = target.address;
  const authorizer = authorizerOf(access, { profile, baseUrl, apiMode: profile.apiMode });
  const fetch = fetchOver(networkOf(target.chosen, sources));
  return await onlyModel(target, { fetch, ...(authorizer === undefined ? {} : { authorizer }) }, signal);
}

interface AddressQuery {
  readonly target: Target;
  readonly access: Access;
  readonly model: string;
}

/** As configured, as its key says, or the one of several at which the key works. */
async function baseUrlFor(
  { target, access, model }: AddressQuery,
  sources: RouteSources,
  signal: AbortSignal,
): Promise<string> {
  const { address, chosen } = target;
  const byKey = addressForKey(target, access);
  if (byKey !== undefined) return byKey;
  if (!address.isDefault || access.kind !== 'key' || chosen.profile.probeBaseUrls === undefined) return address.baseUrl;
  const { probeAddress } = await import('./probe-address.ts');
  const { log, findings } = sources.services ?? {};
  const fetch = fetchOver(networkOf(chosen, sources));
  return await probeAddress({ profile: chosen.profile, key: access.key, model, findings, log, fetch }, signal);
}

function visionOf(
  { chosen, own }: Target,
  model: string,
  facts: ModelFacts | undefined,
): { readonly vision?: boolean } {
  const vision = own.supports_vision ?? chosen.saved?.models?.[model]?.supports_vision ?? facts?.vision;
  return vision === undefined ? {} : { vision };
}

interface OpenRequest {
  readonly target: Target;
  readonly model: string;
  readonly apiMode: ApiMode;
  readonly endpoint: Endpoint;
}

/** A pool opens the endpoint once for each of its credentials, some of which have an address of their own. */
async function open(access: Access, asked: OpenRequest, sources: RouteSources): Promise<Protocol> {
  const { target, model, endpoint } = asked;
  if (access.kind !== 'pool') return withRests(await openWith(access, asked), access, asked, sources);
  const { PooledProtocol } = await import('../credentials/pooled-protocol.ts');
  return new PooledProtocol(access.pool, async ({ secret, baseUrl, account }) => {
    const single: Access = { kind: 'key', key: secret, ...(account === undefined ? {} : { account }) };
    // Later than the request that resolved the route, whose signal may have aborted meanwhile.
    const { signal } = new AbortController();
    // The original stores the usual address with every key; only another one says something.
    const own = baseUrl === undefined || isUsual(baseUrl, target) ? undefined : baseUrl;
    const at = own ?? (await baseUrlFor({ target, access: single, model }, sources, signal));
    return await openWith(single, { ...asked, endpoint: { ...endpoint, baseUrl: at } });
  });
}

function isUsual(baseUrl: string, { chosen }: Target): boolean {
  return withoutSlash(baseUrl) === withoutSlash(chosen.profile.baseUrl);
}

/** A key for this run only leaves no trace. */
function withRests(protocol: Protocol, access: Access, { target }: OpenRequest, { services }: RouteSources): Protocol {
  if (access.kind !== 'key' || access.key === noKeyRequired || services?.findings === undefined) return protocol;
  if (filled(target.request.apiKey) !== undefined) return protocol;
  return new LoneKey(protocol, { provider: target.chosen.id, key: access.key, kept: services.findings });
}

async function openWith(access: Access, { target, apiMode, endpoint }: OpenRequest): Promise<Protocol> {
  const { profile } = target.chosen;
  const authorizer = authorizerOf(access, { profile, baseUrl: endpoint.baseUrl, apiMode });
  // AWS's library puts the key into the request by itself.
  const [apiKey] = apiMode === 'bedrock_converse' ? (authorizer?.secrets ?? []) : [];
  const complete: Endpoint = {
    ...endpoint,
    ...(apiKey === undefined ? {} : { bedrock: { ...endpoint.bedrock, apiKey } }),
    ...(authorizer === undefined ? {} : { authorizer }),
  };
  const protocol = await openProtocol(apiMode, complete);
  if (profile.loadsModels !== true) return protocol;
  const { LoadingProtocol } = await import('./lm-studio.ts');
  return new LoadingProtocol(protocol, complete);
}
