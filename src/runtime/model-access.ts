/** Everything that a runtime asks of models: routes, logins, knowledge, prices, and the questions beside the conversation. */
import { homedir } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../agent/clock.ts';
import type { ContextModel } from '../agent/context/engine.ts';
import { UserError } from '../lib/errors.ts';
import { isJsonObject } from '../lib/json.ts';
import type { RouteRequest } from '../providers/choose-provider.ts';
import type * as Local from '../models/local/local-models.ts';
import type { ModelKnowledge } from '../models/model-facts.ts';
import type { StoredLogins } from '../credentials/stored-logins.ts';
import type { ModelSettings } from '../providers/model-settings.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { resolveKey, resolveRoute } from '../providers/resolve.ts';
import type { RouteServices } from '../providers/route-services.ts';
import type { UserProfiles } from '../providers/user-profiles.ts';
import { modelSettings } from './model-settings.ts';
import { openLogins } from './open-logins.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface ModelAccess {
  readonly settings: ModelSettings;
  readonly knowledge: ModelKnowledge;
  /** Things the user should be told once. */
  readonly warnings: readonly string[];
  /** The one resolver for conversations, fallbacks and side tasks. Throws `UserError`. */
  resolve(request: RouteRequest, signal?: AbortSignal): Promise<ModelRoute>;
  /** The key that such a request would be sent with; undefined when it needs none. Throws `UserError`. */
  keyOf(request: RouteRequest, signal: AbortSignal): Promise<string | undefined>;
  /** The window that a provider named in its refusal; undefined when it named none. */
  learnWindow(refusal: string, model: ContextModel): Promise<number | undefined>;
  /** Writes a window down for later starts. Never rejects. */
  keepWindow(model: ContextModel, tokens: number): Promise<void>;
  /**
   * What the user should know of a model whose window was learned from a refusal and is small. Throws `UserError` for one
   * that is known to be too small for an agent.
   */
  checkRoom(route: ModelRoute): Promise<readonly string[]>;
  /** Brings the facts about models up to date beside the work, for programs that stay; nobody waits for it. */
  refresh(): void;
  close(): Promise<void>;
}

/** Below this there is no room for the tools, the prompt and the work. */
const minimumContext = 64_000;
/** What a start waits for a server to tell its window; later answers count from the next start. */
const probeWaitMs = 300;
/** A server that does not tell its window is not asked again for so long. */
const silenceMs = 24 * 60 * 60_000;

export type ModelAccessOptions = Pick<RuntimeOptions, 'home' | 'env' | 'config' | 'longLived'>;

/** Reads nothing but the provider profiles of the home; the rest comes when it is asked for. */
export async function openModelAccess(options: ModelAccessOptions): Promise<ModelAccess> {
  const { home, env } = options;
  const { config } = options.config;
  const user = await profilesIn(join(home.path, 'plugins', 'model-providers'));
  const settings = modelSettings(config, user.profiles, await storedIn(join(home.path, 'auth.json')));
  const closing = new AbortController();
  const { HomeKnowledge } = await import('../models/knowledge/model-knowledge.ts');
  const knowledge = new HomeKnowledge({
    cachePath: join(home.path, 'models_dev_cache.json'),
    enabled: config.model_catalog.enabled,
    ttlHours: config.model_catalog.ttl_hours,
    overrides: overridesIn(config.model_catalog.providers),
    clock: systemClock,
  });
  const { LearnedLengths } = await import('../models/knowledge/learned-lengths.ts');
  const learned = new LearnedLengths(join(home.path, 'context_length_cache.yaml'));
  const logins = openLogins(options);
  let localModels: Local.LocalModels | undefined;
  const services: RouteServices = {
    knowledge,
    poolFor: logins.poolFor,
    findings: logins.findings,
    foreignToken: logins.foreignToken,
    ...(await requestDump(options)),
    learnedContext: (model, baseUrl) => learned.get(model, baseUrl),
    async probeContext(endpoint) {
      const { model, baseUrl } = endpoint;
      const probe = async (): Promise<number | undefined> => {
        const { createContextProbe } = await import('../models/knowledge/probe-context.ts');
        return await createContextProbe({ learned, clock: systemClock })(endpoint, closing.signal);
      };
      const known = await learned.get(model, baseUrl);
      if (known !== undefined) {
        // What a server says today counts from the next start on.
        if (options.longLived === true) void probe();
        return known;
      }
      const name = `silent:${model}@${baseUrl}`;
      if (Date.now() < Number((await logins.findings.get(name)) ?? 0)) return undefined;
      const wait = systemClock.sleep(probeWaitMs, closing.signal).then(() => undefined);
      const tokens = await Promise.race([probe(), wait]);
      if (tokens === undefined) await logins.findings.set(name, String(Date.now() + silenceMs)).catch(() => undefined);
      return tokens;
    },
    async openVirtual(provider, model, contextLength) {
      if (provider === 'local') {
        const { LocalModels } = await import('../models/local/local-models.ts');
        localModels ??= new LocalModels({ home: home.path, userDirectory: env['HOME'] ?? homedir() });
        return await localModels.open(model, contextLength);
      }
      if (provider !== 'moa') return undefined;
      const { openMixture } = await import('../models/mixture/mixture.ts');
      return await openMixture(model, config.moa, (member) => resolve(member));
    },
  };

  async function resolve(request: RouteRequest, signal?: AbortSignal): Promise<ModelRoute> {
    return await resolveRoute(request, settings, env, services, signal);
  }

  return {
    settings,
    knowledge,
    warnings: user.warnings,
    resolve,
    keyOf: (request, signal) => resolveKey(request, settings, env, services, signal),
    async learnWindow(refusal, { contextLength }) {
      const { learnedLimit } = await import('../models/knowledge/learned-limit.ts');
      const tokens = learnedLimit(refusal);
      if (tokens === undefined || (contextLength !== undefined && tokens >= contextLength)) return undefined;
      return tokens;
    },
    async keepWindow({ model, baseUrl }, tokens) {
      // What cannot be written is learned again.
      await learned.set(model, baseUrl, tokens).catch(() => undefined);
    },
    async checkRoom(route) {
      const { model, baseUrl, provider, contextLength } = route;
      if (contextLength === undefined || contextLength >= minimumContext) return [];
      // It did work with this window once: nobody is to be locked out by what a provider said in passing.
      if ((await learned.get(model, baseUrl)) !== contextLength) throw tooSmall(route, contextLength);
      const count = contextLength.toLocaleString('en-US');
      return [
        `${provider} once said that ${model} takes ${count} tokens only, which is little for an agent (64,000 are advised). If that is wrong, set model.context_length or delete context_length_cache.yaml.`,
      ];
    },
    refresh: () => void knowledge.refresh(closing.signal),
    async close() {
      closing.abort();
      await localModels?.close();
      await knowledge.close();
      await logins.close();
    },
  };
}

/** Nothing is loaded unless somebody looks for a mistake. */
async function requestDump({ home, env }: ModelAccessOptions): Promise<Pick<RouteServices, 'dump'>> {
  if (!['1', 'true', 'yes', 'on'].includes((env['HERMES_DUMP_REQUESTS'] ?? '').toLowerCase())) return {};
  const { RequestDump } = await import('./request-dump.ts');
  const { createRedactor } = await import('../safety/redact.ts');
  const { secretValuesOf } = await import('../safety/secret-variables.ts');
  const mask = createRedactor({ enabled: true, secretValues: secretValuesOf(env) });
  const onProblem = (line: string): void => void process.stderr.write(`${line}\n`);
  const dump = new RequestDump({ directory: join(home.path, 'logs', 'requests'), mask, onProblem });
  return { dump: (request) => dump.write(request) };
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
  return new UserError(`The context of ${model} (${provider}) holds ${count} tokens; at least 64,000 are needed.`, {
    hint: 'Load the model with a larger context (Ollama: num_ctx), choose another one, or correct model.context_length if it is wrong.',
  });
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
