/** From what was asked for and what is configured to a model that can be called now. */
import { UserError } from '../lib/errors.ts';
import {
  type ChosenProvider,
  chooseProvider,
  configuredProvider,
  filled,
  type RouteRequest,
} from './choose-provider.ts';
import { familyContextLength } from './context-lengths.ts';
import { type Endpoint, hostMatches, isLocalHost, type Timeouts } from './endpoint.ts';
import { chooseKey, type Environment } from './keys.ts';
import type { ModelSettings } from './model-settings.ts';
import { findAlias } from './model-spec.ts';
import type { ApiMode, ModelRoute } from './protocol.ts';
import { openProtocol } from './protocols/catalogue.ts';

export type { RouteRequest } from './choose-provider.ts';
export { parseModelSpec } from './model-spec.ts';

/**
 * The route for a request. Explicit values beat the configuration, the configuration beats the environment; what the
 * configuration says of one provider (endpoint, key, limits) is never used for another. Asks the network only when no
 * model is named and the endpoint is local. Throws `UserError` for an unknown provider, a missing key or model, and
 * `NotConfiguredError` when nothing is configured at all.
 */
export async function resolveRoute(
  request: RouteRequest,
  settings: ModelSettings,
  env: Environment,
  signal?: AbortSignal,
): Promise<ModelRoute> {
  const asked = withAlias(request, settings);
  const chosen = chooseProvider(asked, settings, env);
  const { profile } = chosen;
  const own = settingsFor(chosen, asked, settings);
  if (profile.inProcess !== undefined) {
    const model = filled(asked.model) ?? profile.defaultModel ?? profile.id;
    const contextLength = own.context_length ?? profile.contextLengths?.[model];
    return {
      provider: profile.id,
      model,
      baseUrl: '',
      apiMode: 'in_process',
      protocol: await profile.inProcess(),
      ...(contextLength === undefined ? {} : { contextLength }),
      streaming: true,
    };
  }
  const address = addressOf(chosen, asked, own, env);
  const apiKey = keyFor(chosen, asked, own, env, address);
  const headers = { ...profile.headers };
  const model = await modelFor(chosen, asked, own, env, async () => {
    if (!isLocalHost(address.hostname)) return undefined;
    const { listModels } = await import('./local-models.ts');
    return await listModels(address.baseUrl, { ...headers, authorization: `Bearer ${apiKey}` }, signal);
  });
  const limits = limitsOf(chosen, own, settings, address.baseUrl, model);
  const apiMode = apiModeFor(chosen, asked, own, address.baseUrl);
  const endpoint: Endpoint = {
    provider: chosen.id,
    baseUrl: address.baseUrl,
    apiKey,
    headers,
    timeouts: timeoutsFrom(settings, chosen.id, model, env),
    quirks: quirksAt(address.hostname, profile.quirks),
    ...(chosen.saved?.extra_body === undefined ? {} : { extraBody: chosen.saved.extra_body }),
    ...(limits.contextLength === undefined ? {} : { contextLength: limits.contextLength }),
  };
  return {
    provider: chosen.id,
    model,
    baseUrl: address.baseUrl,
    apiMode,
    protocol: await openProtocol(apiMode, endpoint),
    ...limits,
    ...(own.temperature === undefined ? {} : { temperature: own.temperature }),
    streaming: true,
  };
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

interface Address {
  readonly baseUrl: string;
  readonly hostname: string;
  /** Not put in the provider's place by the user. */
  readonly ownHost: boolean;
}

function addressOf(chosen: ChosenProvider, request: RouteRequest, own: ModelSettings, env: Environment): Address {
  const { profile, saved } = chosen;
  const variable = profile.baseUrlVariable;
  const written =
    filled(request.baseUrl) ??
    filled(saved?.base_url) ??
    filled(own.base_url) ??
    (variable === undefined ? undefined : filled(env[variable])) ??
    profile.baseUrl;
  if (written === '') {
    throw new UserError(`No address is set for provider '${chosen.id}'.`, {
      hint: 'Set it with `hermes config set model.base_url http://localhost:11434/v1`, or CUSTOM_BASE_URL in the environment.',
    });
  }
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UserError(
      `The address of provider '${chosen.id}' is not an http(s) URL: ${written.replace(/\/\/[^@/]*@/, '//***@')}`,
      {
        hint: 'Correct it with `hermes config set model.base_url <url>`.',
      },
    );
  }
  const domain = URL.parse(profile.baseUrl)?.hostname;
  return {
    baseUrl: withoutSlash(written),
    hostname: url.hostname,
    ownHost: domain !== undefined && hostMatches(url.hostname, domain),
  };
}

function keyFor(
  chosen: ChosenProvider,
  request: RouteRequest,
  own: ModelSettings,
  env: Environment,
  { hostname, ownHost }: Address,
): string {
  const { profile, saved } = chosen;
  const fromVariable = (name: string | undefined) => (filled(name) === undefined ? undefined : env[name ?? '']);
  const candidates = [
    request.apiKey,
    fromVariable(request.keyEnv),
    saved?.api_key,
    fromVariable(saved?.key_env),
    own.api_key,
    fromVariable(own.key_env),
  ];
  const key = chooseKey({ own: candidates, profile, hostname, env, ownHost });
  if (key !== undefined) return key;
  const variable = filled(own.key_env) ?? profile.keyVariables[0] ?? '';
  throw new UserError(`No API key for ${chosen.id}: ${variable} is not set.`, {
    hint: `Set it with \`hermes config set ${variable} <key>\`, or run \`hermes setup\`.`,
  });
}

/** Explicit, for this process, configured, saved with the endpoint, the provider's own, or the only one there is. */
async function modelFor(
  chosen: ChosenProvider,
  request: RouteRequest,
  own: ModelSettings,
  env: Environment,
  list: () => Promise<readonly string[] | undefined>,
): Promise<string> {
  const named =
    filled(request.model) ??
    filled(env['HERMES_INFERENCE_MODEL']) ??
    filled(own.default) ??
    filled(own.model) ??
    filled(chosen.saved?.model) ??
    chosen.profile.defaultModel;
  if (named !== undefined) return named;
  const listed = await list();
  const [only, ...others] = listed ?? [];
  if (only !== undefined && others.length === 0) return only;
  const choice = listed === undefined || listed.length === 0 ? '' : ` It offers: ${listed.slice(0, 20).join(', ')}.`;
  throw new UserError(`No model is set for provider '${chosen.id}'.${choice}`, {
    hint: 'Name one with --model, or `hermes config set model.default <model>`.',
  });
}

/** Tokens; what is not known is absent. */
function limitsOf(
  chosen: ChosenProvider,
  own: ModelSettings,
  settings: ModelSettings,
  baseUrl: string,
  model: string,
): { readonly contextLength?: number; readonly maxTokens?: number } {
  const saved =
    chosen.saved ?? (settings.custom_providers ?? []).find((entry) => withoutSlash(entry.base_url) === baseUrl);
  const entry = saved?.models?.[model];
  const contextLength =
    own.context_length ?? entry?.context_length ?? chosen.profile.contextLengths?.[model] ?? familyContextLength(model);
  const maxTokens = own.max_tokens ?? entry?.max_tokens;
  return {
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** Values that are not known are ignored, as older configurations hold some. */
function apiModeFor(chosen: ChosenProvider, request: RouteRequest, own: ModelSettings, baseUrl: string): ApiMode {
  const explicit = [request.apiMode, chosen.saved?.api_mode, own.api_mode].map(parseApiMode);
  const mode = explicit.find((value) => value !== undefined);
  if (mode !== undefined) return mode;
  const url = URL.parse(baseUrl);
  const speaksAnthropic = url !== null && (url.pathname.endsWith('/anthropic') || url.hostname === 'api.anthropic.com');
  return speaksAnthropic ? 'anthropic_messages' : chosen.profile.apiMode;
}

function parseApiMode(value: string | undefined): ApiMode | undefined {
  return value === 'chat_completions' || value === 'codex_responses' || value === 'anthropic_messages'
    ? value
    : undefined;
}

/** OpenAI's own models know the output limit under its newer name, at whichever name the endpoint is configured. */
function quirksAt(hostname: string, quirks: Endpoint['quirks'] = {}): NonNullable<Endpoint['quirks']> {
  const openAi = hostMatches(hostname, 'api.openai.com') || hostMatches(hostname, 'openai.azure.com');
  return openAi ? { maxTokensField: 'max_completion_tokens', replayReasoning: false, ...quirks } : quirks;
}

/** Configuration beats environment; a model's own limit beats its provider's. */
function timeoutsFrom(settings: ModelSettings, provider: string, model: string, env: Environment): Partial<Timeouts> {
  const ofProvider = settings.providers?.[provider];
  const ofModel = ofProvider?.models?.[model];
  const total = ofModel?.timeout_seconds ?? ofProvider?.request_timeout_seconds ?? seconds(env['HERMES_API_TIMEOUT']);
  const configuredStale = ofModel?.stale_timeout_seconds ?? ofProvider?.stale_timeout_seconds;
  const stale = configuredStale ?? seconds(env['HERMES_STREAM_STALE_TIMEOUT']);
  const staleWhole = configuredStale ?? seconds(env['HERMES_API_CALL_STALE_TIMEOUT']);
  const read = seconds(env['HERMES_STREAM_READ_TIMEOUT']);
  return {
    ...(total === undefined ? {} : { totalMs: total * 1000 }),
    ...(read === undefined ? {} : { readMs: read * 1000 }),
    ...(stale === undefined ? {} : { staleMs: stale * 1000 }),
    ...(staleWhole === undefined ? {} : { staleWholeMs: staleWhole * 1000 }),
  };
}

function seconds(value: string | undefined): number | undefined {
  const number = Number(filled(value) ?? 'none');
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

function withoutSlash(url: string): string {
  return url.trim().replace(/\/+$/, '');
}
