/** Platforms of plug-ins, as the gateway knows its own. */
import { filled, firstSet } from '../../config/env-values.ts';
import type { Variables } from '../../config/variables.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { PluginPlatform } from '../../plugins/packages/plugin-platform.ts';
import type { HomeChannel } from '../platform/platform-config.ts';
import type { Platform, PlatformEntry, PlatformReading } from '../platform/platform.ts';
import { pluggedAdapter } from './plugged-adapter.ts';

export function pluggedEntries(platforms: readonly PluginPlatform[]): readonly PlatformEntry[] {
  return platforms.map((given) => {
    const platform = pluggedPlatform(given);
    return {
      name: given.name,
      variables: given.required_env.map(({ name }) => name),
      plugin: given.plugin,
      load: () => Promise.resolve({ platform }),
    };
  });
}

export function pluggedPlatform(given: PluginPlatform): Platform {
  return {
    name: given.name,
    label: given.label,
    plugin: given.plugin,
    emoji: given.emoji,
    maxMessageLength: given.max_message_length,
    lengthUnit: given.length_unit,
    piiSafe: given.pii_safe,
    sendsOnce: given.sends_once,
    bindsPort: given.binds_port,
    // Who may speak to the agent is for the operator to say, never for a plug-in.
    transportAuthenticated: false,
    commandPrefix: given.typed_command_prefix,
    hint: given.platform_hint === '' ? `You are talking in ${given.label}.` : given.platform_hint,
    requiredVariables: [
      ...given.required_env,
      ...given.optional_env.map((variable) => ({ ...variable, optional: true })),
    ],
    allowedUsersVariable: given.allowed_users_env,
    allowAllVariable: given.allow_all_env,
    homeVariable: given.cron_deliver_env_var,
    privateChatIsPerson: given.private_chat_is_person,
    readAddress: (text) => ({ chatId: text, threadId: null }),
    setupHint: given.install_hint,
    read: (variables, block) => readPlugged(given, variables, block),
    create: (host) => pluggedAdapter(given, host),
  };
}

/**
 * It is set up when its variables are there, or without any of them when `env_enablement_fn` or `enabled: true` says so, and
 * `check_fn` and `validate_config` have nothing against it. `extra` has its keys of config.yaml and, in `env`, its variables.
 */
function readPlugged(
  given: PluginPlatform,
  variables: Variables,
  block: Readonly<Record<string, unknown>>,
): PlatformReading {
  const { label, required_env, optional_env, install_hint } = given;
  const own = Object.fromEntries(
    [...required_env, ...optional_env].flatMap(({ name }) => {
      const value = filled(firstSet(variables, [name])?.value);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const missing = required_env.some(({ name }) => own[name] === undefined);
  try {
    const seed = seedOf(given, own);
    const { home_channel, ...seeded } = seed ?? {};
    const extra = { ...seeded, ...block, env: own };
    const isWanted = required_env.length > 0 || block['enabled'] === true || seed !== undefined;
    if (
      missing ||
      !isWanted ||
      (given.env_enablement_fn !== undefined && seed === undefined && block['enabled'] !== true)
    ) {
      return { configured: false, extra, problems: [] };
    }
    const problem =
      given.check_fn !== undefined && given.check_fn() !== true
        ? `what it needs is not there. ${install_hint}`.trim()
        : given.validate_config !== undefined && given.validate_config(structuredClone({ extra })) !== true
          ? 'its settings are not all there.'
          : undefined;
    const token = required_env.find(({ secret }) => secret)?.name;
    const home = homeOf(home_channel);
    return {
      configured: problem === undefined,
      extra,
      problems: problem === undefined ? [] : [`${label}: ${problem}`],
      ...(token === undefined || own[token] === undefined ? {} : { token: own[token] }),
      ...(home === undefined ? {} : { homeChannel: home }),
    };
  } catch (error) {
    const line = errorMessage(error).replace(/\s+/g, ' ').slice(0, 300);
    return { configured: false, extra: { ...block, env: own }, problems: [`${label}: its plug-in failed: ${line}`] };
  }
}

/** What the variables alone make of it; undefined: they are not enough. */
function seedOf({ env_enablement_fn }: PluginPlatform, env: Readonly<Record<string, string>>): JsonObject | undefined {
  const seed = env_enablement_fn?.({ ...env });
  return isJsonObject(seed) ? structuredClone(seed) : undefined;
}

function homeOf(written: unknown): HomeChannel | undefined {
  if (!isJsonObject(written)) return undefined;
  const { chat_id: chatId, name } = written;
  if (typeof chatId !== 'string' && typeof chatId !== 'number') return undefined;
  return { chatId: String(chatId), name: typeof name === 'string' ? name : undefined, threadId: null };
}
