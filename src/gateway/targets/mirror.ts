/** What was sent into a chat stands in its conversation as well, so that whoever is asked about it knows it. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { RouteEntry } from '../../sessions/chat-routes.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { sessionSource } from '../platform/session-source.ts';
import type { Outgoing } from './outgoing.ts';

export interface MirrorOptions {
  readonly store: Pick<SessionStore, 'sessions' | 'messages' | 'leases'>;
  /** All of them. */
  readonly routes: AsyncIterable<RouteEntry>;
  readonly log: Log;
  /** Sees to it that nobody in this process has the conversation open; false: somebody does. */
  putDown(sessionKey: string): Promise<boolean>;
}

const leaseMs = 10_000;

/** False when no conversation is that of the chat, or it cannot be written to now. Never throws. */
export async function mirror(message: Outgoing, options: MirrorOptions): Promise<boolean> {
  const { store, log } = options;
  try {
    const route = await conversationOf(message, options.routes);
    if (route === undefined || !(await options.putDown(route.session_key))) return false;
    const row = await store.sessions.get(route.session_id);
    if (row === undefined || hasEnded(row)) return false;
    const lease = await store.leases.take(row.id, message.platform, { ttlMs: leaseMs });
    if (!lease.granted) {
      log.info(`a message was not put into the conversation ${row.id}: ${lease.by.holder} has it`);
      return false;
    }
    try {
      const { fence } = lease;
      await store.messages.append(
        row.id,
        { role: 'assistant', content: wordsOf(message), kind: 'note', sources: message.sources },
        { fence },
      );
    } finally {
      await store.leases.release(row.id, lease.fence);
    }
    return true;
  } catch (error) {
    log.warning(`a message was sent and not put into its conversation: ${errorMessage(error)}`, error);
    return false;
  }
}

/** The newest; none where several people have one each: nobody said whose is meant. */
async function conversationOf(
  { platform, to }: Outgoing,
  routes: AsyncIterable<RouteEntry>,
): Promise<RouteEntry | undefined> {
  let newest: { readonly route: RouteEntry; readonly user: string | null } | undefined;
  for await (const route of routes) {
    const { data } = sessionSource.safeParse(route.origin);
    if (data?.platform !== platform || data.chat_id !== to.chatId || data.thread_id !== to.threadId) continue;
    if (newest !== undefined && newest.user !== data.user_id) return undefined;
    if (newest === undefined || route.updated_at > newest.route.updated_at) newest = { route, user: data.user_id };
  }
  return newest?.route;
}

/** One that was only put down goes on with its next message. */
function hasEnded({ ended_at: at, end_reason: reason }: SessionRow): boolean {
  return at !== null && reason !== 'agent_close';
}

function wordsOf({ text, files }: Outgoing): string {
  return [text, ...files.map(({ name }) => `[file sent: ${name}]`)].filter((part) => part !== '').join('\n');
}
