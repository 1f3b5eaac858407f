/** Names of topics, as far as messages and settings have told them, and the skills that are bound to topics. */
import { topicOf } from './places.ts';
import type { TelegramSettings } from './settings.ts';
import type { TelegramMessage } from './wire.ts';

export interface KnownTopic {
  readonly name: string | undefined;
  readonly skills: readonly string[];
}

const maxNames = 1000;

export class TopicNames {
  readonly #names = new Map<string, string>();
  readonly #bound = new Map<string, KnownTopic>();

  constructor({ dm_topics, group_topics }: Pick<TelegramSettings, 'dm_topics' | 'group_topics'>) {
    for (const { chat_id, topics } of [...dm_topics, ...group_topics])
      for (const { thread_id, name, skill } of topics)
        if (thread_id !== undefined) this.bind(chat_id, thread_id, { name, skills: skillsOf(skill) });
  }

  /** From now on what is written there has these skills. */
  bind(chatId: string, threadId: string, topic: KnownTopic): void {
    this.#bound.set(`${chatId}:${threadId}`, topic);
  }

  /** The settings name it. */
  isBound(chatId: string, threadId: string): boolean {
    return this.#bound.has(`${chatId}:${threadId}`);
  }

  /** A topic tells its name when it is made, when it gets another one, and in each message that quotes nothing. */
  learn(message: TelegramMessage): void {
    const thread = topicOf(message);
    const name =
      message.forum_topic_edited?.name ??
      message.forum_topic_created?.name ??
      message.reply_to_message?.forum_topic_created?.name;
    if (thread === undefined || name === undefined) return;
    const key = `${message.chat.id}:${thread}`;
    // The first message keeps the first name.
    if (message.forum_topic_edited === undefined && this.#names.has(key)) return;
    const oldest = this.#names.size >= maxNames ? this.#names.keys().next().value : undefined;
    if (oldest !== undefined) this.#names.delete(oldest);
    this.#names.set(key, name);
  }

  of(chatId: string, threadId: string | undefined): KnownTopic | undefined {
    if (threadId === undefined) return undefined;
    const key = `${chatId}:${threadId}`;
    const bound = this.#bound.get(key);
    return { name: this.#names.get(key) ?? bound?.name, skills: bound?.skills ?? [] };
  }
}

export function skillsOf(skill: string | readonly string[] | undefined): readonly string[] {
  return skill === undefined ? [] : typeof skill === 'string' ? [skill] : skill;
}
