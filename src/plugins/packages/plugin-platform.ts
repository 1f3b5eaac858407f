/** Chat platforms that plug-ins bring. What an adapter of one does is looked at where chats are. */
import * as z from 'zod';
import type { Log } from '../../lib/log.ts';
import type { AskedVariables } from './manifest.ts';
import { callable } from './values.ts';

const variableName = z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'must be the name of a variable');
const secretName = /_(?:TOKEN|SECRET|KEY|PASSWORD|JSON)$/;

/** A name, or what setup asks for it with. */
const variable = z
  .union([variableName.transform((name) => ({ name })), z.looseObject({ name: variableName })])
  .pipe(
    z.looseObject({
      name: variableName,
      description: z.string().max(300).optional(),
      prompt: z.string().max(300).optional(),
      url: z.url({ protocol: /^https?$/ }).optional(),
      password: z.boolean().optional(),
    }),
  )
  .transform(({ name, description, prompt, url, password }) => ({
    name,
    prompt: prompt ?? description ?? name,
    ...(url === undefined ? {} : { url }),
    secret: password ?? secretName.test(name),
  }));

/** What `registerPlatform` takes; anything else is refused, so that nothing is thought to have an effect that has none. */
export const platformRegistration = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9_]{1,64}$/, 'must be a name of small letters, digits and _'),
    label: z.string().min(1).max(60),
    emoji: z.string().max(16).default('🔌'),
    adapter_factory: callable,
    check_fn: callable.optional(),
    validate_config: callable.optional(),
    is_connected: callable.optional(),
    env_enablement_fn: callable.optional(),
    apply_yaml_config_fn: callable.optional(),
    standalone_sender_fn: callable.optional(),
    setup_fn: callable.optional(),
    required_env: z.array(variable).max(30).default([]),
    optional_env: z.array(variable).max(30).default([]),
    install_hint: z.string().max(300).default(''),
    allowed_users_env: variableName.optional(),
    allow_all_env: variableName.optional(),
    cron_deliver_env_var: variableName.optional(),
    max_message_length: z.int().min(0).default(0),
    length_unit: z.enum(['utf16', 'codepoint', 'byte']).default('utf16'),
    platform_hint: z.string().max(4000).default(''),
    pii_safe: z.boolean().default(false),
    allow_update_command: z.boolean().default(true),
    binds_port: z.boolean().default(false),
    sends_once: z.boolean().default(false),
    private_chat_is_person: z.boolean().default(false),
    typed_command_prefix: z.enum(['/', '!']).default('/'),
  })
  .transform((given) => {
    const prefix = given.name.toUpperCase();
    return {
      ...given,
      allowed_users_env: given.allowed_users_env ?? `${prefix}_ALLOWED_USERS`,
      allow_all_env: given.allow_all_env ?? `${prefix}_ALLOW_ALL_USERS`,
      cron_deliver_env_var: given.cron_deliver_env_var ?? `${prefix}_HOME_CHANNEL`,
    };
  });

export interface PluginPlatform extends z.infer<typeof platformRegistration> {
  /** Key of the plug-in. */
  readonly plugin: string;
  /** What is only of interest to its author goes here. */
  readonly log: Log;
}

/** What its `plugin.yaml` names besides is asked for too; what the registration says of a variable comes before that. */
export function withManifest(
  given: z.infer<typeof platformRegistration>,
  { required, optional }: AskedVariables,
): z.infer<typeof platformRegistration> {
  // Who may speak is asked for by the program itself.
  const known = new Set(
    [...given.required_env, ...given.optional_env].map(({ name }) => name).concat(given.allow_all_env),
  );
  const others = (written: readonly unknown[]) =>
    written
      .flatMap((each) => variable.safeParse(each).data ?? [])
      .filter(({ name }) => !known.has(name) && known.add(name) !== undefined);
  return {
    ...given,
    required_env: [...given.required_env, ...others(required)],
    optional_env: [...given.optional_env, ...others(optional)],
  };
}
