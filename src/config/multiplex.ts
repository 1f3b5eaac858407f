/** One gateway for all profiles: whether it is wanted, and what the others may not switch on then. */
import { isOn } from './env-values.ts';
import { DEFAULT_PROFILE, type Home } from './home.ts';
import { listenerBlock } from './listener-block.ts';
import type { LoadedConfig } from './load.ts';
import type { ProfileRoute } from './schema/gateway.ts';
import type { Variables } from './variables.ts';

/** True where the gateway of this home serves the other profiles too: only that of the default profile does. */
export function servesAllProfiles({ profile }: Home, { config }: Pick<LoadedConfig, 'config'>): boolean {
  return profile === DEFAULT_PROFILE && (config.multiplex_profiles ?? config.gateway.multiplex_profiles);
}

/** Which profile answers in which chats; the most specific that fits a chat stands first. */
export function profileRoutes({ config }: Pick<LoadedConfig, 'config'>): readonly ProfileRoute[] {
  const { profile_routes: general, gateway } = config;
  const routes = general.length > 0 ? general : gateway.profile_routes;
  return routes.filter(({ enabled }) => enabled).toSorted((one, other) => weightOf(other) - weightOf(one));
}

/** As the original weighs them. */
function weightOf({ guild_id, chat_id, thread_id }: ProfileRoute): number {
  return (filled(thread_id) ? 8 : 0) + (filled(chat_id) ? 4 : 0) + (filled(guild_id) ? 2 : 0);
}

function filled(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** What a profile wants to listen on for other programs, by the names of `platforms`. */
export function wantedListeners({ raw }: Pick<LoadedConfig, 'raw'>, env: Variables): readonly string[] {
  const switches = { api_server: env['API_SERVER_ENABLED'], webhook: env['WEBHOOK_ENABLED'] };
  return Object.entries(switches).flatMap(([name, variable]) =>
    (listenerBlock(raw, name).enabled ?? isOn(variable)) ? [name] : [],
  );
}
