/** What was sent into a chat stands in its conversation as well, so that whoever is asked about it knows it. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { RouteEntry } from '../../sessions/chat-routes.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { ChatAddress } from '../platform/adapter.ts';
import { sessionSource } from '../platform/session-source.ts';
import type { JobResult, Outgoing } from './outgoing.ts';

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
  const { platform, to, inConversation: how } = message;
  if (how === 'not') return false;
  try {
    const user = how?.userId ?? undefined;
    const route = await conversationOf({ platform, to, ...(user === undefined ? {} : { user }) }, options.routes);
    if (route === undefined || !(await options.putDown(route.session_key))) return false;
    const row = await store.sessions.get(route.session_id);
    if (row === undefined || hasEnded(row)) return false;
    return await appendTo(row.id, messageOf(message), { store, log, by: platform });
  } catch (error) {
    log.warning(`a message was sent and not put into its conversation: ${errorMessage(error)}`, error);
    return false;
  }
}

/** False when somebody else has the session. Throws what the store throws. */
export async function appendTo(
  sessionId: string,
  message: HistoryMessage,
  { store, log, by }: Pick<MirrorOptions, 'store' | 'log'> & { readonly by: string },
): Promise<boolean> {
  const lease = await store.leases.take(sessionId, by, { ttlMs: leaseMs });
  if (!lease.granted) {
    log.info(`a message was not put into the conversation ${sessionId}: ${lease.by.holder} has it`);
    return false;
  }
  try {
    await store.messages.append(sessionId, message, { fence: lease.fence });
  } finally {
    await store.leases.release(sessionId, lease.fence);
  }
  return true;
}

/** The newest; none where several people have one each and nobody said whose is meant. */
export async function conversationOf(
  wanted: { readonly platform: string; readonly to: ChatAddress; readonly user?: string },
  routes: AsyncIterable<RouteEntry>,
): Promise<RouteEntry | undefined> {
  const { platform, to, user: wantedUser } = wanted;
  let newest: { readonly route: RouteEntry; readonly user: string | null } | undefined;
  for await (const route of routes) {
    const { data } = sessionSource.safeParse(route.origin);
    if (data?.platform !== platform || data.chat_id !== to.chatId || data.thread_id !== to.threadId) continue;
    if (wantedUser !== undefined && data.user_id !== wantedUser) continue;
    if (newest !== undefined && newest.user !== data.user_id) return undefined;
    if (newest === undefined || route.updated_at > newest.route.updated_at) newest = { route, user: data.user_id };
  }
  return newest?.route;
}

/** No answer of the agent: an answer after an answer would be no conversation. */
export function resultMessage({ job, text }: JobResult, { files, sources }: Pick<Outgoing, 'files' | 'sources'>) {
  const content = `[Cron delivery: ${job}]\n${wordsOf({ text, files })}`;
  return { role: 'user', content, kind: 'note', sources } satisfies HistoryMessage;
}

function messageOf(message: Outgoing): HistoryMessage {
  const { sources, inConversation: how } = message;
  if (how !== undefined && how !== 'not') return resultMessage(how, message);
  return { role: 'assistant', content: wordsOf(message), kind: 'note', sources };
}

/** One that was only put down goes on with its next message. */
function hasEnded({ ended_at: at, end_reason: reason }: SessionRow): boolean {
  return at !== null && reason !== 'agent_close';
}

function wordsOf({ text, files }: Pick<Outgoing, 'text' | 'files'>): string {
  return [text, ...files.map(({ name }) => `[file sent: ${name}]`)].filter((part) => part !== '').join('\n');
}
