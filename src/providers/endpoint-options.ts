/** How an endpoint is spoken to: headers, body fields, time limits and peculiarities; everything but the way in. */
import { filled, parseBoolean } from '../config/env-values.ts';
import type { RequestTimeouts } from '../config/model-variables.ts';
import type { Network } from '../lib/connections.ts';
import { type Endpoint, hostMatches, isLocalHost, type Timeouts } from '../llm/endpoint.ts';
import type { ApiMode } from '../llm/protocol.ts';
import { codexDeadlines } from './codex-deadlines.ts';
import { placeIn } from './endpoint-address.ts';
import type { CustomProvider, ProviderTimeouts } from './model-settings.ts';
import { openRouterBody, openRouterCacheHeaders } from './openrouter-options.ts';
import { openaiCodex } from './profiles/openai-codex.ts';
import type { RouteSources } from './route-services.ts';
import type { Target } from './target.ts';

export interface EndpointRequest {
  readonly target: Target;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiMode: ApiMode;
  readonly contextLength: number | undefined;
}

export function endpointOptions(asked: EndpointRequest, sources: RouteSources): Endpoint {
  const { target, baseUrl, model, apiMode, contextLength } = asked;
  const { chosen, request } = target;
  const { profile, saved } = chosen;
  const { settings, variables, services } = sources;
  const hostname = URL.parse(baseUrl)?.hostname ?? '';
  const openRouter = hostMatches(hostname, 'openrouter.ai');
  const network = networkOf(chosen, sources);
  const extraBody = {
    ...profile.extraBody,
    ...(openRouter ? openRouterBody(settings, model, request.sideTask === true) : {}),
    ...saved?.extra_body,
  };
  return {
    provider: chosen.id,
    baseUrl,
    headers: {
      ...profile.headers,
      ...(openRouter ? openRouterCacheHeaders(settings, variables) : {}),
      ...saved?.extra_headers,
    },
    ...(profile.requestHeaders === undefined ? {} : { requestHeaders: profile.requestHeaders }),
    timeouts: timeoutsFrom(settings.providers?.[saved?.id ?? chosen.id], model, {
      ...variables.timeouts,
      stale: variables.timeouts.stale ?? (isLocalHost(hostname) ? localSilence(sources) : undefined),
    }),
    ...(chosen.id === openaiCodex.id ? { timeoutsBySize: codexDeadlines(variables.timeouts.codex) } : {}),
    quirks: quirksAt(hostname, profile.quirks),
    ...(apiMode === 'bedrock_converse' ? { bedrock: bedrockOptions(sources) } : {}),
    ...(Object.keys(extraBody).length === 0 ? {} : { extraBody }),
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(services?.refusalsAt === undefined ? {} : { refusals: services.refusalsAt(apiMode, baseUrl) }),
    ...(services?.dump === undefined ? {} : { dump: services.dump }),
    network:
      services?.connections === undefined ? network : { ...network, connections: services.connections.over(network) },
  };
}

/** How a provider is reached, in whatever format it is asked. */
export function networkOf({ saved }: Target['chosen'], { settings, variables }: RouteSources): Network {
  return {
    proxies: variables.network.proxies,
    trusts: trustOf(saved, variables.network.trusts),
    ...(settings.force_ipv4 === true ? { ipv4Only: true } : {}),
  };
}

/** `ssl_verify` as YAML and people write it: a switch, or the file itself. */
function trustOf(saved: CustomProvider | undefined, files: readonly string[]): NonNullable<Network['trusts']> {
  const { ssl_verify: written, ssl_ca_cert: file } = saved ?? {};
  const verify = typeof written === 'string' ? parseBoolean(written) : written;
  if (verify === false) return 'anybody';
  const named = verify === undefined && typeof written === 'string' ? [written] : [];
  return [...files, ...[file, ...named].flatMap((name) => filled(name) ?? [])];
}

function bedrockOptions(sources: RouteSources): NonNullable<Endpoint['bedrock']> {
  const { profile = '', ...settings } = sources.settings.bedrock ?? {};
  const guardrail = guardrailOf(settings);
  return {
    region: placeIn(sources).awsRegion ?? 'us-east-1',
    ...(profile === '' ? {} : { profile }),
    ...(guardrail === undefined ? {} : { guardrail }),
  };
}

function guardrailOf(
  settings: Partial<NonNullable<RouteSources['settings']['bedrock']>>,
): NonNullable<Endpoint['bedrock']>['guardrail'] {
  const { guardrail_identifier: identifier = '', guardrail_version: version = '' } = settings;
  if (identifier === '') return undefined;
  const { stream_processing_mode: mode = '', trace = '' } = settings;
  return {
    identifier,
    version: version || 'DRAFT',
    ...(mode === '' ? {} : { streamProcessingMode: mode }),
    ...(trace === '' ? {} : { trace }),
  };
}

/** OpenAI's own models know the output limit under its newer name, at whichever name the endpoint is configured. */
function quirksAt(hostname: string, quirks: Endpoint['quirks'] = {}): NonNullable<Endpoint['quirks']> {
  const openAi = hostMatches(hostname, 'api.openai.com') || hostMatches(hostname, 'openai.azure.com');
  if (!openAi) return quirks;
  const { reasoning } = quirks;
  return {
    maxTokensField: 'max_completion_tokens',
    replayReasoning: false,
    ...quirks,
    ...(reasoning === 'own_server' ? { reasoning: 'reasoning_effort' } : {}),
  };
}

/** A server of one's own may read a long prompt for minutes. Undefined: the usual time. */
function localSilence({ settings, variables }: RouteSources): number | undefined {
  return variables.timeouts.staleLocal ?? settings.local_stream_stale_timeout;
}

/** Configuration beats environment; a model's own limit beats its provider's. */
function timeoutsFrom(
  configured: ProviderTimeouts | undefined,
  model: string,
  process: RequestTimeouts,
): Partial<Timeouts> {
  const ofModel = configured?.models?.[model];
  const silence = ofModel?.stale_timeout_seconds ?? configured?.stale_timeout_seconds;
  return {
    ...limit('totalMs', ofModel?.timeout_seconds ?? configured?.request_timeout_seconds ?? process.total),
    ...limit('readMs', process.read),
    ...limit('staleMs', silence ?? process.stale),
    ...limit('staleWholeMs', silence ?? process.staleWhole),
  };
}

function limit(name: keyof Timeouts, seconds: number | undefined): Partial<Timeouts> {
  return seconds === undefined ? {} : { [name]: seconds * 1000 };
}
