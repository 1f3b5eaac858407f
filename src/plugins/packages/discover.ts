/** Finds plug-ins: folders of the home, those of the project where that is wanted, and packages from npm. Runs none of them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { firstSet } from '../../config/env-values.ts';
import { errorMessage } from '../../lib/errors.ts';
import { type PluginManifest, readManifest, readPackage } from './manifest.ts';

export type PluginState = 'enabled' | 'disabled' | 'not enabled' | 'unsupported (python)';

export interface FoundPlugin {
  /** `name`, or `category/name`: what the configuration names it by. */
  readonly key: string;
  readonly source: 'user' | 'project' | 'npm';
  readonly folder: string;
  readonly state: PluginState;
  /** Absent when it cannot be read. */
  readonly manifest?: PluginManifest;
  /** Why it is not loaded though it is enabled, or what is wrong with it. */
  readonly problem?: string;
  /** By which npm knows it, where it is a package. */
  readonly packageName?: string;
}

export interface DiscoverOptions {
  readonly homePath: string;
  /** Where `.hermes/plugins` is looked for; absent: plug-ins of projects are not wanted. */
  readonly projectPath?: string | undefined;
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Folders with loaders of their own, and what is no plug-in. */
const others: ReadonlySet<string> = new Set(['memory', 'context_engine', 'model-providers', 'node_modules']);
export function isReservedFolder(name: string): boolean {
  return others.has(name);
}

const kinds: ReadonlySet<string> = new Set(['standalone', 'backend', 'platform']);
const maxPlugins = 200;

/** In the order in which they are loaded: by their keys. Of two with one key the project's counts, and a package before all. */
export async function discoverPlugins(options: DiscoverOptions): Promise<readonly FoundPlugin[]> {
  const { homePath, projectPath } = options;
  const root = userPlugins(homePath);
  const found = new Map<string, FoundPlugin>();
  const add = (plugin: FoundPlugin): void => void found.set(plugin.key, plugin);
  for (const plugin of await inFolder(root, 'user', options)) add(plugin);
  if (projectPath !== undefined) {
    for (const plugin of await inFolder(projectPlugins(projectPath), 'project', options)) add(plugin);
  }
  for (const plugin of await packagesIn(packagesFolder(root), options)) add(plugin);
  return [...found.values()].toSorted((left, right) => (left.key < right.key ? -1 : 1)).slice(0, maxPlugins);
}

/** The folder of plug-ins of a home. */
export function userPlugins(homePath: string): string {
  return join(homePath, 'plugins');
}

/** The same of a project. */
export function projectPlugins(projectPath: string): string {
  return join(projectPath, '.hermes', 'plugins');
}

async function inFolder(
  root: string,
  source: FoundPlugin['source'],
  options: DiscoverOptions,
): Promise<readonly FoundPlugin[]> {
  const found: FoundPlugin[] = [];
  for (const name of foldersIn(root)) {
    if (others.has(name)) continue;
    const own = await pluginAt({ folder: join(root, name), key: name, name, source }, options);
    if (own !== undefined) {
      found.push(own);
      continue;
    }
    for (const inner of foldersIn(join(root, name))) {
      const place = { folder: join(root, name, inner), key: `${name}/${inner}`, name: inner, source };
      const nested = await pluginAt(place, options);
      if (nested !== undefined) found.push(nested);
    }
  }
  return found;
}

interface Place extends Pick<FoundPlugin, 'folder' | 'key' | 'source'> {
  readonly name: string;
}

async function pluginAt(place: Place, options: DiscoverOptions): Promise<FoundPlugin | undefined> {
  const { folder, key, name, source } = place;
  try {
    const manifest = await readManifest(folder, name);
    return manifest === undefined ? undefined : described({ folder, key, source, manifest }, options);
  } catch (error) {
    return { folder, key, source, state: stateOf([key], options), problem: errorMessage(error) };
  }
}

/** Where packages from npm lie in a folder of plug-ins. */
export function packagesFolder(root: string): string {
  return join(root, 'node_modules');
}

async function packagesIn(root: string, options: DiscoverOptions): Promise<readonly FoundPlugin[]> {
  const found: FoundPlugin[] = [];
  for (const packageName of packageNamesIn(root)) {
    const folder = join(root, packageName);
    const place = { folder, packageName, source: 'npm' as const };
    try {
      const manifest = await readPackage(folder);
      if (manifest !== undefined) found.push(described({ ...place, key: manifest.name, manifest }, options));
    } catch (error) {
      const state = stateOf([packageName], options);
      found.push({ ...place, key: packageName, state, problem: errorMessage(error) });
    }
  }
  return found;
}

function described(
  plugin: Omit<FoundPlugin, 'state'> & { readonly manifest: PluginManifest },
  options: DiscoverOptions,
): FoundPlugin {
  const { manifest, key } = plugin;
  if (manifest.isPython)
    return { ...plugin, state: 'unsupported (python)', problem: 'it is written for the original, in Python' };
  const state = stateOf([key, manifest.name], options);
  const problem = problemOf(manifest, options);
  return { ...plugin, state, ...(problem === undefined ? {} : { problem }) };
}

/** Whoever switches it off wins. */
function stateOf(names: readonly string[], { enabled, disabled }: DiscoverOptions): PluginState {
  if (names.some((name) => disabled.includes(name))) return 'disabled';
  return names.some((name) => enabled.includes(name)) ? 'enabled' : 'not enabled';
}

function problemOf({ kind, entry, requiredEnv }: PluginManifest, { env }: DiscoverOptions): string | undefined {
  if (!kinds.has(kind)) return `plug-ins of the kind '${kind}' are not available in this build`;
  if (entry === undefined) return 'it has no index.js, and its manifest names no other entry';
  // Those of a platform are asked for by its setup, for which it has to be there.
  const missing = (kind === 'platform' ? [] : requiredEnv).filter((name) => firstSet(env, [name]) === undefined);
  return missing.length === 0
    ? undefined
    : `it needs ${missing.join(', ')}, set with: hermes config set ${missing[0]} VALUE`;
}

/** With their scopes. */
export function packageNamesIn(root: string): readonly string[] {
  return foldersIn(root).flatMap((name) =>
    name.startsWith('@') ? foldersIn(join(root, name)).map((inner) => `${name}/${inner}`) : [name],
  );
}

export function foldersIn(root: string): readonly string[] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .toSorted();
  } catch {
    // There are no plug-ins there.
    return [];
  }
}

/** Why a plug-in is not loaded, in words; undefined when it is. */
export function whyNotLoaded({ state, problem, key }: FoundPlugin): string | undefined {
  switch (state) {
    case 'disabled':
      return 'disabled via config';
    case 'not enabled':
      return `not enabled in config (run \`hermes plugins enable ${key}\` to activate)`;
    case 'unsupported (python)':
    case 'enabled':
      return problem;
  }
}
