/** What changed in `config.yaml` from version to version, so that a file of any age says the same in today's form. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { Change } from './yaml-edit.ts';
import { isOn } from './env-values.ts';
import { valueAt } from './values.ts';

/** The files of a home as a step sees them. */
export interface MigratedHome {
  /** `config.yaml` as written, with the changes of earlier steps. */
  readonly data: JsonObject;
  readonly directory: string;
  /** Settings of `.env` by name. */
  readonly variables: ReadonlyMap<string, string>;
}

export interface MigrationStep {
  /** Files of an older version than this need it. */
  readonly before: number;
  changes(home: MigratedHome): Change[];
}

/** Names in `.env` that earlier versions wrote and that hide what is configured now. */
export const STALE_VARIABLES: readonly { readonly before: number; readonly name: string; readonly with?: string }[] = [
  // A login left it behind; it hid the real key.
  { before: 9, name: 'ANTHROPIC_TOKEN', with: 'ANTHROPIC_API_KEY' },
  { before: 13, name: 'LLM_MODEL' },
  { before: 13, name: 'OPENAI_MODEL' },
];

/** In order. A value that the user wrote is moved, never changed, and defaults are not written. */
export const MIGRATION_STEPS: readonly MigrationStep[] = [
  { before: 4, changes: progressFromEnvironment },
  { before: 12, changes: endpointsAsMap },
  { before: 14, changes: recogniserModel },
  { before: 17, changes: summariserAsSideTask },
  { before: 21, changes: installedPlugins },
  { before: 25, changes: catalogueHours },
  { before: 29, changes: writeApproval },
  { before: 32, changes: quietStops },
  { before: 33, changes: childrenAtOnce },
];

function progressFromEnvironment({ data, variables }: MigratedHome): Change[] {
  if (valueAt(data, ['display', 'tool_progress']) !== undefined) return [];
  const mode = variables.get('HERMES_TOOL_PROGRESS_MODE');
  const flag = variables.get('HERMES_TOOL_PROGRESS');
  const value = mode ?? (flag === undefined ? undefined : isOn(flag) ? 'all' : 'off');
  return value === undefined ? [] : [{ path: ['display', 'tool_progress'], value }];
}

/** The list of saved endpoints becomes the map `providers`, keyed by their names. */
function endpointsAsMap({ data }: MigratedHome): Change[] {
  const list = data['custom_providers'];
  if (!Array.isArray(list) || !list.every(isJsonObject)) return [];
  const known = isJsonObject(data['providers']) ? data['providers'] : {};
  const taken = new Set(Object.keys(known));
  const added = list.flatMap((entry): Change[] => {
    const address = entry['base_url'] ?? entry['url'] ?? entry['api'];
    if (typeof address !== 'string' || address === '') return [];
    const id = freeId(idOf(entry['name'], address), taken);
    return [{ path: ['providers', id], value: mapEntry(entry, address) }];
  });
  return [...added, { path: ['custom_providers'], value: undefined }];
}

/** The fields keep their names, but for three. */
function mapEntry(entry: JsonObject, address: string): JsonObject {
  const { base_url: _base, url: _url, api: _api, model, api_mode: transport, models, ...rest } = entry;
  const named = Array.isArray(models)
    ? Object.fromEntries(models.flatMap((id) => (typeof id === 'string' ? [[id, {}]] : [])))
    : models;
  return {
    api: address,
    ...rest,
    ...(named === undefined ? {} : { models: named }),
    ...(model === undefined ? {} : { default_model: model }),
    ...(transport === undefined ? {} : { transport }),
  };
}

function idOf(name: JsonValue | undefined, address: string): string {
  const source = typeof name === 'string' && name.trim() !== '' ? name : (URL.parse(address)?.hostname ?? 'endpoint');
  const id = source
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return id || 'endpoint';
}

function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let number = 2; taken.has(free); number++) free = `${id}-${number}`;
  taken.add(free);
  return free;
}

/** `stt.model` was one for all services; it belongs to the one that is in use. */
function recogniserModel({ data }: MigratedHome): Change[] {
  const model = valueAt(data, ['stt', 'model']);
  if (typeof model !== 'string') return [];
  const provider = valueAt(data, ['stt', 'provider']);
  const target = ['stt', typeof provider === 'string' && provider !== '' ? provider : 'local', 'model'];
  const moved = valueAt(data, target) === undefined ? [{ path: target, value: model }] : [];
  return [...moved, { path: ['stt', 'model'], value: undefined }];
}

/** The summariser of long conversations is chosen like every other side task. */
function summariserAsSideTask({ data }: MigratedHome): Change[] {
  return ['model', 'provider', 'base_url'].flatMap((field): Change[] => {
    const old = ['compression', `summary_${field}`];
    const value = valueAt(data, old);
    if (value === undefined) return [];
    const target = ['auxiliary', 'compression', field];
    const given = valueAt(data, target);
    const isFree = given === undefined || given === null || given === '' || (field === 'provider' && given === 'auto');
    const says = typeof value === 'string' && value.trim() !== '' && !(field === 'provider' && value.trim() === 'auto');
    const moved = isFree && says ? [{ path: target, value: value.trim() }] : [];
    return [...moved, { path: old, value: undefined }];
  });
}

/** Plugins run only when they are listed; those that are installed already ran without it. */
function installedPlugins({ data, directory }: MigratedHome): Change[] {
  if (valueAt(data, ['plugins', 'enabled']) !== undefined) return [];
  const disabled = valueAt(data, ['plugins', 'disabled']);
  const off = new Set(Array.isArray(disabled) ? disabled.map(String) : []);
  const names = pluginsOf(join(directory, 'plugins')).filter((name) => !off.has(name));
  return names.length === 0 ? [] : [{ path: ['plugins', 'enabled'], value: names }];
}

function pluginsOf(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'model-providers')
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

/** 24 was the default that older versions wrote into the file. */
function catalogueHours({ data }: MigratedHome): Change[] {
  const path = ['model_catalog', 'ttl_hours'];
  return valueAt(data, path) === 24 ? [{ path, value: 1 }] : [];
}

function writeApproval({ data }: MigratedHome): Change[] {
  return ['memory', 'skills'].flatMap((section) => {
    const mode = valueAt(data, [section, 'write_mode']);
    if (mode === undefined) return [];
    const path = [section, 'write_approval'];
    const moved = valueAt(data, path) === undefined ? [{ path, value: mode === 'approve' }] : [];
    return [...moved, { path: [section, 'write_mode'], value: undefined }];
  });
}

/** Who set up an agent before it looked at its work once more goes on as before. */
function quietStops({ data }: MigratedHome): Change[] {
  const path = ['agent', 'verify_on_stop'];
  const written = valueAt(data, path);
  return written === undefined || written === 'auto' ? [{ path, value: false }] : [];
}

function childrenAtOnce({ data }: MigratedHome): Change[] {
  const written = valueAt(data, ['delegation', 'max_async_children']);
  if (written === undefined) return [];
  const path = ['delegation', 'max_concurrent_children'];
  const now = valueAt(data, path);
  const most = Math.max(Number(written) || 0, Number(now ?? 0) || 0);
  const moved = most > 0 && most !== now ? [{ path, value: most }] : [];
  return [...moved, { path: ['delegation', 'max_async_children'], value: undefined }];
}
