/** Everything that a runtime asks of models: routes, logins, knowledge, prices, and the questions beside the conversation. */
import { homedir } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../agent/clock.ts';
import type { ContextRequest } from '../agent/context/engine.ts';
import { UserError } from '../lib/errors.ts';
import { isJsonObject } from '../lib/json.ts';
import type { RouteRequest } from '../llm/choose-provider.ts';
import type { LocalModels } from '../llm/local/local-models.ts';
import type { ModelKnowledge } from '../llm/model-facts.ts';
import type { ModelSettings } from '../llm/model-settings.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { resolveRoute } from '../llm/resolve.ts';
import type { RouteServices } from '../llm/route-services.ts';
import type { UserProfiles } from '../llm/user-profiles.ts';
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
  /** The window that a provider named in its refusal, kept for later; undefined when it named none. */
  learnWindow(refusal: string, request: ContextRequest): Promise<number | undefined>;
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
  const settings = modelSettings(config, user.profiles);
  const closing = new AbortController();
  const { createModelKnowledge } = await import('../llm/knowledge/model-knowledge.ts');
  const knowledge = createModelKnowledge({
    cachePath: join(home.path, 'models_dev_cache.json'),
    enabled: config.model_catalog.enabled,
    ttlHours: config.model_catalog.ttl_hours,
    overrides: overridesIn(config.model_catalog.providers),
    clock: systemClock,
  });
  const { openLearnedLengths } = await import('../llm/knowledge/learned-lengths.ts');
  const learned = openLearnedLengths(join(home.path, 'context_length_cache.yaml'));
  const logins = openLogins(options);
  let localModels: LocalModels | undefined;
  const services: RouteServices = {
    knowledge,
    poolFor: logins.poolFor,
    findings: logins.findings,
    foreignToken: logins.foreignToken,
    learnedContext: (model, baseUrl) => learned.get(model, baseUrl),
    async probeContext(endpoint) {
      const { model, baseUrl } = endpoint;
      const probe = async (): Promise<number | undefined> => {
        const { createContextProbe } = await import('../llm/knowledge/probe-context.ts');
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
        const { createLocalModels } = await import('../llm/local/local-models.ts');
        localModels ??= createLocalModels({ home: home.path, userDirectory: env['HOME'] ?? homedir() });
        return await localModels.open(model, contextLength);
      }
      if (provider !== 'moa') return undefined;
      const { openMixture } = await import('../llm/mixture/mixture.ts');
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
    async learnWindow(refusal, { model, baseUrl, contextLength }) {
      const { learnedLimit } = await import('../llm/knowledge/learned-limit.ts');
      const tokens = learnedLimit(refusal);
      if (tokens === undefined || (contextLength !== undefined && tokens >= contextLength)) return undefined;
      await learned.set(model, baseUrl, tokens).catch(() => undefined);
      return tokens;
    },
    refresh: () => knowledge.refreshInBackground(closing.signal),
    async close() {
      closing.abort();
      await localModels?.close();
      await knowledge.close();
      await logins.close();
    },
  };
}

/** Most homes have none, and then nothing is loaded for them. */
async function profilesIn(directory: string): Promise<UserProfiles> {
  if (!existsSync(directory)) return { profiles: [], warnings: [] };
  const { readUserProfiles } = await import('../llm/user-profiles.ts');
  return await readUserProfiles(directory);
}

/** Throws `UserError` for a model that is known to be too small for an agent. */
export function requireRoom({ model, provider, contextLength }: ModelRoute): void {
  if (contextLength === undefined || contextLength >= minimumContext) return;
  const count = contextLength.toLocaleString('en-US');
  throw new UserError(`The context of ${model} (${provider}) holds ${count} tokens; at least 64,000 are needed.`, {
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
