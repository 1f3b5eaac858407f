/** Whether a message of a group is meant for the bot. */
import { topicOf } from './places.ts';
import type { TelegramSettings } from './settings.ts';
import type { TelegramMessage, TelegramUser } from './wire.ts';

/** `observe`: not meant for it, but kept as context. */
export type Address = 'hear' | 'observe' | 'drop';

export type AddressRules = Pick<
  TelegramSettings,
  | 'require_mention'
  | 'mention_patterns'
  | 'exclusive_bot_mentions'
  | 'free_response_chats'
  | 'free_response_topics'
  | 'allowed_chats'
  | 'allowed_topics'
  | 'ignored_threads'
  | 'guest_mode'
  | 'observe_unmentioned_group_messages'
  | 'allow_bots'
>;

/** The General topic of a forum, and what stands for a chat without topics. */
const generalTopic = '1';

/** Private chats are always heard. */
export function addressOf(message: TelegramMessage, me: TelegramUser, rules: AddressRules): Address {
  if (message.chat.type === 'private') return 'hear';
  const chatId = String(message.chat.id);
  const topic = topicOf(message) ?? generalTopic;
  const names = namesIn(message, me);
  if (names.otherCommand || holdsTopic(rules.ignored_threads, chatId, topic)) return 'drop';
  if (message.from?.is_bot === true && message.sender_chat === undefined && !hearsBot(message, me, names, rules))
    return 'drop';
  if (rules.exclusive_bot_mentions && names.others && !names.me) return 'drop';
  const allowed =
    (rules.allowed_chats.length === 0 || rules.allowed_chats.includes(chatId)) &&
    (rules.allowed_topics.length === 0 || holdsTopic(rules.allowed_topics, chatId, topic));
  if (!allowed) return rules.guest_mode && names.me ? 'hear' : 'drop';
  if (!rules.require_mention || isFree(chatId, topic, rules)) return 'hear';
  if (names.me || repliesTo(message, me) || matches(message, rules.mention_patterns)) return 'hear';
  return rules.observe_unmentioned_group_messages ? 'observe' : 'drop';
}

/** True for an answer to what the bot wrote. The first message of a topic is no message that anybody answers. */
export function repliesTo({ reply_to_message: quoted }: TelegramMessage, me: TelegramUser): boolean {
  return quoted !== undefined && quoted.forum_topic_created === undefined && quoted.from?.id === me.id;
}

/** The text without the name of the bot; a command keeps its word. */
export function withoutMention(message: TelegramMessage, me: TelegramUser): string {
  let text = message.text ?? message.caption ?? '';
  for (const { type, offset, length, user } of entitiesOf(message).toReversed()) {
    const part = text.slice(offset, offset + length);
    const own = isOwnName(part.slice(part.lastIndexOf('@') + 1), me);
    if (type === 'bot_command' && part.includes('@') && own)
      text = text.slice(0, offset) + part.slice(0, part.lastIndexOf('@')) + text.slice(offset + length);
    if ((type === 'mention' && own) || (type === 'text_mention' && user?.id === me.id)) {
      const [before, after] = [text.slice(0, offset), text.slice(offset + length)];
      text = before.trim() === '' ? after.replace(/^[\s,:]+/, '') : before.replace(/ $/, '') + after;
    }
  }
  return text.trim();
}

interface Names {
  /** The bot is called by name, in a command or in the text. */
  readonly me: boolean;
  readonly others: boolean;
  /** The message begins with a command for another bot. */
  readonly otherCommand: boolean;
}

function namesIn(message: TelegramMessage, me: TelegramUser): Names {
  const text = message.text ?? message.caption ?? '';
  const found = { me: false, others: false, otherCommand: false };
  for (const { type, offset, length, user } of entitiesOf(message)) {
    const part = text.slice(offset, offset + length);
    if (type === 'text_mention') {
      if (user?.id === me.id) found.me = true;
      else if (user?.is_bot === true) found.others = true;
    }
    if (type !== 'mention' && !(type === 'bot_command' && part.includes('@'))) continue;
    const name = part.slice(part.lastIndexOf('@') + 1);
    if (isOwnName(name, me)) found.me = true;
    // Names of bots end so, and those of people cannot. https://core.telegram.org/bots/features#creating-a-new-bot
    else if (/bot$/i.test(name)) {
      found.others = true;
      if (type === 'bot_command' && offset === 0) found.otherCommand = true;
    }
  }
  return found;
}

function entitiesOf({ text, entities, caption_entities }: TelegramMessage): TelegramMessage['entities'] {
  return text === undefined ? caption_entities : entities;
}

function isOwnName(name: string, { username }: TelegramUser): boolean {
  return username !== undefined && name.toLowerCase() === username.toLowerCase();
}

/** Two bots that answer each other never end. */
function hearsBot(message: TelegramMessage, me: TelegramUser, names: Names, { allow_bots }: AddressRules): boolean {
  if (allow_bots === 'none') return false;
  return allow_bots === 'all' || names.me || repliesTo(message, me);
}

function isFree(chatId: string, topic: string, rules: AddressRules): boolean {
  return rules.free_response_chats.includes(chatId) || holdsTopic(rules.free_response_topics, chatId, topic);
}

/** `topic` means this topic in every chat, `chat:topic` in one. */
function holdsTopic(list: readonly string[], chatId: string, topic: string): boolean {
  return list.includes(topic) || list.includes(`${chatId}:${topic}`);
}

function matches(message: TelegramMessage, patterns: readonly string[]): boolean {
  const text = message.text ?? message.caption ?? '';
  return text !== '' && patterns.some((pattern) => new RegExp(pattern, 'i').test(text));
}
