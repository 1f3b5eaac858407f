/** Platforms of plug-ins, as the gateway knows its own. */
import type { PluginPlatform } from '../../plugins/packages/plugin-platform.ts';
import type { Platform, PlatformEntry } from '../platform/platform.ts';
import { pluggedAdapter } from './plugged-adapter.ts';
import { pluggedSender } from './plugged-sender.ts';
import { setUpPlugged } from './plugged-setup.ts';
import { readPlugged, translatePlugged } from './read-plugged.ts';

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
    allowsUpdate: given.allow_update_command,
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
    ...(given.apply_yaml_config_fn === undefined ? {} : { translate: (written) => translatePlugged(given, written) }),
    create: (host) => pluggedAdapter(given, host),
    createSender: (host) => pluggedSender(given, host),
    ...(given.setup_fn === undefined ? {} : { setUp: async (dialogue) => await setUpPlugged(given, dialogue) }),
  };
}
