/**
 * One private chat of Telegram, several conversations: in which chats each topic is one, and which session each topic has.
 * The tables `telegram_dm_topic_…`, which the original reads and writes as well.
 */
import type { RouteEntry } from './chat-routes.ts';

/** A private chat, and whose it is. */
export interface TopicChat {
  readonly chatId: string;
  readonly userId: string;
}

/** What the platform said when it was turned on; undefined: it did not say. */
export interface TopicAbilities {
  readonly enabled: boolean | undefined;
  readonly peopleMayCreate: boolean | undefined;
}

/** A topic and its session. */
export interface TopicBinding {
  readonly chatId: string;
  readonly threadId: string;
  readonly userId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
}

/**
 * The tables are made when this is first turned on. From then on the session of a topic is written down in the moment in
 * which its chat is given one (`ChatRoutes`), or in which that session is first stored: neither is ever without the other.
 *
 * @example
 * await store.chatTopics.turnOn({ chatId: '42', userId: '42' }, { enabled: true, peopleMayCreate: true });
 * await store.chatRoutes.save([route]);
 * const { sessionId } = (await store.chatTopics.at('42', '7')) ?? {};
 */
export interface ChatTopics {
  isOn(chat: TopicChat): Promise<boolean>;
  /** The topics in which there are conversations already have these from now on. Safe to call again. */
  turnOn(chat: TopicChat, said: TopicAbilities): Promise<void>;
  /** The topics are forgotten, their sessions stay. False when it was off. */
  turnOff(chat: TopicChat): Promise<boolean>;
  at(chatId: string, threadId: string): Promise<TopicBinding | undefined>;
  ofSession(sessionId: string): Promise<TopicBinding | undefined>;
  /** Of all chats of this person, what was used last first. */
  ofPerson(userId: string): Promise<readonly TopicBinding[]>;
  /**
   * A topic goes on in another session, which ends the one that it had. All of it is on the disk, or nothing is: false when
   * another topic has that session, or nothing is stored of it.
   */
  restore(route: RouteEntry, before: string | undefined): Promise<boolean>;
  /** The platform has no such topic any more: its session is free. Without any topic left, its chat is as it was before. */
  gone(chatId: string, threadId: string): Promise<void>;
}
