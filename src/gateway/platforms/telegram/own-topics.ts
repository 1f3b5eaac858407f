/** Topics of private chats that the settings name: made once, and found again after a restart. */
import type { AdapterHost } from '../../platform/adapter-host.ts';
import type { TelegramApi } from './api.ts';
import type { TelegramSettings } from './settings.ts';
import { skillsOf, type TopicNames } from './topic-names.ts';
import { topic as topicSchema } from './wire.ts';

export interface OwnTopics {
  readonly api: TelegramApi;
  readonly host: Pick<AdapterHost, 'notes' | 'log'>;
  readonly topics: TopicNames;
  readonly wanted: TelegramSettings['dm_topics'];
  readonly signal: AbortSignal;
}

/** The colours that Telegram takes; it refuses any other. https://core.telegram.org/bots/api#createforumtopic */
const colours = [7322096, 16766590, 13338331, 9367192, 16749490, 16478047] as const;

/** A topic that cannot be made is logged: the chat works without it. */
export async function openTopics(options: OwnTopics): Promise<void> {
  const { host, topics, wanted } = options;
  for (const { chat_id: chatId, topics: named } of wanted) {
    for (const topic of named) {
      if (topic.thread_id !== undefined || topic.name === undefined) continue;
      const { name, skill } = topic;
      try {
        const threadId = await threadOf(chatId, { ...topic, name }, options);
        topics.bind(chatId, threadId, { name, skills: skillsOf(skill) });
      } catch (error) {
        host.log.warning(`the topic '${name}' could not be made in the chat ${chatId}`, error);
      }
    }
  }
}

type WantedTopic = TelegramSettings['dm_topics'][number]['topics'][number] & { readonly name: string };

async function threadOf(chatId: string, wanted: WantedTopic, { api, host, signal }: OwnTopics): Promise<string> {
  const note = `topic ${chatId} ${wanted.name}`;
  const known = await host.notes.get(note);
  if (known !== undefined) return known;
  const colour = colours.find((one) => one === wanted.icon_color);
  const args = {
    chat_id: chatId,
    name: wanted.name,
    ...(colour === undefined ? {} : { icon_color: colour }),
    ...(wanted.icon_custom_emoji_id === undefined ? {} : { icon_custom_emoji_id: wanted.icon_custom_emoji_id }),
  };
  const made = await api.call('createForumTopic', args, topicSchema, { signal });
  const threadId = String(made.message_thread_id);
  await host.notes.set(note, threadId);
  return threadId;
}
