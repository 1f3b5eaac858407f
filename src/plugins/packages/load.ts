/** Loads the plug-ins that the owner has enabled. One that fails is told and leaves nothing behind. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Tool } from '../../agent/tool.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { HookRegistry } from '../hook-registry.ts';
import { type FoundPlugin, whyNotLoaded } from './discover.ts';
import type { JudgedBy } from './plugin-tool.ts';
import { PluginRegistration } from './registration.ts';

export interface LoadOptions {
  readonly registry: HookRegistry;
  readonly profileName: string;
  /** Names of the tools that are there without plug-ins, with their toolsets. */
  readonly tools: ReadonlyMap<string, string>;
  readonly mayOverride: (key: string) => boolean;
  readonly log: Log;
  readonly warn: (line: string) => void;
}

/** What is there of the plug-ins. */
export interface LoadedPlugins {
  readonly tools: readonly Tool<JudgedBy>[];
  /** Lets those that want to tidy up do so. Never rejects. */
  close(): Promise<void>;
}

const registerMs = 30_000;
const disposeMs = 3000;

/** Never rejects. */
export async function loadPlugins(found: readonly FoundPlugin[], options: LoadOptions): Promise<LoadedPlugins> {
  const { log, warn, registry } = options;
  const tools = new Map<string, Tool<JudgedBy>>();
  const disposers: (() => unknown)[] = [];
  for (const plugin of found) {
    const why = whyNotLoaded(plugin);
    if (why !== undefined) {
      log.info(`the plug-in ${plugin.key} is not loaded: ${why}`);
      // Who enabled it should hear why it is not there, also where it is of the original.
      if (plugin.state === 'enabled') warn(`plugins: ${plugin.key} is not loaded: ${why}`);
      continue;
    }
    const known = new Map([...options.tools, ...[...tools.values()].map((tool) => [tool.name, tool.toolset] as const)]);
    const registration = new PluginRegistration({
      key: plugin.key,
      profileName: options.profileName,
      tools: known,
      mayOverride: options.mayOverride(plugin.key),
      log,
    });
    try {
      const dispose = await within(runRegister(plugin, registration), registerMs);
      if (isCallable(dispose)) disposers.push(() => dispose());
    } catch (error) {
      log.error(`the plug-in ${plugin.key} cannot be loaded`, error);
      warn(`plugins: ${plugin.key} cannot be loaded: ${errorMessage(error)}`);
      continue;
    } finally {
      registration.close();
    }
    for (const tool of registration.tools) tools.set(tool.name, tool);
    for (const listener of registration.listeners) registry.add(listener);
    log.info(
      `the plug-in ${plugin.key} is loaded: ${registration.tools.length} tools, ${registration.listeners.length} hooks`,
    );
  }
  return { tools: [...tools.values()], close: () => disposeAll(disposers, log) };
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

type Callable = (...given: readonly unknown[]) => unknown;

function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const stop = new AbortController();
  const late = sleep(ms, undefined, { signal: stop.signal, ref: false }).then(() => {
    throw new Error(`its register did not end within ${ms / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
  }
}

async function disposeAll(disposers: readonly (() => unknown)[], log: Log): Promise<void> {
  await Promise.all(
    disposers.map(async (dispose) => {
      try {
        await within(Promise.resolve().then(dispose), disposeMs);
      } catch (error) {
        log.warning('a plug-in could not tidy up', error);
      }
    }),
  );
}
