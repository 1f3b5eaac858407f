/** The composition root: configuration in, sessions with agents out. The only place that knows every room below. */
import { bringSkills } from './bring-skills.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import { selectTools } from '../tools/toolsets.ts';
import { toolCatalogue } from '../tools/catalogue.ts';
import { type ModelAccess, openModelAccess } from './model-access.ts';
import { openSession } from './open-session.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import type { SessionParts } from './session-parts.ts';
import { openStore } from './open-store.ts';
import { wordedTools } from './tool-wording.ts';
import type { OpenSessionOptions, Runtime, Session } from './runtime.ts';

/** Throws `UserError` for a model that cannot be resolved; a store that cannot be opened is a warning. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { config } = options.config;
  const models = await openModelAccess(options);
  const warnings: string[] = [];
  const [resolved, store] = await Promise.all([
    resolveModel(options, models),
    options.opened ?? openStore(options.home),
    bringSkills(options, (line) => warnings.push(line)),
  ]);
  warnings.push(...(await models.checkRoom(resolved.route)));
  const selection = selectTools(toolCatalogue, {
    wanted: options.toolsets ?? config.platform_toolsets[options.surface] ?? config.toolsets,
    custom: Object.fromEntries(
      Object.entries(config.custom_toolsets).map(([name, set]) => [name, [...set.tools, ...set.includes]]),
    ),
    disabled: config.agent.disabled_toolsets,
  });
  warnings.push(
    ...store.warnings,
    ...models.warnings,
    ...selection.unknown.map((name) => `toolsets: '${name}' is not known to this build; ignored`),
  );
  const parts: SessionParts = {
    ...options,
    ignoreRules: options.ignoreRules || options.config.process.ignoreRules,
    models,
    route: resolved.route,
    store: store.store,
    tools: wordedTools(await Promise.all(selection.tools.map((entry) => entry.load())), config.agent.prompt_profile),
  };
  const open = new Set<Session>();
  const pruning = pruneOldSessions(store.store, options);
  if (options.longLived === true) models.refresh();
  return {
    store: store.store,
    warnings,
    demo: resolved.demo,
    async openSession(sessionOptions: OpenSessionOptions) {
      const session = await openSession(parts, sessionOptions, () => open.delete(session));
      open.add(session);
      return session;
    },
    async close() {
      await Promise.all([...open].map((session) => session.close('cli_close')));
      await pruning;
      await models.close();
      await store.store?.close();
    },
  };
}

/** Old sessions go while the user is already talking; a failure leaves them for the next start. Never rejects. */
async function pruneOldSessions(store: SessionStore | undefined, options: RuntimeOptions): Promise<void> {
  const { auto_prune, retention_days, vacuum_after_prune, min_interval_hours } = options.config.config.sessions;
  if (store === undefined || !auto_prune) return;
  const { autoPrune } = await import('../sessions/auto-prune.ts');
  const settings = {
    enabled: auto_prune,
    retentionDays: retention_days,
    vacuumAfterPrune: vacuum_after_prune,
    minIntervalHours: min_interval_hours,
  };
  await autoPrune(store, settings).catch(() => undefined);
}

async function resolveModel(
  options: RuntimeOptions,
  models: ModelAccess,
): Promise<{ route: ModelRoute; demo: boolean }> {
  const request = {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.provider === undefined ? {} : { provider: options.provider }),
  };
  try {
    const route = await models.resolve(request);
    return { route, demo: route.provider === 'demo' };
  } catch (error) {
    const { NotConfiguredError } = await import('../providers/not-configured.ts');
    if (!(error instanceof NotConfiguredError) || !options.allowDemo) throw error;
    return { route: await models.resolve({ provider: 'demo' }), demo: true };
  }
}
