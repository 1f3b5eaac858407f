/** What is missing from the user's file compared with this build, and bringing it up to date. */
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { setEnvValue } from './dotenv-edit.ts';
import { readEnvFile } from './dotenv.ts';
import { updateConfig, type Change, type EditTarget } from './edit.ts';
import type { LoadedConfig } from './load.ts';
import { normaliseLegacy } from './legacy.ts';
import { parseSection } from './parse-config.ts';
import { CONFIG_VERSION, isSectionName, SECTIONS } from './schema.ts';
import { leafPaths, valueAt } from './values.ts';

/** Blocks that would change meaning by being written: they beat environment variables, or stand for one adapter each. */
const NEVER_WRITTEN: ReadonlySet<string> = new Set([
  'terminal',
  'model',
  'toolsets',
  'personalities',
  'platforms',
  'streaming',
  'telegram',
  'discord',
  'slack',
  'whatsapp',
  'signal',
  'matrix',
  'mattermost',
  'email',
]);

/** Keys with a default of their own that the file does not mention. */
export function missingKeys(loaded: LoadedConfig): Change[] {
  const present = normaliseLegacy(loaded.user.data);
  const defaults = defaultTree();
  return leafPaths(defaults)
    .map((key) => key.split('.'))
    .filter((path) => valueAt(present, path) === undefined && !blocked(present, path))
    .filter((path) => loaded.source(path.join('.')) === 'default')
    .map((path) => ({ path, value: valueAt(defaults, path) }));
}

/**
 * Writes the missing keys with their defaults and this build's version in one atomic step; values of the user are never
 * changed. Returns how many keys were added. Does nothing for a file that is up to date or newer.
 */
export async function migrateConfig(target: EditTarget, loaded: LoadedConfig): Promise<number> {
  const { version } = loaded.user;
  if (version >= CONFIG_VERSION) return 0;
  const added = missingKeys(loaded);
  dropStaleToken(target, version);
  await updateConfig(target, [...added, { path: ['_config_version'], value: CONFIG_VERSION }]);
  return added.length;
}

/** Before version 9 a login left a token behind that later hid the real key. */
function dropStaleToken(target: EditTarget, version: number): void {
  const file = join(target.home.path, '.env');
  const { values } = readEnvFile(file);
  if (version === 0 || version >= 9 || !values.has('ANTHROPIC_TOKEN') || !values.has('ANTHROPIC_API_KEY')) return;
  setEnvValue(file, 'ANTHROPIC_TOKEN', undefined);
}

/** A scalar on the way would have to be replaced by a map. */
function blocked(present: JsonObject, path: readonly string[]): boolean {
  return path.some((_, index) => {
    const value = valueAt(present, path.slice(0, index));
    return index > 0 && value !== undefined && value !== null && !isJsonObject(value);
  });
}

/** All defaults that say something: texts that are empty, empty lists and empty maps are left out. */
function defaultTree(): JsonObject {
  const tree: JsonObject = {};
  for (const name of Object.keys(SECTIONS).filter(isSectionName)) {
    if (NEVER_WRITTEN.has(name)) continue;
    const value = meaningful(parseSection(name, undefined).value);
    if (value !== undefined) tree[name] = value;
  }
  return tree;
}

function meaningful(value: unknown): JsonValue | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => meaningful(item) ?? null);
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = meaningful(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
