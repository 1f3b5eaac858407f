/** From what was asked for and what is configured to a model that can be called now. */
import { UserError } from '../lib/errors.ts';
import { type Access, accessFor } from './access.ts';
import { chooseApiMode } from './api-mode.ts';
import {
  type ChosenProvider,
  chooseProvider,
  configuredProvider,
  filled,
  type RouteRequest,
} from './choose-provider.ts';
import { familyContextLength } from '../models/context-lengths.ts';
import { type Endpoint, hostMatches, isLocalHost, noKeyRequired } from '../llm/endpoint.ts';
import { type Address, addressOf, awsRegion, withoutSlash } from './endpoint-address.ts';
import type { Environment } from '../credentials/keys.ts';
import type { ModelFacts } from '../models/model-facts.ts';
import type { ModelSettings } from './model-settings.ts';
import { findAlias } from './model-spec.ts';
import { openRouterBody, openRouterCacheHeaders } from './openrouter-options.ts';
import type { ModelRoute, Protocol } from '../llm/protocol.ts';
import { openProtocol } from '../llm/protocols/catalogue.ts';
import { timeoutsFrom } from './request-timeouts.ts';
import type { VirtualModel } from '../models/virtual-model.ts';
import type { RouteServices } from './route-services.ts';

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
  settings: ModelSettings,
  env: Environment,
  services: RouteServices = {},
  signal?: AbortSignal,
): Promise<ModelRoute> {
  const asked = withAlias(request, settings);
  const chosen = chooseProvider(asked, settings, env);
  const { profile } = chosen;
  const own = settingsFor(chosen, asked, settings);
  if (profile.apiMode === 'in_process') return await virtualRoute(chosen, asked, own, services);
  const address = addressOf(chosen, asked, own, settings, env);
  const access = await accessFor({ chosen, request: asked, own, env, address, services, signal });
  const model = await modelFor(chosen, asked, own, env, address, access, signal);
  const baseUrl = await baseUrlFor(chosen, address, access, model, services, signal);
  const apiMode = chooseApiMode({
    explicit: [asked.apiMode, chosen.saved?.api_mode, own.api_mode],
    profile,
    baseUrl,
    model,
  });
  const facts = await services.knowledge?.facts(profile.id, model);
  const limits = await limitsOf(chosen, own, settings, baseUrl, model, facts, access, services, signal);
  const at = { ...address, baseUrl };
  const { dump } = services;
  const endpoint: Endpoint = {
    ...endpointOf(chosen, asked, settings, env, at, model, limits.contextLength),
    ...(dump === undefined ? {} : { dump }),
  };
  return {
    provider: chosen.id,
    model,
    baseUrl,
    apiMode,
    protocol: await open(access, async (single, ownBaseUrl) => {
      const at =
        ownBaseUrl ??
        (access.kind === 'pool' ? await baseUrlFor(chosen, address, single, model, services, signal) : baseUrl);
      return await openProtocol(apiMode, withAccess({ ...endpoint, baseUrl: at }, single, apiMode));
    }),
    ...limits,
    ...(own.temperature === undefined ? {} : { temperature: own.temperature }),
    ...visionOf(chosen, own, model, facts),
    streaming: true,
  };
}

/** The key that such a request would be sent with; undefined when it needs none or has none. Throws like `resolveRoute`. */
export async function resolveKey(
  request: RouteRequest,
  settings: ModelSettings,
  env: Environment,
  services: RouteServices,
  signal: AbortSignal,
): Promise<string | undefined> {
  const chosen = chooseProvider(request, settings, env);
  const own = settingsFor(chosen, request, settings);
  const address = addressOf(chosen, request, own, settings, env);
  const access = await accessFor({ chosen, request, own, env, address, services, signal });
  if (access.kind === 'cloud') return undefined;
  if (access.kind === 'key') return access.key === noKeyRequired ? undefined : access.key;
  const credential = await access.pool.take(signal);
  if (credential !== undefined) await access.pool.report(credential, { kind: 'ok' }, signal);
  return credential?.secret;
}

/** An alias may stand where a model's name is expected, unless a provider was named with it. */
function withAlias(request: RouteRequest, settings: ModelSettings): RouteRequest {
  const model = filled(request.model);
  if (model === undefined || filled(request.provider) !== undefined) return request;
  return { ...request, ...findAlias(model, settings) };
}

/**
 * `model.*` of the configuration as far as it is about the chosen provider and endpoint. Where the configuration names
 * no provider, its model and limits hold for any, its key only for the one that it leads to by itself.
 */
function settingsFor(chosen: ChosenProvider, request: RouteRequest, settings: ModelSettings): ModelSettings {
  const configured = configuredProvider(settings);
  if (configured === 'none') {
    if (filled(request.provider) === undefined && filled(request.baseUrl) === undefined) return settings;
    const { api_key: _key, key_env: _variable, ...rest } = settings;
    return rest;
  }
  const baseUrl = filled(request.baseUrl);
  const sameEndpoint = baseUrl === undefined || withoutSlash(baseUrl) === withoutSlash(settings.base_url ?? '');
  return configured === chosen.id && sameEndpoint ? settings : {};
}

/** A model without an address: in this process, on this disk, or made of others. */
async function virtualRoute(
  chosen: ChosenProvider,
  request: RouteRequest,
  own: ModelSettings,
  services: RouteServices,
): Promise<ModelRoute> {
  const { profile } = chosen;
  const model = filled(request.model) ?? filled(own.default) ?? filled(own.model) ?? profile.defaultModel ?? '';
  const protocol: VirtualModel | undefined =
    (await profile.inProcess?.()) ?? (await services.openVirtual?.(profile.id, model, own.context_length));
  if (protocol === undefined) {
    throw new UserError(`Provider '${profile.id}' cannot be used here.`, {
      hint: 'Choose another one with `hermes model`.',
    });
  }
  const contextLength = own.context_length ?? profile.contextLengths?.[model] ?? protocol.contextLength;
  return {
    provider: profile.id,
    model,
    baseUrl: '',
    apiMode: 'in_process',
    protocol,
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(protocol.vision === undefined ? {} : { vision: protocol.vision }),
    streaming: true,
  };
}

/** Explicit, for this process, configured, saved with the endpoint, the provider's own, or the only one there is. */
async function modelFor(
  chosen: ChosenProvider,
  request: RouteRequest,
  own: ModelSettings,
  env: Environment,
  address: Address,
  access: Access,
  signal: AbortSignal | undefined,
): Promise<string> {
  const named =
    filled(request.model) ??
    (request.ownModel === true || request.sideTask === true ? undefined : filled(env['HERMES_INFERENCE_MODEL'])) ??
    filled(own.default) ??
    filled(own.model) ??
    filled(chosen.saved?.model) ??
    chosen.profile.defaultModel;
  if (named !== undefined) return named;
  const listed = isLocalHost(address.hostname) ? await listLocalModels(chosen, address, access, signal) : undefined;
  const [only, ...others] = listed ?? [];
  if (only !== undefined && others.length === 0) return only;
  const choice = listed === undefined || listed.length === 0 ? '' : ` It offers: ${listed.slice(0, 20).join(', ')}.`;
  throw new UserError(`No model is set for provider '${chosen.id}'.${choice}`, {
    hint: 'Name one with --model, or `hermes config set model.default <model>`.',
  });
}

async function listLocalModels(
  { profile }: ChosenProvider,
  { baseUrl }: Address,
  access: Access,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | undefined> {
  const { listModels } = await import('./local-models.ts');
  const key = access.kind === 'key' ? access.key : undefined;
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return await listModels(baseUrl, { ...profile.headers, ...authorization }, signal);
}

/** Some keys belong to an address of their own, as long as nobody chose another one. */
async function baseUrlFor(
  { profile }: ChosenProvider,
  address: Address,
  access: Access,
  model: string,
  services: RouteServices,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (!address.isDefault || access.kind !== 'key') return address.baseUrl;
  const byKey = profile.baseUrlByKey?.find(({ prefix }) => access.key.startsWith(prefix));
  if (byKey !== undefined) return byKey.baseUrl;
  if (profile.probeBaseUrls === undefined) return address.baseUrl;
  const { probeAddress } = await import('./probe-address.ts');
  return await probeAddress(profile, access.key, model, services.findings, signal);
}

interface Limits {
  readonly contextLength?: number;
  readonly maxTokens?: number;
}

/** Tokens; what is not known is absent. */
async function limitsOf(
  chosen: ChosenProvider,
  own: ModelSettings,
  settings: ModelSettings,
  baseUrl: string,
  model: string,
  facts: ModelFacts | undefined,
  access: Access,
  services: RouteServices,
  signal: AbortSignal | undefined,
): Promise<Limits> {
  const saved =
    chosen.saved ?? (settings.custom_providers ?? []).find((entry) => withoutSlash(entry.base_url) === baseUrl);
  const entry = saved?.models?.[model];
  const apiKey = access.kind === 'key' ? access.key : undefined;
  const probe = async (): Promise<number | undefined> =>
    isLocalHost(URL.parse(baseUrl)?.hostname ?? '')
      ? await services.probeContext?.({ baseUrl, model, ...(apiKey === undefined ? {} : { apiKey }) }, signal)
      : undefined;
  const contextLength =
    own.context_length ??
    entry?.context_length ??
    (await probe()) ??
    (await services.learnedContext?.(model, baseUrl)) ??
    chosen.profile.contextLengths?.[model] ??
    facts?.contextLength ??
    familyContextLength(model);
  const maxTokens = own.max_tokens ?? entry?.max_tokens ?? chosen.profile.maxTokens;
  return {
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

function visionOf(
  chosen: ChosenProvider,
  own: ModelSettings,
  model: string,
  facts: ModelFacts | undefined,
): { readonly vision?: boolean } {
  const vision = own.supports_vision ?? chosen.saved?.models?.[model]?.supports_vision ?? facts?.vision;
  return vision === undefined ? {} : { vision };
}

/** The endpoint without its key. */
function endpointOf(
  chosen: ChosenProvider,
  request: RouteRequest,
  settings: ModelSettings,
  env: Environment,
  address: Address,
  model: string,
  contextLength: number | undefined,
): Endpoint {
  const { profile, saved } = chosen;
  const openRouter = hostMatches(address.hostname, 'openrouter.ai');
  const extraBody = {
    ...profile.extraBody,
    ...(openRouter ? openRouterBody(settings, model, request.sideTask === true) : {}),
    ...saved?.extra_body,
  };
  return {
    provider: chosen.id,
    baseUrl: address.baseUrl,
    headers: { ...profile.headers, ...(openRouter ? openRouterCacheHeaders(settings, env) : {}) },
    ...(profile.requestHeaders === undefined ? {} : { requestHeaders: profile.requestHeaders }),
    timeouts: timeoutsFrom(settings, chosen.id, model, env),
    quirks: quirksAt(address.hostname, profile.quirks),
    ...(profile.auth === 'aws' ? { bedrock: bedrockOptions(settings, env) } : {}),
    ...(Object.keys(extraBody).length === 0 ? {} : { extraBody }),
    ...(contextLength === undefined ? {} : { contextLength }),
    proxyEnv: proxyVariables(env),
  };
}

function proxyVariables(env: Environment): Record<string, string> {
  const names = ['https_proxy', 'http_proxy', 'no_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function bedrockOptions(settings: ModelSettings, env: Environment): NonNullable<Endpoint['bedrock']> {
  const { profile = '', guardrail_identifier = '', guardrail_version = '' } = settings.bedrock ?? {};
  return {
    region: awsRegion(settings, env),
    ...(profile === '' ? {} : { profile }),
    ...(guardrail_identifier === ''
      ? {}
      : { guardrail: { identifier: guardrail_identifier, version: guardrail_version || 'DRAFT' } }),
  };
}

/** OpenAI's own models know the output limit under its newer name, at whichever name the endpoint is configured. */
function quirksAt(hostname: string, quirks: Endpoint['quirks'] = {}): NonNullable<Endpoint['quirks']> {
  const openAi = hostMatches(hostname, 'api.openai.com') || hostMatches(hostname, 'openai.azure.com');
  return openAi ? { maxTokensField: 'max_completion_tokens', replayReasoning: false, ...quirks } : quirks;
}

type OpenAccess = Exclude<Access, { kind: 'pool' }>;

function withAccess(endpoint: Endpoint, access: OpenAccess, apiMode: ModelRoute['apiMode']): Endpoint {
  if (access.kind === 'cloud') {
    return access.authorize === undefined ? endpoint : { ...endpoint, authorize: access.authorize };
  }
  const azure = hostMatches(URL.parse(endpoint.baseUrl)?.hostname ?? '', 'azure.com');
  const keyHeader =
    apiMode === 'gemini_generate' ? 'x-goog-api-key' : apiMode === 'anthropic_messages' ? 'x-api-key' : 'api-key';
  const named = azure || apiMode === 'gemini_generate';
  return { ...endpoint, apiKey: access.key, ...(named ? { keyHeader } : {}) };
}

/** A pool opens the endpoint once for each of its credentials, some of which have an address of their own. */
async function open(
  access: Access,
  openWith: (access: OpenAccess, baseUrl?: string) => Promise<Protocol>,
): Promise<Protocol> {
  if (access.kind !== 'pool') return await openWith(access);
  const { createPooledProtocol } = await import('../credentials/pooled-protocol.ts');
  return createPooledProtocol(access.pool, ({ secret, baseUrl }) => openWith({ kind: 'key', key: secret }, baseUrl));
}
