/** Everything that a runtime asks of models: routes, logins, knowledge, prices, and what is asked beside the conversation. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../agent/clock.ts';
import type { ContextModel } from '../agent/context/engine.ts';
import { UserError } from '../lib/errors.ts';
import { fetchOver } from '../lib/fetch-over.ts';
import { isJsonObject } from '../lib/json.ts';
import { type Log, noLog } from '../lib/log.ts';
import { SharedConnections } from '../lib/shared-connections.ts';
import { modelVariables } from '../config/model-variables.ts';
import { userDirectory } from '../config/home.ts';
import type { Endpoint } from '../llm/endpoint.ts';
import { findProfile, type RouteRequest } from '../providers/choose-provider.ts';
import type { LearnedLengths } from '../models/knowledge/learned-lengths.ts';
import type { HomeKnowledge } from '../models/knowledge/model-knowledge.ts';
import type { ProbedEndpoint } from '../models/knowledge/probe-context.ts';
import type { LocalModels } from '../models/local/local-models.ts';
import type { ModelKnowledge } from '../models/model-facts.ts';
import type { StoredLogins } from '../credentials/stored-logins.ts';
import type { ModelSettings } from '../providers/model-settings.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { resolveRoute } from '../providers/resolve.ts';
import type { RouteServices, RouteSources } from '../providers/route-services.ts';
import type { UserProfiles } from '../providers/user-profiles.ts';
import { modelSettings } from './model-settings.ts';
import { HomeLogins } from './open-logins.ts';
import { RefusedParts } from './refused-parts.ts';
import { secretMask } from './secret-mask.ts';
import { roomyWindow, smallWindowLine } from './small-window.ts';
import type { ProgramOptions } from './program-options.ts';

/**
 * The models of a program: one for all its sessions.
 *
 * @example
 * const route = await models.resolve({ provider: 'openrouter', model: 'openai/gpt-5' }, signal);
 * for (const warning of await models.checkRoom(route)) warn(warning);
 */
export interface ModelAccess {
  /** What questions about providers are answered from. */
  readonly sources: RouteSources;
  readonly settings: ModelSettings;
  readonly knowledge: ModelKnowledge;
  /** Things the user should be told once. */
  readonly warnings: readonly string[];
  /** The one resolver for conversations, fallbacks and side tasks. Throws `UserError`. */
  resolve(request: RouteRequest, signal?: AbortSignal): Promise<ModelRoute>;
  /** The window that a provider named in its refusal; undefined when it named none. */
  learnWindow(refusal: string, model: ContextModel): Promise<number | undefined>;
  /** Writes a window down for later starts. Never rejects. */
  keepWindow(model: ContextModel, tokens: number): Promise<void>;
  /**
   * What the user should know of a model whose window is small. Throws `UserError` for one
   * that is known to be too small for an agent.
   */
  checkRoom(route: ModelRoute): Promise<readonly string[]>;
  /** Brings the facts about models up to date beside the work, for programs that stay; nobody waits for it. */
  refresh(): void;
  /** Fetches the facts about models again, whatever their age. False when nothing new came. */
  refreshNow(signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** Below this there is no room for the leanest prompt and an answer. */
const minimumContext = 2000;
/** What a start waits for a server to tell its window; later answers count from the next start. */
const probeWaitMs = 300;
/** A server that does not tell its window is not asked again for so long. */
const silenceMs = 24 * 60 * 60_000;

export type ModelAccessOptions = Pick<ProgramOptions, 'home' | 'env' | 'config' | 'longLived'> & { readonly log?: Log };

/** Reads nothing but the provider profiles of the home; the rest comes when it is asked for. */
export async function openModelAccess(options: ModelAccessOptions): Promise<ModelAccess> {
  const { home, log = noLog } = options;
  const { config } = options.config;
  const user = await profilesIn(join(home.path, 'plugins', 'model-providers'));
  const settings = modelSettings(config, user.profiles, await storedIn(join(home.path, 'auth.json')));
  const { HomeKnowledge } = await import('../models/knowledge/model-knowledge.ts');
  const knowledge = new HomeKnowledge({
    cachePath: join(home.path, 'models_dev_cache.json'),
    enabled: config.model_catalog.enabled,
    ttlHours: config.model_catalog.ttl_hours,
    traitsOf: (provider) => findProfile(provider, settings),
    overrides: overridesIn(config.model_catalog.providers),
    clock: systemClock,
    fetch: fetchOver(modelVariables(options.env).network),
  });
  const { LearnedLengths } = await import('../models/knowledge/learned-lengths.ts');
  const learned = new LearnedLengths(join(home.path, 'context_length_cache.yaml'));
  const dump = await requestDump(options);
  return new HomeModels({ ...options, log, knowledge, learned, settings, dump, warnings: user.warnings });
}

interface HomeModelsParts extends ModelAccessOptions {
  readonly log: Log;
  readonly knowledge: HomeKnowledge;
  readonly learned: LearnedLengths;
  readonly settings: ModelSettings;
  readonly dump: Endpoint['dump'];
  readonly warnings: readonly string[];
}

class HomeModels implements ModelAccess {
  readonly sources: RouteSources;
  readonly knowledge: ModelKnowledge;
  readonly warnings: readonly string[];
  readonly #parts: HomeModelsParts;
  readonly #logins: HomeLogins;
  readonly #closing = new AbortController();
  #localModels: LocalModels | undefined;

  constructor(parts: HomeModelsParts) {
    this.#parts = parts;
    this.knowledge = parts.knowledge;
    this.warnings = parts.warnings;
    this.#logins = new HomeLogins(parts);
    const { knowledge, learned, dump, log } = parts;
    const refused = new RefusedParts(join(parts.home.path, 'cache', 'refused_parts.json'), log);
    const services: RouteServices = {
      knowledge,
      log,
      connections: new SharedConnections(),
      poolFor: (provider, seeds) => this.#logins.poolFor(provider, seeds),
      findings: this.#logins.findings,
      foreignToken: (provider, signal) => this.#logins.foreignToken(provider, signal),
      learnedContext: (model, baseUrl) => learned.get(model, baseUrl),
      probeContext: (endpoint) => this.#probeContext(endpoint),
      openVirtual: (provider, model, contextLength) => this.#openVirtual(provider, model, contextLength),
      refusalsAt: (apiMode, baseUrl) => refused.at(apiMode, baseUrl),
      ...(dump === undefined ? {} : { dump }),
    };
    this.sources = { settings: parts.settings, variables: modelVariables(parts.env), services };
  }

  get settings(): ModelSettings {
    return this.sources.settings;
  }

  async resolve(request: RouteRequest, signal?: AbortSignal): Promise<ModelRoute> {
    return await resolveRoute(request, this.sources, signal);
  }

  async learnWindow(refusal: string, { contextLength }: ContextModel): Promise<number | undefined> {
    const { learnedLimit } = await import('../models/knowledge/learned-limit.ts');
    const tokens = learnedLimit(refusal);
    if (tokens === undefined || (contextLength !== undefined && tokens >= contextLength)) return undefined;
    return tokens;
  }

  async keepWindow({ model, baseUrl }: ContextModel, tokens: number): Promise<void> {
    try {
      await this.#parts.learned.set(model, baseUrl, tokens);
    } catch (error) {
      this.#parts.log.warning(`the window of ${model} could not be kept and is learned again`, error);
    }
  }

  async checkRoom(route: ModelRoute): Promise<readonly string[]> {
    const { model, baseUrl, provider, contextLength } = route;
    if (contextLength === undefined || contextLength >= roomyWindow) return [];
    if (contextLength < minimumContext) throw tooSmall(route, contextLength);
    if ((await this.#parts.learned.get(model, baseUrl)) !== contextLength) return [smallWindowLine(route) ?? ''];
    const count = contextLength.toLocaleString('en-US');
    return [
      `${provider} once said that ${model} takes ${count} tokens only, which is little for an agent (64,000 are advised). If that is wrong, set model.context_length or delete context_length_cache.yaml.`,
    ];
  }

  refresh(): void {
    void this.#parts.knowledge.refresh(this.#closing.signal);
  }

  async refreshNow(signal: AbortSignal): Promise<boolean> {
    return await this.#parts.knowledge.refreshNow(AbortSignal.any([signal, this.#closing.signal]));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#localModels?.close();
    await this.#parts.knowledge.close();
    await this.#logins.close();
  }

  async #probeContext(endpoint: ProbedEndpoint): Promise<number | undefined> {
    const { learned, longLived, log } = this.#parts;
    const { model, baseUrl } = endpoint;
    const { signal } = this.#closing;
    const probe = async (): Promise<number | undefined> => {
      const { ContextProbe } = await import('../models/knowledge/probe-context.ts');
      return await new ContextProbe({ learned, clock: systemClock, log }).ask(endpoint, signal);
    };
    const known = await learned.get(model, baseUrl);
    if (known !== undefined) {
      // What a server says today counts from the next start on.
      if (longLived === true) void probe();
      return known;
    }
    const name = `silent:${model}@${baseUrl}`;
    const { findings } = this.#logins;
    if (Date.now() < Number((await findings.get(name)) ?? 0)) return undefined;
    const wait = systemClock.sleep(probeWaitMs, signal).then(() => undefined);
    const tokens = await Promise.race([probe(), wait]);
    if (tokens === undefined) {
      try {
        await findings.set(name, String(Date.now() + silenceMs));
      } catch (error) {
        log.info(`${baseUrl} is asked for its window again at the next start`, error);
      }
    }
    return tokens;
  }

  async #openVirtual(provider: string, model: string, contextLength: number | undefined) {
    const { home, env } = this.#parts;
    if (provider === 'local') {
      const { LocalModels } = await import('../models/local/local-models.ts');
      this.#localModels ??= new LocalModels({ home: home.path, userDirectory: userDirectory(env) });
      return await this.#localModels.open(model, contextLength);
    }
    if (provider !== 'moa') return undefined;
    const { openConfiguredMixture } = await import('./configured-mixture.ts');
    return await openConfiguredMixture(model, this.#parts, (member) => this.resolve(member));
  }
}

/** Nothing is loaded unless somebody looks for a mistake. */
async function requestDump({ home, env, config }: ModelAccessOptions): Promise<Endpoint['dump']> {
  const { dumpRequests, printRequests } = modelVariables(env);
  if (!dumpRequests) return undefined;
  const { RequestDump } = await import('./request-dump.ts');
  const dump = new RequestDump({
    directory: join(home.path, 'logs', 'requests'),
    mask: secretMask({ config, env }),
    ...(printRequests ? { print: (text: string) => void process.stdout.write(text) } : {}),
    onProblem: (line) => void process.stderr.write(`${line}\n`),
  });
  return (request) => dump.write(request);
}

/** Most homes have none, and then nothing is loaded for them. */
async function profilesIn(directory: string): Promise<UserProfiles> {
  if (!existsSync(directory)) return { profiles: [], warnings: [] };
  const { readUserProfiles } = await import('../providers/user-profiles.ts');
  return await readUserProfiles(directory);
}

/** Nothing is loaded for a home without logins. */
async function storedIn(path: string): Promise<StoredLogins | undefined> {
  if (!existsSync(path)) return undefined;
  const { storedLogins } = await import('../credentials/stored-logins.ts');
  return storedLogins(path);
}

function tooSmall({ model, provider }: ModelRoute, contextLength: number): UserError {
  const count = contextLength.toLocaleString('en-US');
  return new UserError(
    `The context of ${model} (${provider}) holds ${count} tokens; at least 2,000 are needed, and 64,000 are advised.`,
    {
      hint: 'Load the model with a larger context (Ollama: num_ctx), choose another one, or correct model.context_length if it is wrong.',
    },
  );
}

/** `model_catalog.providers.<id>.models.<model>`: what the owner knows better. */
function overridesIn(
  providers: unknown,
): (provider: string, model: string) => { readonly contextLength?: number } | undefined {
  return (provider, model) => {
    const entry = isJsonObject(providers) ? providers[provider] : undefined;
    const models = isJsonObject(entry) ? entry['models'] : undefined;
    const facts = isJsonObject(models) ? models[model] : undefined;
    const tokens = isJsonObject(facts) ? facts['context_length'] : undefined;
    return typeof tokens === 'number' && tokens > 0 ? { contextLength: tokens } : undefined;
  };
}
