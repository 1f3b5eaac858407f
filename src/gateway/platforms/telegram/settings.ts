/** What can be set for Telegram: by key of config.yaml, by variable, or by both. */
import * as z from 'zod';
import { address, amount, choice, flag, list, optionalText, toList } from '../../platform/settings-fields.ts';

const ids = () => z.preprocess(toIds, z.array(z.string())).default([]);

const topicSchema = z.looseObject({
  name: z.coerce.string().optional(),
  thread_id: z.coerce.string().optional(),
  icon_color: z.coerce.number().optional(),
  icon_custom_emoji_id: z.coerce.string().optional(),
  skill: z.union([z.string(), z.array(z.string())]).optional(),
});

const topics = () =>
  z
    .array(
      z.looseObject({ chat_id: z.coerce.string(), topics: z.array(topicSchema).default([]) }),
      'is not a list of chats',
    )
    .default([]);

/** https://core.telegram.org/bots/api#inputrichmessage, in UTF-16 units. */
export const maxRichLength = 32_768;

/** Names are those of config.yaml; what only a variable can set has a name of its own here. */
export const shape = {
  /** Groups: answer only who calls the bot. */
  require_mention: flag(false),
  /** Besides its name, what calls the bot; regular expressions. */
  mention_patterns: z.preprocess(toPatterns, z.array(z.string())).default([]),
  /** A message that calls other bots by name is theirs alone. */
  exclusive_bot_mentions: flag(true),
  free_response_chats: ids(),
  free_response_topics: ids(),
  /** Groups in which the bot speaks; empty means all. */
  allowed_chats: ids(),
  /** Topics `thread` or `chat:thread`; empty means all. */
  allowed_topics: ids(),
  ignored_threads: ids(),
  /** In groups that are not allowed, answer who calls the bot by name. */
  guest_mode: flag(false),
  /** Keep what is said in groups without calling the bot, as context. */
  observe_unmentioned_group_messages: flag(false),
  allow_bots: choice(['none', 'mentions', 'all'], 'none'),
  allow_from: ids(),
  group_allow_from: ids(),
  group_allowed_chats: ids(),
  /** Private chats with topics: what is written outside of them is left alone, but for commands. */
  ignore_root_dm: flag(false),
  dm_topics: topics(),
  group_topics: topics(),
  /** Topics of private chats keep the names that people gave them. */
  disable_topic_auto_rename: flag(false),
  channel_prompts: z.record(z.string(), z.coerce.string()).default({}),
  reactions: flag(false),
  notifications: choice(['important', 'all'], 'important'),
  disable_link_previews: flag(false),
  /** Answers as messages that Telegram lays out by itself, with tables and up to 32,768 characters. */
  rich_messages: flag(false),
  /** What is shown of an answer while it is written, too. */
  rich_drafts: flag(false),
  /** The bot's short description says whether it is there. */
  status_indicator: flag(false),
  status_online: z.string('is not a text').default('Online'),
  status_offline: z.string('is not a text').default('Offline'),
  base_url: address(),
  base_file_url: address(),
  /** The Bot API server runs on this machine, and its files are read from the disk. */
  local_mode: flag(false),
  proxy: optionalText(),
  /** Where the Bot API is looked for when its name leads nowhere. */
  fallback_ips: z.preprocess(toList, z.array(z.union([z.ipv4(), z.ipv6()], 'holds what is no address'))).default([]),
  disable_fallback_ips: flag(false),
  webhook_url: address(),
  /** Telegram has to reach it, so every address of the machine by default; a reverse proxy beside it needs 127.0.0.1. */
  webhook_host: z.string('is not a text').default('0.0.0.0'),
  webhook_port: z.coerce
    .number('is not a number')
    .int('is not a port')
    .min(0)
    .max(65_535, 'is not a port')
    .default(8443),
  webhook_secret: optionalText(),
  /** Seconds. */
  http_connect_timeout: amount(10),
  http_read_timeout: amount(20),
  http_write_timeout: amount(20),
  init_timeout: amount(30),
  media_batch_delay_seconds: amount(0.8),
  text_batch_delay_seconds: amount(0.6),
  text_batch_split_delay_seconds: amount(2),
  reply_to_mode: choice(['off', 'first', 'all'], 'first'),
};

export const telegramSettings = z.object(shape);

export type TelegramSettings = z.infer<typeof telegramSettings>;

/**
 * Keys that several platforms share: config.yaml beats the variable. The lists of people are not among them: they are read
 * anew from the variables whenever these change.
 */
export const sharedKeys: Readonly<Record<string, string>> = {
  require_mention: 'TELEGRAM_REQUIRE_MENTION',
  mention_patterns: 'TELEGRAM_MENTION_PATTERNS',
  exclusive_bot_mentions: 'TELEGRAM_EXCLUSIVE_BOT_MENTIONS',
  observe_unmentioned_group_messages: 'TELEGRAM_OBSERVE_UNMENTIONED_GROUP_MESSAGES',
  allowed_chats: 'TELEGRAM_ALLOWED_CHATS',
  allowed_topics: 'TELEGRAM_ALLOWED_TOPICS',
};

/** Everything else: the variable beats config.yaml. */
export const ownKeys: Readonly<Record<string, string>> = {
  free_response_chats: 'TELEGRAM_FREE_RESPONSE_CHATS',
  free_response_topics: 'TELEGRAM_FREE_RESPONSE_TOPICS',
  ignored_threads: 'TELEGRAM_IGNORED_THREADS',
  guest_mode: 'TELEGRAM_GUEST_MODE',
  allow_bots: 'TELEGRAM_ALLOW_BOTS',
  reactions: 'TELEGRAM_REACTIONS',
  reply_to_mode: 'TELEGRAM_REPLY_TO_MODE',
  notifications: 'HERMES_TELEGRAM_NOTIFICATIONS',
  proxy: 'TELEGRAM_PROXY',
  fallback_ips: 'TELEGRAM_FALLBACK_IPS',
  disable_fallback_ips: 'HERMES_TELEGRAM_DISABLE_FALLBACK_IPS',
  webhook_url: 'TELEGRAM_WEBHOOK_URL',
  webhook_port: 'TELEGRAM_WEBHOOK_PORT',
  webhook_secret: 'TELEGRAM_WEBHOOK_SECRET',
  http_connect_timeout: 'HERMES_TELEGRAM_HTTP_CONNECT_TIMEOUT',
  http_read_timeout: 'HERMES_TELEGRAM_HTTP_READ_TIMEOUT',
  http_write_timeout: 'HERMES_TELEGRAM_HTTP_WRITE_TIMEOUT',
  init_timeout: 'HERMES_TELEGRAM_INIT_TIMEOUT',
  media_batch_delay_seconds: 'HERMES_TELEGRAM_MEDIA_BATCH_DELAY_SECONDS',
  text_batch_delay_seconds: 'HERMES_TELEGRAM_TEXT_BATCH_DELAY_SECONDS',
  text_batch_split_delay_seconds: 'HERMES_TELEGRAM_TEXT_BATCH_SPLIT_DELAY_SECONDS',
};

/** A map from chats to topics means the topics of these chats: `chat:topic`. */
function toIds(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([chat, inside]) => {
      const topicIds = list().safeParse(inside);
      return topicIds.success ? topicIds.data.map((id) => `${chat}:${id}`) : [];
    });
  const items = list().safeParse(value);
  return items.success ? items.data.map((id) => id.trim()) : value;
}

/** Commas are part of a pattern unless there is one line only. */
function toPatterns(value: unknown): unknown {
  if (typeof value !== 'string' || value.trimStart().startsWith('[')) return toList(value);
  const lines = value.split('\n').flatMap((line) => line.trim() || []);
  return lines.length > 1 ? lines : toList(value);
}
