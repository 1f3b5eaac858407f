/** Topics of forums and of private chats: made, named, and whether people may have their own. */
import * as z from 'zod';
import type { ChatAddress, PrivateThreads, Threads } from '../../platform/adapter.ts';
import type { TelegramApi } from './api.ts';
import { ApiError } from './errors.ts';
import { target } from './places.ts';
import type { TelegramSettings } from './settings.ts';
import type { TopicNames } from './topic-names.ts';
import * as wire from './wire.ts';

const maxName = 128;

export class Topics implements Threads {
  readonly rename?: NonNullable<Threads['rename']>;
  readonly #api: TelegramApi;
  readonly #names: TopicNames;

  constructor(api: TelegramApi, names: TopicNames, settings: Pick<TelegramSettings, 'disable_topic_auto_rename'>) {
    this.#api = api;
    this.#names = names;
    if (!settings.disable_topic_auto_rename) this.rename = async (...asked) => await this.#rename(...asked);
  }

  async create(chatId: string, name: string, signal: AbortSignal): Promise<ChatAddress | undefined> {
    try {
      const args = { chat_id: chatId, name: name.slice(0, maxName).toWellFormed() };
      const topic = await this.#api.call('createForumTopic', args, wire.topic, { signal });
      return { chatId, threadId: String(topic.message_thread_id) };
    } catch (error) {
      // No forum, or no right to change it.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  /** https://core.telegram.org/bots/api#user */
  async inPrivateChats(signal: AbortSignal): Promise<PrivateThreads> {
    const said = await this.#api.call('getMe', {}, wire.abilities, { signal });
    return { enabled: said.has_topics_enabled, peopleMayCreate: said.allows_users_to_create_topics };
  }

  /** A topic of the settings keeps the name that it has there. */
  async #rename(to: ChatAddress, name: string, signal: AbortSignal): Promise<void> {
    const { chat_id, message_thread_id } = target(to);
    if (message_thread_id === undefined || this.#names.isBound(chat_id, String(message_thread_id))) return;
    const args = { chat_id, message_thread_id, name: name.slice(0, maxName).toWellFormed() };
    try {
      await this.#api.call('editForumTopic', args, z.unknown(), { signal });
    } catch (error) {
      if (!(error instanceof ApiError) || !/TOPIC_NOT_MODIFIED/i.test(error.message)) throw error;
    }
  }
}
