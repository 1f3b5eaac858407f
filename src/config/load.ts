/** The effective configuration: defaults, environment, the user's file, flags and what an administrator pinned. */
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { fallbackLayer, overrideLayer } from './env-layers.ts';
import type { Home } from './home.ts';
import type { Variables } from './variables.ts';
import { normaliseLegacy } from './legacy.ts';
import { loadManagedScope, type ManagedScope } from './managed.ts';
import { missingPartOf } from './not-in-build.ts';
import { type BadValue, parseSection, unknownKeysOf } from './parse-config.ts';
import { type EnvProblem, envProblem } from './env-values.ts';
import { type ModelVariables, modelVariables } from './model-variables.ts';
import { type ProcessSettings, processSettings } from './process-settings.ts';
import { lazyConfig } from './lazy-config.ts';
import { CONFIG_VERSION, isSectionName, OWN_OLD_VERSION, type Config } from './schema.ts';
import { deepMerge, expandVariables, leafPaths, mapObject, valueAt } from './values.ts';
import { readYamlFile } from './yaml-file.ts';

export type { Config } from './schema.ts';

export type ConfigSource = 'managed' | 'flag' | 'env' | 'file' | 'default';

/** What is known about the user's `config.yaml`. */
export interface UserDocument {
  readonly state: 'absent' | 'read' | 'broken' | 'ignored';
  /** `_config_version`; 0 when the file has none, that of this build when there is no file. */
  readonly version: number;
  /** The data as written: no defaults, no expansion, old spellings kept. */
  readonly data: JsonObject;
}

/** The effective configuration. */
export interface LoadedConfig {
  /** Typed, with all defaults; a section is parsed when it is first read. */
  readonly config: Config;
  /** Lines for stderr, once. */
  readonly warnings: readonly string[];
  /** Values that could not be used, from wherever; the keys have their defaults. */
  readonly bad: readonly BadValue[];
  /** Environment variables that could not be used, by name; the keys they stand for have their defaults. */
  readonly problems: readonly EnvProblem[];
  readonly process: ProcessSettings;
  /** What the environment says about models, providers and logins. */
  readonly models: ModelVariables;
  /** The merged tree before defaults, unknown keys included: what plugins and adapters read their own keys from. */
  readonly raw: JsonObject;
  readonly user: UserDocument;
  readonly managed: ManagedScope;
  /** Where `config.yaml` is, whether it exists or not. */
  readonly path: string;
  /** Where the effective value of a dotted key comes from. */
  source(key: string): ConfigSource;
  /** Dotted keys of the user's file that nobody knows. They are kept and have no effect. */
  unknownKeys(): readonly string[];
  /** Keys of the user's file that the original reads and this build does not, with the part that is missing. */
  unbuiltKeys(): readonly { readonly key: string; readonly part: string }[];
}

export interface LoadOptions {
  readonly home: Home;
  /** With `.env` laid over it. */
  readonly env: Variables;
  /** `--ignore-user-config`: the user's file is not read. */
  readonly ignoreUserConfig?: boolean;
  /** What command-line flags say, as a tree of keys. */
  readonly flags?: JsonObject;
}

/** Reads and merges the configuration. Never throws for what a file says: bad parts become warnings and defaults. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { home, env } = options;
  const flags = options.flags ?? {};
  const problems: EnvProblem[] = [];
  const settings = processSettings(env, problems);
  const models = modelVariables(env, problems);
  const path = join(home.path, 'config.yaml');
  const read = await readUser(path, options.ignoreUserConfig === true || settings.ignoreUserConfig);
  const { warnings } = read;
  const user = settings.safeMode ? modelPartOf(read.user) : read.user;
  const managed = await loadManagedScope(env);
  warnings.push(...managed.warnings);

  const expand = (data: JsonObject) => mapObject(data, (text) => expandVariables(text, env));
  const file = expand(normaliseLegacy(user.data));
  const pinned = expand(managed.data);
  const fallbacks = fallbackLayer(env, deepMerge(deepMerge(file, flags), pinned));
  const overrides = overrideLayer(env);
  const raw: JsonObject = [file, overrides.values, flags, pinned].reduce(deepMerge, fallbacks.values);
  const origin = (key: string) => overrides.origins.get(key) ?? fallbacks.origins.get(key);

  if (!isTimezone(raw['timezone'], warnings)) delete raw['timezone'];

  const unusable: BadValue[] = [];
  const parsed = new Map<string, unknown>();
  for (const name of Object.keys(raw).filter(isSectionName)) {
    const { value, bad } = parseSection(name, raw[name]);
    parsed.set(name, value);
    unusable.push(...bad);
    for (const { path: key, message, reason } of bad) {
      const variable = sourceOf(key) === 'env' ? origin(key) : undefined;
      if (variable === undefined) warnings.push(`config: ${key}: ${message}`);
      else
        problems.push(
          envProblem(variable, { value: env[variable] ?? '', reason, instead: message.slice(reason.length + 2) }),
        );
    }
  }

  function sourceOf(key: string): ConfigSource {
    const keys = key.split('.');
    if (valueAt(pinned, keys) !== undefined) return 'managed';
    if (valueAt(flags, keys) !== undefined) return 'flag';
    if (overrides.origins.has(key)) return 'env';
    if (valueAt(file, keys) !== undefined) return 'file';
    return fallbacks.origins.has(key) ? 'env' : 'default';
  }
  return {
    config: lazyConfig(parsed),
    warnings,
    bad: unusable,
    problems,
    process: settings,
    models,
    raw,
    user,
    managed,
    path,
    source: sourceOf,
    unknownKeys: () => unknownKeys(normaliseLegacy(user.data)),
    unbuiltKeys: () => unbuiltKeys(user.data),
  };
}

async function readUser(path: string, ignore: boolean): Promise<{ user: UserDocument; warnings: string[] }> {
  if (ignore) return { user: { state: 'ignored', version: CONFIG_VERSION, data: {} }, warnings: [] };
  const file = await readYamlFile(path);
  if (file.state === 'absent') return { user: { state: 'absent', version: CONFIG_VERSION, data: {} }, warnings: [] };
  if (file.state === 'broken') {
    const warning = `config: ${file.problem}; using defaults and leaving the file as it is`;
    return { user: { state: 'broken', version: 0, data: {} }, warnings: [warning] };
  }
  const version = versionOf(file.data);
  const warnings = file.warnings.map((warning) => `config: ${warning}`);
  if (version > CONFIG_VERSION && version !== OWN_OLD_VERSION) {
    warnings.push(
      `config: ${path} has version ${version}, newer than this build knows (${CONFIG_VERSION}); using what it understands`,
    );
  }
  return { user: { state: 'read', version, data: file.data }, warnings };
}

/** Where models and their keys are found is no customisation: without it a working set-up could not be asked what is wrong with it. */
function modelPartOf(user: UserDocument): UserDocument {
  const kept = ['_config_version', 'model', 'providers', 'custom_providers', 'secrets'];
  return { ...user, data: Object.fromEntries(Object.entries(user.data).filter(([key]) => kept.includes(key))) };
}

/** `_config_version` of a file; 0 when missing or not a number. */
function versionOf(data: JsonObject): number {
  const version = Number(data['_config_version'] ?? 0);
  return Number.isInteger(version) && version > 0 ? version : 0;
}

function isTimezone(value: JsonValue | undefined, warnings: string[]): boolean {
  if (typeof value !== 'string' || value === '') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value }).format();
    return true;
  } catch {
    // The only failure of a format with a time zone is that the zone is not known.
    warnings.push(`config: timezone: '${value}' is not an IANA time zone; using the local time of this machine`);
    return false;
  }
}

/** Keys that are read outside the schema. */
const OTHER_KEYS: ReadonlySet<string> = new Set(['_config_version']);

function unknownKeys(data: JsonObject): string[] {
  const unknown = Object.entries(data).flatMap(([name, value]) => {
    if (isSectionName(name)) return unknownKeysOf(name, value).filter((key) => !mayBePlugged(key, data));
    // A name that begins with `_` is somebody's own, by agreement.
    return OTHER_KEYS.has(name) || name.startsWith('_') ? [] : [name];
  });
  return unknown.filter((key) => missingPartOf(key) === undefined);
}

/** Where plug-ins are enabled they may have tasks of their own, `auxiliary.<key>`, and settings of a speaker or a listener. */
function mayBePlugged(key: string, data: JsonObject): boolean {
  const [section = '', name = '', ...more] = key.split('.');
  const enabled = valueAt(data, ['plugins', 'enabled']);
  if (more.length > 0 || !Array.isArray(enabled) || enabled.length === 0) return false;
  if (section === 'tts' && besideSpeakers.has(name)) return true;
  const isNamed = (section === 'tts' || section === 'stt') && valueAt(data, [section, 'provider']) === name;
  return section === 'auxiliary' || isNamed;
}

/** What a speaker of a plug-in reads beside its own settings. */
const besideSpeakers: ReadonlySet<string> = new Set(['voice', 'model', 'output_format']);

function unbuiltKeys(data: JsonObject): { key: string; part: string }[] {
  return leafPaths(data).flatMap((key) => {
    const part = missingPartOf(key);
    return part === undefined ? [] : [{ key, part }];
  });
}
