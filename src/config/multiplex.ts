/** One gateway for all profiles: whether it is wanted, and what the others may not switch on then. */
import { isOn } from './env-values.ts';
import { DEFAULT_PROFILE, type Home } from './home.ts';
import { listenerBlock } from './listener-block.ts';
import type { LoadedConfig } from './load.ts';
import type { Variables } from './variables.ts';

/** True where the gateway of this home serves the other profiles too: only that of the default profile does. */
export function servesAllProfiles({ profile }: Home, { config }: Pick<LoadedConfig, 'config'>): boolean {
  return profile === DEFAULT_PROFILE && (config.multiplex_profiles ?? config.gateway.multiplex_profiles);
}

/** What a profile wants to listen on for other programs, by the names of `platforms`. */
export function wantedListeners({ raw }: Pick<LoadedConfig, 'raw'>, env: Variables): readonly string[] {
  const switches = { api_server: env['API_SERVER_ENABLED'], webhook: env['WEBHOOK_ENABLED'] };
  return Object.entries(switches).flatMap(([name, variable]) =>
    (listenerBlock(raw, name).enabled ?? isOn(variable)) ? [name] : [],
  );
}
