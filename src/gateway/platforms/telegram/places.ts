/** Chats, topics and people of Telegram as the gateway names them. */
import type { ChatAddress } from '../../platform/adapter.ts';
import type { ChatType, SessionSource } from '../../platform/session-source.ts';
import type { CallbackQuery, TelegramChat, TelegramMessage, TelegramUser } from './wire.ts';

const chatTypes: Readonly<Record<TelegramChat['type'], ChatType>> = {
  private: 'dm',
  group: 'group',
  supergroup: 'group',
  channel: 'channel',
};

/** The topic within the chat; the General topic is the chat itself. Threads of replies are no topics. */
export function topicOf(message: Pick<TelegramMessage, 'message_thread_id' | 'is_topic_message'>): string | undefined {
  if (message.is_topic_message !== true || message.message_thread_id === undefined) return undefined;
  return message.message_thread_id === 1 ? undefined : String(message.message_thread_id);
}

export function sourceOf(message: TelegramMessage, author: Author, topicName: string | undefined): SessionSource {
  return {
    platform: 'telegram',
    chat_id: String(message.chat.id),
    chat_name: nameOfChat(message.chat),
    chat_type: chatTypes[message.chat.type],
    ...author,
    thread_id: topicOf(message) ?? null,
    chat_topic: topicName ?? null,
    message_id: String(message.message_id),
  };
}

/** Where a button was pressed, and by whom. */
export function pressSource(message: TelegramMessage, { from }: CallbackQuery): SessionSource {
  return sourceOf(message, { user_id: String(from.id), user_name: nameOfUser(from) }, undefined);
}

export interface Author {
  readonly user_id: string | null;
  readonly user_name: string | null;
}

/** Who speaks for a group or a channel has no name of their own, and nothing is granted to a name. */
export function authorOf({ from, sender_chat, author_signature }: TelegramMessage): Author {
  if (sender_chat !== undefined || from === undefined)
    return { user_id: null, user_name: author_signature ?? sender_chat?.title ?? null };
  return { user_id: String(from.id), user_name: nameOfUser(from) };
}

export function nameOfUser({ first_name, last_name = '', username }: TelegramUser): string {
  return `${first_name} ${last_name}`.trim() || (username ?? 'somebody');
}

export function nameOfChat({ title, first_name = '', last_name = '', username }: TelegramChat): string | null {
  return title ?? (`${first_name} ${last_name}`.trim() || (username ?? null));
}

/** The arguments that lead to a chat and its topic. */
export function target({ chatId, threadId }: ChatAddress): { chat_id: string; message_thread_id?: number } {
  const topic = threadId === null || threadId === '1' ? Number.NaN : Number(threadId);
  return Number.isSafeInteger(topic) ? { chat_id: chatId, message_thread_id: topic } : { chat_id: chatId };
}
