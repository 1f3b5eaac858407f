/** Loads the plug-ins that the owner has enabled. One that fails is told and leaves nothing behind. */
import { pathToFileURL } from 'node:url';
import type { Tool } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { PluginConversations } from '../conversations.ts';
import type { HookRegistry } from '../hook-registry.ts';
import { withDeadline } from '../deadline.ts';
import { type FoundPlugin, whyNotLoaded } from './discover.ts';
import type { PluginTask } from './auxiliary-task.ts';
import { CliCommands } from './cli-command.ts';
import { type PluginCommand, PluginCommands } from './plugin-command.ts';
import type { LoadedPlugins, Registered } from './loaded.ts';
import type { LlmGrants } from './plugin-llm.ts';
import type { JudgedBy } from './plugin-tool.ts';
import type { PluginPlatform } from './plugin-platform.ts';
import { PluginProviders, type ProviderKind } from './provider.ts';
import { PluginRegistration } from './registration.ts';
import { type Callable, isCallable } from './values.ts';

export interface LoadOptions {
  readonly registry: HookRegistry;
  readonly profileName: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of the tools that are there without plug-ins, with their toolsets. */
  readonly tools: ReadonlyMap<string, string>;
  /** Commands of `hermes` that are there without plug-ins. */
  readonly commandNames: readonly string[];
  /** Names of `auxiliary` that the program has. */
  readonly sideTasks: readonly string[];
  /** Names of the program's own services, which stay with it. Asked for when a plug-in brings one. */
  readonly ownProviders: () => Promise<Readonly<Record<ProviderKind, readonly string[]>>>;
  readonly mayOverride: (key: string) => boolean;
  readonly llmGrants: (key: string) => LlmGrants;
  readonly log: Log;
  readonly warn: (line: string) => void;
}

const registerMs = 30_000;
const disposeMs = 3000;

/** Never rejects. */
export async function loadPlugins(found: readonly FoundPlugin[], options: LoadOptions): Promise<LoadedPlugins> {
  const { log, warn, registry } = options;
  const tools = new Map<string, Tool<JudgedBy>>();
  const conversations = new PluginConversations();
  const commands: PluginCommand[] = [];
  const cliCommands = new CliCommands(options.commandNames);
  const providers = new PluginProviders();
  const platforms = new Map<string, PluginPlatform>();
  const skills = new Map<string, string>();
  const auxiliaryTasks = new Map<string, PluginTask>();
  const outcomes = new Map<string, Registered | { readonly problem: string }>();
  const disposers: (() => unknown)[] = [];
  for (const plugin of found) {
    const why = whyNotLoaded(plugin);
    if (why !== undefined) {
      log.info(`the plug-in ${plugin.key} is not loaded: ${why}`);
      // Who enabled it should hear why it is not there, also where it is of the original.
      if (plugin.state === 'enabled') {
        warn(`plugins: ${plugin.key} is not loaded: ${why}`);
        outcomes.set(plugin.key, { problem: why });
      }
      continue;
    }
    const known = new Map([...options.tools, ...[...tools.values()].map((tool) => [tool.name, tool.toolset] as const)]);
    const registration = new PluginRegistration({
      key: plugin.key,
      name: plugin.manifest?.name ?? plugin.key,
      profileName: options.profileName,
      kind: plugin.manifest?.kind ?? '',
      variables: plugin.manifest?.variables ?? [],
      asked: plugin.manifest?.asked ?? { required: [], optional: [] },
      env: options.env,
      tools: known,
      conversations,
      llm: options.llmGrants(plugin.key),
      sideTasks: options.sideTasks,
      auxiliaryTasks,
      mayOverride: options.mayOverride(plugin.key),
      log: log.named(plugin.key.replaceAll('/', '.')),
    });
    try {
      const dispose = await withDeadline(registerMs, () => runRegister(plugin, registration));
      if (isCallable(dispose)) disposers.push(() => dispose());
    } catch (error) {
      log.error(`the plug-in ${plugin.key} cannot be loaded`, error);
      warn(`plugins: ${plugin.key} cannot be loaded: ${errorMessage(error)}`);
      outcomes.set(plugin.key, { problem: errorMessage(error) });
      continue;
    } finally {
      registration.close();
    }
    for (const tool of registration.tools) tools.set(tool.name, tool);
    for (const listener of registration.listeners) registry.add(listener);
    commands.push(...registration.commands);
    const own = registration.providers.length === 0 ? undefined : await options.ownProviders();
    const leftOut = [
      ...registration.cliCommands.map((command) => cliCommands.add(command)),
      ...registration.platforms.map((platform) => addPlatform(platforms, platform)),
      ...registration.providers.map((provider) => providers.add(provider, own?.[provider.kind] ?? [])),
    ].filter((why) => why !== undefined);
    for (const why of leftOut) warn(`plugins: ${plugin.key}: ${why}`);
    for (const [name, folder] of registration.skills) skills.set(name, folder);
    for (const [key, task] of registration.auxiliaryTasks) auxiliaryTasks.set(key, task);
    const registered = {
      tools: registration.tools.length,
      hooks: registration.listeners.length,
      commands: registration.commands.length,
      commandNames: registration.commands.map(({ name }) => name),
      leftOut,
    };
    outcomes.set(plugin.key, registered);
    log.info(
      `the plug-in ${plugin.key} is loaded: ${registered.tools} tools, ${registered.hooks} hooks, ${registered.commands} commands`,
    );
  }
  return {
    tools: [...tools.values()],
    commands: new PluginCommands(commands, log),
    cliCommands: cliCommands.all,
    providers: providers.all,
    platforms: [...platforms.values()],
    skills,
    auxiliaryTasks,
    conversations,
    outcomes,
    close: () => disposeAll(disposers, log),
  };
}

/** Of two with one name the first counts. */
function addPlatform(all: Map<string, PluginPlatform>, platform: PluginPlatform): string | undefined {
  const other = all.get(platform.name);
  if (other !== undefined)
    return `its platform '${platform.name}' is left out: the plug-in ${other.plugin} has one of that name`;
  all.set(platform.name, platform);
  return undefined;
}

async function runRegister({ manifest }: FoundPlugin, registration: PluginRegistration): Promise<unknown> {
  if (manifest?.entry === undefined) throw new Error('it has no code');
  const module: unknown = await import(pathToFileURL(manifest.entry).href);
  const register = registerOf(module);
  if (register === undefined) throw new Error('no register() function');
  return await register(registration.context());
}

/** The default export, or the one named `register`. */
function registerOf(module: unknown): Callable | undefined {
  if (typeof module !== 'object' || module === null) return undefined;
  const exported: Record<string, unknown> = { ...module };
  const { default: own, register } = exported;
  if (isCallable(register)) return register;
  if (isCallable(own)) return own;
  const inner = isJsonObject(own) ? Object.entries(own).find(([name]) => name === 'register')?.[1] : undefined;
  return isCallable(inner) ? inner : undefined;
}

async function disposeAll(disposers: readonly (() => unknown)[], log: Log): Promise<void> {
  await Promise.all(
    disposers.map(async (dispose) => {
      try {
        await withDeadline(disposeMs, dispose);
      } catch (error) {
        log.warning('a plug-in could not tidy up', error);
      }
    }),
  );
}
