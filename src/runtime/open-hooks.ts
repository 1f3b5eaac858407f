/** What the owner adds to a program: plug-ins and shell hooks. Nothing is loaded where there is none. */
import { noHooks, type Hooks } from '../agent/hooks.ts';
import type { Log } from '../lib/log.ts';
import type { HookRegistry } from '../plugins/hook-registry.ts';
import { noPlugins } from '../plugins/packages/loaded.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { ProgramOptions } from './program-options.ts';
import type { ProgramPlugins } from './program-plugins.ts';

export interface OpenedHooks {
  readonly hooks: Hooks;
  readonly plugins: ProgramPlugins;
  /** What is still being told is given a moment. */
  close(): Promise<void>;
}

const none: OpenedHooks = { hooks: noHooks, plugins: noPlugins, close: () => Promise.resolve() };

/** Never rejects: what cannot be used is told with `warn`, and left out. */
export async function openHooks(options: ProgramOptions, log: Log, warn: (line: string) => void): Promise<OpenedHooks> {
  const { config } = options;
  const block = config.raw['hooks'];
  const wantsPlugins = config.config.plugins.enabled.length > 0;
  // In safe mode the configuration has none: of the user's file only what names the model is read.
  if (config.process.safeMode || (!wantsPlugins && (block === undefined || block === null))) return none;
  const { HookRegistry } = await import('../plugins/hook-registry.ts');
  const registry = new HookRegistry(log.named('hooks'));
  const told = (line: string): void => {
    log.named('plugins').warning(line);
    warn(line);
  };
  // Plug-ins first: what they say comes before what shell hooks say.
  const plugins = wantsPlugins ? await openPlugins(options, registry, log, told) : noPlugins;
  await openShell(options, registry, log, told);
  return {
    hooks: registry,
    plugins,
    async close() {
      await registry.close();
      await plugins.close();
    },
  };
}

/**
 * The plug-ins that are enabled, for who needs no conversation. Never rejects; what
 * cannot be used is left out.
 */
export async function openEnabledPlugins(
  options: ProgramOptions,
  log: Log,
  warn: (line: string) => void,
): Promise<ProgramPlugins> {
  const { config } = options;
  if (config.process.safeMode || config.config.plugins.enabled.length === 0) return noPlugins;
  const { HookRegistry } = await import('../plugins/hook-registry.ts');
  const registry = new HookRegistry(log);
  const plugins = await openPlugins(options, registry, log, warn);
  return {
    ...plugins,
    async close() {
      await registry.close();
      await plugins.close();
    },
  };
}

async function openPlugins(
  { config, env, home, cwd, commandNames = [] }: ProgramOptions,
  registry: HookRegistry,
  log: Log,
  warn: (line: string) => void,
): Promise<ProgramPlugins> {
  const [{ discoverPlugins }, { loadPlugins }, { noGrants }, { toolCatalogue }] = await Promise.all([
    import('../plugins/packages/discover.ts'),
    import('../plugins/packages/load.ts'),
    import('../plugins/packages/plugin-llm.ts'),
    import('../tools/catalogue.ts'),
  ]);
  const { enabled, disabled, entries } = config.config.plugins;
  const projectPath = config.process.plugins.project ? cwd : undefined;
  const found = await discoverPlugins({ homePath: home.path, projectPath, enabled, disabled, env });
  const plugins = await loadPlugins(found, {
    registry,
    profileName: home.profile,
    env,
    tools: new Map(toolCatalogue.map(({ name, toolset }) => [name, toolset])),
    commandNames,
    sideTasks: Object.keys(config.config.auxiliary),
    ownProviders: async () => (await import('./plugin-providers/own-names.ts')).ownProviderNames,
    mayOverride: (key) => entries[key]?.allow_tool_override === true,
    llmGrants: (key) => entries[key]?.llm ?? noGrants,
    log: log.named('plugins'),
    warn,
  });
  if (plugins.providers.length === 0) return plugins;
  const { addedProviders } = await import('./plugin-providers/added-providers.ts');
  return { ...plugins, added: addedProviders(plugins.providers, config.raw) };
}

async function openShell(
  { config, env, home, cwd, askHook }: ProgramOptions,
  registry: HookRegistry,
  log: Log,
  warn: (line: string) => void,
): Promise<void> {
  const block = config.raw['hooks'];
  if (block === undefined || block === null) return;
  const { openShellHooks } = await import('../plugins/shell-hooks/open-shell-hooks.ts');
  await openShellHooks(registry, {
    homePath: home.path,
    block,
    acceptsAll: config.process.hooks.accept || config.config.hooks_auto_accept,
    ask: askHook,
    env: { ...childEnvironment(env), HERMES_HOME: home.path },
    cwd,
    log: log.named('hooks'),
    warn,
  });
}
