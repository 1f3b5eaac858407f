/** Where a conversation of a terminal goes on: a new thread of the home chat, or that chat itself. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { RouteEntry } from '../../sessions/chat-routes.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { ChatAddress } from '../platform/adapter.ts';
import type { HomeChannel } from '../platform/platform-config.ts';
import { type ChatType, chatTypes, type SessionSource, sessionSource } from '../platform/session-source.ts';

export interface DestinationOptions {
  readonly connection: PlatformConnection;
  /** Of the gateway; they are read one after the other. */
  readonly routes: () => AsyncIterable<RouteEntry>;
  /** Each member of a group, or of a thread, has a conversation of their own. */
  readonly perUser: { readonly inGroups: boolean; readonly inThreads: boolean };
  readonly log: Log;
}

const maxNameChars = 80;

/** As messages there come from. Throws `UserError` when it cannot be said whose conversation it would be. */
export async function destinationOf(
  title: string,
  { connection, routes, perUser, log }: DestinationOptions,
  signal: AbortSignal,
): Promise<SessionSource> {
  const { platform, config, adapter } = connection;
  if (adapter === undefined) throw new UserError(`${platform.label} is not connected in this gateway.`);
  const home = config.homeChannel;
  if (home === undefined) throw new UserError(`${platform.label} has no home chat; write /sethome in a chat there.`);
  const known = await knownIn(platform.name, home, routes());
  const chat = known.newest ?? (await chatOf(connection, home, signal));
  const named: ChatAddress | undefined = await adapter.threads
    ?.create(home.chatId, `Hermes — ${title}`.slice(0, maxNameChars).toWellFormed(), signal)
    .catch((error: unknown) => {
      log.warning(`no thread could be begun in ${platform.name}: ${errorMessage(error)}`, error);
      return undefined;
    });
  const source = named === undefined ? { ...chat, thread_id: home.threadId } : inThread(chat, named);
  const isPersonal = source.chat_type !== 'dm' && (source.thread_id === null ? perUser.inGroups : perUser.inThreads);
  if (!isPersonal || (source.user_id !== null && !known.isOfSeveral)) return source;
  throw new UserError(
    known.isOfSeveral
      ? `Several people have a conversation of their own in the home chat of ${platform.label}; make a private chat its home: /sethome`
      : `Nobody has written in the home chat of ${platform.label} yet, so it is not known whose conversation it would be; write something there first.`,
  );
}

interface Known {
  /** Without what belonged to one message. */
  readonly newest: SessionSource | undefined;
  readonly isOfSeveral: boolean;
}

async function knownIn(platform: string, home: HomeChannel, routes: AsyncIterable<RouteEntry>): Promise<Known> {
  let newest: { readonly at: string; readonly source: SessionSource } | undefined;
  const people = new Set<string>();
  for await (const { origin, updated_at: at } of routes) {
    const { data } = sessionSource.safeParse(origin);
    if (data?.platform !== platform || data.chat_id !== home.chatId) continue;
    if (data.user_id !== null) people.add(data.user_id);
    if (newest === undefined || at > newest.at) newest = { at, source: data };
  }
  const isOfSeveral = people.size > 1;
  if (newest === undefined) return { newest: undefined, isOfSeveral };
  const { message_id: _of, chat_topic: _topic, ...source } = newest.source;
  return { newest: { ...source, chat_topic: null }, isOfSeveral };
}

/** Nobody has written there yet. The id of a private chat of Telegram is that of the person. */
async function chatOf({ platform, adapter }: PlatformConnection, home: HomeChannel, signal: AbortSignal) {
  const info = await adapter?.chatInfo(home.chatId, signal);
  const type: ChatType = chatTypes.find((each) => each === info?.type) ?? (info === undefined ? 'dm' : 'group');
  const user = platform.name === 'telegram' && type === 'dm' ? home.chatId : null;
  return {
    platform: platform.name,
    chat_id: home.chatId,
    chat_name: home.name ?? info?.name ?? null,
    chat_type: type,
    user_id: user,
    user_name: null,
    thread_id: null,
    chat_topic: null,
  } satisfies SessionSource;
}

/** Some platforms have threads that are chats by themselves. */
function inThread(source: SessionSource, { chatId, threadId }: ChatAddress): SessionSource {
  if (chatId === source.chat_id) return { ...source, thread_id: threadId };
  return { ...source, chat_id: chatId, thread_id: threadId, chat_type: 'thread', parent_chat_id: source.chat_id };
}
