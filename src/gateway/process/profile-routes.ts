/** Which profile answers in a chat that comes through a bot of the default one. */
import type { ProfileRoute } from '../../config/schema/gateway.ts';
import type { SessionSource } from '../platform/session-source.ts';

/** Undefined: the profile that the bot belongs to. `routes`: the most specific first. */
export function routedProfile(routes: readonly ProfileRoute[], source: SessionSource): string | undefined {
  return routes.find((route) => fits(route, source))?.profile;
}

/** What a route does not name fits every chat; a chat is also named by the one that it hangs below. */
function fits({ platform, guild_id, chat_id, thread_id }: ProfileRoute, source: SessionSource): boolean {
  const isOf = (wanted: string | undefined, ...known: (string | null | undefined)[]): boolean =>
    wanted === undefined || wanted === '' || known.includes(wanted);
  return (
    platform.toLowerCase() === source.platform &&
    isOf(guild_id, source.guild_id, source.scope_id) &&
    isOf(chat_id, source.chat_id, source.parent_chat_id) &&
    isOf(thread_id, source.thread_id)
  );
}
