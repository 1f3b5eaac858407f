/** What a platform of a plug-in makes of its settings: variables, keys of config.yaml, and what its own code has to say. */
import { filled, firstSet } from '../../config/env-values.ts';
import type { Variables } from '../../config/variables.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { isSecretName, maskKeys } from '../../lib/secrets.ts';
import type { PluginPlatform } from '../../plugins/packages/plugin-platform.ts';
import type { Callable } from '../../plugins/packages/values.ts';
import type { HomeChannel } from '../platform/platform-config.ts';
import type { PlatformReading, Translation, WrittenSettings } from '../platform/platform.ts';
import { oneLine } from './plugged-error.ts';

/** Whether it is on, who may speak and what they may do is for the operator to say: here its code is not listened to. */
export const ofTheOperator: ReadonlySet<string> = new Set([
  'enabled',
  'env',
  'home_channel',
  'allow_from',
  'allow_bots',
  'allow_admin_from',
  'user_allowed_commands',
  'group_allow_from',
  'group_allowed_chats',
  'group_allow_admin_from',
  'group_user_allowed_commands',
  'dm_policy',
  'group_policy',
  'unauthorized_dm_behavior',
]);

/** What `apply_yaml_config_fn` makes of the file. Where it throws, all stays as it was written. */
export function translatePlugged(given: PluginPlatform, { raw, block, variables }: WrittenSettings): Translation {
  const nothing = { variables, extra: {} };
  const { name, log, apply_yaml_config_fn: apply } = given;
  if (apply === undefined) return nothing;
  const names = [...variableNames(given), ...homeNames(given)].filter(
    (each) => each !== given.allowed_users_env && each !== given.allow_all_env,
  );
  const before = valuesOf(names, variables);
  const filledIn: Record<string, unknown> = { ...before };
  try {
    const made = callNow(apply, [withoutSecrets(raw), structuredClone(block), filledIn]);
    const defaults = names.flatMap((each) => {
      const value = filledIn[each];
      const isNew = before[each] === undefined && (typeof value === 'string' || typeof value === 'number');
      return isNew ? [[each, String(value)] as const] : [];
    });
    return {
      variables: { ...variables, ...Object.fromEntries(defaults) },
      extra: isJsonObject(made) ? itsOwn(structuredClone(made)) : {},
    };
  } catch (error) {
    log.debug(`apply_yaml_config_fn of ${name} failed: ${oneLine(errorMessage(error))}`, error);
    return nothing;
  }
}

/**
 * It is set up when `is_connected` says so; without that, when its variables are there, or without any of them when
 * `env_enablement_fn` or `enabled: true` says so; and when `validate_config` and `check_fn` have nothing against it. `extra`
 * has its keys of config.yaml and, in `env`, its variables.
 */
export function readPlugged(
  given: PluginPlatform,
  variables: Variables,
  block: Readonly<Record<string, unknown>>,
): PlatformReading {
  const { label, required_env } = given;
  const own = valuesOf(variableNames(given), variables);
  try {
    const seed = seedOf(given, own);
    const extra = { ...itsOwn(seed ?? {}), ...block, env: own };
    if (!isWanted(given, { own, seed, extra, isOn: block['enabled'] === true })) {
      return { configured: false, extra, problems: [] };
    }
    const problem = problemOf(given, extra);
    const token = required_env.find(({ secret }) => secret)?.name;
    const home = homeOf(seed?.['home_channel']);
    return {
      configured: problem === undefined,
      extra,
      problems: problem === undefined ? [] : [`${label}: ${problem}`],
      ...(token === undefined || own[token] === undefined ? {} : { token: own[token] }),
      ...(home === undefined ? {} : { homeChannel: home }),
    };
  } catch (error) {
    const problem = `${label}: its plug-in failed: ${oneLine(errorMessage(error))}`;
    return { configured: false, extra: { ...block, env: own }, problems: [problem] };
  }
}

interface Found {
  readonly own: Readonly<Record<string, string>>;
  readonly seed: JsonObject | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  /** The file says so. */
  readonly isOn: boolean;
}

function isWanted(given: PluginPlatform, { own, seed, extra, isOn }: Found): boolean {
  const { required_env, is_connected, env_enablement_fn } = given;
  if (is_connected !== undefined) return callNow(is_connected, [structuredClone({ extra })]) === true || isOn;
  if (required_env.some(({ name }) => own[name] === undefined)) return false;
  if (isOn || seed !== undefined) return true;
  return required_env.length > 0 && env_enablement_fn === undefined;
}

function problemOf(given: PluginPlatform, extra: Readonly<Record<string, unknown>>): string | undefined {
  const { validate_config, check_fn, install_hint } = given;
  if (validate_config !== undefined && callNow(validate_config, [structuredClone({ extra })]) !== true)
    return 'its settings are not all there.';
  if (check_fn !== undefined && callNow(check_fn, []) !== true)
    return `what it needs is not there. ${install_hint}`.trim();
  return undefined;
}

/** What the variables alone make of it; undefined: they are not enough. */
function seedOf({ env_enablement_fn }: PluginPlatform, env: Readonly<Record<string, string>>): JsonObject | undefined {
  if (env_enablement_fn === undefined) return undefined;
  const seed = callNow(env_enablement_fn, [{ ...env }]);
  return isJsonObject(seed) ? structuredClone(seed) : undefined;
}

/** Settings are read in one go: a promise would be taken for a yes. */
function callNow(code: Callable, given: readonly unknown[]): unknown {
  const made = code(...given);
  if (!(made instanceof Promise)) return made;
  made.catch(() => undefined);
  throw new Error('it gave a promise where its answer is needed at once');
}

/**
 * The keys of other services are none of its business, neither by their names nor by how they look; those of its own block
 * it is given with the block.
 */
function withoutSecrets(raw: JsonObject): JsonObject {
  const others = Object.entries(raw).filter(([key]) => !isSecretName(withUnderscores(key)));
  return Object.fromEntries(others.map(([key, value]) => [key, withoutKeys(value)]));
}

function withoutKeys(value: JsonValue): JsonValue {
  if (typeof value === 'string') return maskKeys(value).replace(/(:\/\/)[^/?#\s]{1,500}@/g, '$1***@');
  if (Array.isArray(value)) return value.map(withoutKeys);
  return isJsonObject(value) ? withoutSecrets(value) : value;
}

/** `X-Api-Key` and `botToken` as `X_Api_Key` and `bot_Token`. */
function withUnderscores(key: string): string {
  return key.replaceAll('-', '_').replace(/(?<=[a-z\d])(?=[A-Z])/g, '_');
}

function itsOwn(made: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(made).filter(([key]) => !ofTheOperator.has(key)));
}

export function variableNames({ required_env, optional_env }: PluginPlatform): readonly string[] {
  return [...required_env, ...optional_env].map(({ name }) => name);
}

function homeNames({ cron_deliver_env_var: name }: PluginPlatform): readonly string[] {
  return [name, `${name}_NAME`, `${name}_THREAD_ID`];
}

function valuesOf(names: readonly string[], variables: Variables): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = filled(firstSet(variables, [name])?.value);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function homeOf(written: unknown): HomeChannel | undefined {
  if (!isJsonObject(written)) return undefined;
  const { chat_id: chatId, name, thread_id: threadId } = written;
  if (!isId(chatId)) return undefined;
  return {
    chatId: String(chatId),
    name: typeof name === 'string' ? name : undefined,
    threadId: isId(threadId) ? String(threadId) : null,
  };
}

function isId(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}
