/** Changes the user's settings: one key at a time, to `config.yaml` or `.env`, atomically and within what is pinned. */
import { join } from 'node:path';
import { UserError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { readEnvFile } from './dotenv.ts';
import { setEnvValue } from './dotenv-edit.ts';
import { isConfigVariable, terminalVariable } from './env-layers.ts';
import { knownVariables } from './env-names.ts';
import { isSecretName } from '../lib/secrets.ts';
import { withoutUserInfo } from './env-values.ts';
import { unwritable, type Home } from './home.ts';
import type { Variables } from './variables.ts';
import { CONFIG_VERSION } from './schema.ts';
import {
  loadManagedScope,
  type ManagedScope,
  refusePackagedInstall,
  refusePinnedKey,
  refusePinnedVariable,
} from './managed.ts';
import { missingPartOf } from './not-in-build.ts';
import { type StoredValue, storedValue } from './stored-value.ts';
import { applyChanges, type Change } from './yaml-edit.ts';
import { valueAt } from './values.ts';
import { parseYaml, readText, readYamlFile } from './yaml-file.ts';

export type { Change } from './yaml-edit.ts';

export interface EditTarget {
  readonly home: Home;
  readonly env: Variables;
}

export interface SetResult {
  /** The file that was written. */
  readonly file: string;
  /** The key as it was written: a variable name or a dotted path. */
  readonly key: string;
  /** The value as stored, or `undefined` when it is a secret and must not be shown. */
  readonly shown: string | undefined;
  /** Nothing reads this key. */
  readonly unknown: boolean;
  /** What this build lacks for the key to have an effect. */
  readonly part: string | undefined;
}

/** More edits in a row than this would mean that another program rewrites the file all the time. */
const MOST_ATTEMPTS = 5;

/**
 * What `hermes config set` does: names of secrets and variables go to `.env`, everything else is a dotted key of
 * `config.yaml`. Values given as text become booleans and numbers where the key takes them. Throws `UserError` for a
 * value that the key cannot take (then nothing is written), pinned keys, package-managed installations, names that cannot be stored and files that cannot be read or written.
 */
export async function setConfigValue(options: EditTarget & { key: string; value: string }): Promise<SetResult> {
  const { home, env, key, value } = options;
  refusePackagedInstall(home, env);
  const managed = await loadManagedScope(env);
  if (isVariable(key)) {
    const name = key.toUpperCase();
    refusePinnedVariable(managed, name);
    const file = join(home.path, '.env');
    setEnvValue(file, name, value);
    return { file, key: name, shown: presentable(name, value), unknown: false, part: undefined };
  }

  const target = { home, env };
  const setting = readSetting(key, value, managed, await dataOf(target));
  const { dotted, stored } = setting;
  const file = await writeSettings(target, managed, [setting]);
  return {
    file,
    key: dotted,
    shown: presentable(dotted, asText(stored.value)),
    unknown: stored.unknown,
    part: missingPartOf(dotted),
  };
}

/**
 * Sets several keys as `setConfigValue` sets one; when one of them cannot be set, none is. Those of `config.yaml` are one
 * atomic step, behind the variables: a secret that nothing speaks of does no harm.
 */
export async function setConfigValues(target: EditTarget, values: ReadonlyMap<string, string>): Promise<void> {
  refusePackagedInstall(target.home, target.env);
  const managed = await loadManagedScope(target.env);
  const data = await dataOf(target);
  const [variables, keys] = [
    [...values].filter(([key]) => isVariable(key)),
    [...values].filter(([key]) => !isVariable(key)),
  ];
  const settings = keys.map(([key, value]) => readSetting(key, value, managed, data));
  for (const [key] of variables) refusePinnedVariable(managed, key.toUpperCase());
  for (const [key, value] of variables) setEnvValue(join(target.home.path, '.env'), key.toUpperCase(), value);
  if (settings.length > 0) await writeSettings(target, managed, settings);
}

interface Setting {
  readonly path: readonly string[];
  readonly dotted: string;
  readonly stored: StoredValue;
}

/** Throws `UserError` for a key that is pinned or a value that it cannot take. */
function readSetting(key: string, value: string, managed: ManagedScope, data: JsonObject): Setting {
  const path = keyPath(key);
  const dotted = path.join('.');
  refusePinnedKey(managed, dotted);
  const stored = storedValue(path, value, data);
  const [problem] = stored.problems;
  if (problem !== undefined) {
    throw new UserError(`${problem}; nothing was changed.`, { exitCode: 2 });
  }
  return { path, dotted, stored };
}

async function dataOf({ home }: EditTarget): Promise<JsonObject> {
  const file = await readYamlFile(join(home.path, 'config.yaml'));
  return file.state === 'read' ? file.data : {};
}

async function writeSettings(target: EditTarget, managed: ManagedScope, settings: readonly Setting[]): Promise<string> {
  const file = await updateConfig(
    target,
    settings.map(({ path, stored }) => ({ path, value: stored.value })),
  );
  for (const { path, dotted, stored } of settings) {
    const name = terminalCopy(path);
    // A folder is a matter of this machine and this file alone.
    if (name === undefined || dotted === 'terminal.cwd' || managed.variables.includes(name)) continue;
    setEnvValue(join(target.home.path, '.env'), name, asText(stored.value));
  }
  return file;
}

/**
 * What `hermes config unset` does: takes a variable out of `.env`, or a key out of `config.yaml` with the maps that are
 * empty then. Returns the file, or undefined when it was not set. Throws `UserError` as `setConfigValue` does.
 */
export async function unsetConfigValue({ home, env, key }: EditTarget & { key: string }): Promise<string | undefined> {
  refusePackagedInstall(home, env);
  const managed = await loadManagedScope(env);
  const envFile = join(home.path, '.env');
  if (isVariable(key)) {
    const name = key.toUpperCase();
    refusePinnedVariable(managed, name);
    if (!readEnvFile(envFile).values.has(name)) return undefined;
    setEnvValue(envFile, name, undefined);
    return envFile;
  }
  const file = await readYamlFile(join(home.path, 'config.yaml'));
  // An older spelling that stands in the file is meant as it stands there.
  const asTyped = key.split('.');
  const stands = file.state === 'read' && valueAt(file.data, asTyped) !== undefined;
  const path = stands ? asTyped : keyPath(key);
  refusePinnedKey(managed, keyPath(key).join('.'));
  const copy = terminalCopy(path);
  const copied = copy !== undefined && readEnvFile(envFile).values.has(copy);
  const target = file.state === 'read' ? emptiedPath(file.data, path) : undefined;
  if (target === undefined && !copied && file.state !== 'broken') return undefined;
  const changed = await updateConfig({ home, env }, target === undefined ? [] : [{ path: target, value: undefined }]);
  if (copied) setEnvValue(envFile, copy, undefined);
  return changed;
}

/** The longest beginning of the path that holds nothing else; undefined when nothing is there. */
function emptiedPath(data: JsonObject, path: readonly string[]): readonly string[] | undefined {
  if (valueAt(data, path) === undefined) return undefined;
  let target = path;
  while (target.length > 1) {
    const parent = valueAt(data, target.slice(0, -1));
    if (!isJsonObject(parent) || Object.keys(parent).length > 1) break;
    target = target.slice(0, -1);
  }
  return target;
}

/** The variable that other programs read a `terminal` key from. */
function terminalCopy([section, name, ...deeper]: readonly string[]): string | undefined {
  return section === 'terminal' && name !== undefined && deeper.length === 0 ? terminalVariable(name) : undefined;
}

/**
 * Writes several keys of `config.yaml` in one atomic step and returns the file's path. Only the keys given are written;
 * comments, order and `${VAR}` placeholders stay. Throws `UserError` as `setConfigValue` does, and for a file that does
 * not parse, which is never touched.
 */
export async function updateConfig(target: EditTarget, changes: readonly Change[]): Promise<string> {
  refusePackagedInstall(target.home, target.env);
  const managed = await loadManagedScope(target.env);
  for (const change of changes) refusePinnedKey(managed, change.path.join('.'));
  const file = join(target.home.path, 'config.yaml');
  for (let attempt = 1; ; attempt++) {
    const before = readForEdit(file);
    const parsed = await parseYaml(before ?? '');
    if ('problem' in parsed) {
      throw new UserError(`Cannot edit ${file}${parsed.problem}`, {
        hint: 'Repair the file with `hermes config edit`, then try again. It was not changed.',
      });
    }
    // A file without a version counts as one from before there were versions.
    const first: Change[] = before === undefined ? [{ path: ['_config_version'], value: CONFIG_VERSION }] : [];
    const after = await applyChanges(parsed.document, [...changes, ...first]);
    // Another process may have saved meanwhile; its change must not be lost.
    if (readForEdit(file) !== before && attempt < MOST_ATTEMPTS) continue;
    if (after !== before) write(file, after);
    return file;
  }
}

/** True when `hermes config set KEY` means a variable in `.env` rather than a key of `config.yaml`. */
export function isVariable(key: string): boolean {
  if (key.includes('.')) return false;
  const name = key.toUpperCase();
  // Keys of config.yaml are lower case: a capitalised name is meant as a variable, and its spelling is then checked.
  if (/^[A-Z][A-Z0-9_-]*-[A-Z0-9_-]*$/.test(key)) return true;
  if (/_API_KEY$|_TOKEN$/.test(name) || name.startsWith('TERMINAL_SSH')) return true;
  if (isConfigVariable(name) || knownVariables().has(name)) return true;
  return /^HERMES_[A-Z0-9_]+$/.test(key) || (isSecretName(name) && key === name);
}

/** `model` alone means the model's name, whatever form the file has; `api_base` is what other libraries call its address. */
export function keyPath(key: string): string[] {
  const path = key.split('.').map((part) => part.trim());
  if (path.includes('') || path.includes('__proto__')) {
    throw new UserError(`'${key}' is not a configuration key.`, { hint: 'Write keys as `section.name`.' });
  }
  if (path.length === 1 && path[0] === 'model') return ['model', 'default'];
  return /^(?:model\.)?api_base$/.test(path.join('.')) ? ['model', 'base_url'] : path;
}

function readForEdit(file: string): string | undefined {
  try {
    return readText(file);
  } catch (error) {
    throw unwritable('read', file, error);
  }
}

function write(file: string, text: string): void {
  try {
    writeFileAtomic(file, text);
  } catch (error) {
    throw unwritable('write', file, error);
  }
}

function presentable(key: string, value: string): string | undefined {
  return isSecretName(key) ? undefined : withoutUserInfo(value);
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
