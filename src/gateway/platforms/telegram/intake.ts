/** Makes a message of Telegram into an event of the gateway, or leaves it alone. */
import type { Burst, MessageEvent, MessageType, QuotedMessage } from '../../platform/message-event.ts';
import { addressOf, repliesTo, withoutMention } from './addressing.ts';
import { contentsOf, type Contents } from './contents.ts';
import { authorOf, nameOfChat, nameOfUser, sourceOf, topicOf } from './places.ts';
import type { TelegramSettings } from './settings.ts';
import type { TopicNames } from './topic-names.ts';
import type { TelegramMessage, TelegramUser } from './wire.ts';

export interface IntakeContext {
  readonly me: TelegramUser;
  readonly settings: TelegramSettings;
  readonly topics: TopicNames;
  /** The real name of a command that Telegram's menu cannot write: `reload_mcp` is `reload-mcp`. */
  readonly commandName: (shown: string) => string;
}

/** Undefined for what is not meant for the agent. */
export function readMessage(message: TelegramMessage, context: IntakeContext): MessageEvent | undefined {
  const { me, settings, topics } = context;
  topics.learn(message);
  if (message.from?.id === me.id) return undefined;
  const contents = contentsOf(message);
  if (contents === undefined) return undefined;
  const chatId = String(message.chat.id);
  const thread = topicOf(message);
  const address = addressOf(message, me, settings);
  if (address === 'drop') return undefined;

  const text = textOf(message, contents, context);
  const type = typeOf(text, contents, message.forward_origin !== undefined);
  const isOutside = message.chat.type === 'private' && thread === undefined;
  if (settings.ignore_root_dm && isOutside && type !== 'command') return undefined;
  const topic = topics.of(chatId, thread);
  const burst = burstOf(message, contents, text, settings);
  const prompt =
    (thread === undefined ? undefined : settings.channel_prompts[thread]) ?? settings.channel_prompts[chatId];
  const quoted = quotedOf(message, me);
  const skills = topic?.skills ?? [];
  const origin = message.forward_origin;
  return {
    event_id: `${chatId}:${message.message_id}`,
    source: sourceOf(message, authorOf(message), topic?.name),
    text,
    message_type: type,
    message_id: String(message.message_id),
    timestamp: message.date * 1000,
    attachments: contents.attachments,
    ...(quoted === undefined ? {} : { reply_to: quoted }),
    ...(skills.length === 0 ? {} : { auto_skill: skills }),
    ...(prompt === undefined ? {} : { channel_prompt: prompt }),
    ...(message.from?.is_bot === true && message.sender_chat === undefined ? { from_bot: true } : {}),
    ...(origin === undefined ? {} : { forwarded_from: originOf(origin) }),
    ...(burst === undefined || address === 'observe' ? {} : { burst }),
    ...(address === 'observe' ? { observed: true } : {}),
  };
}

/** A command that was forwarded is somebody else's. */
function typeOf(text: string, { attachments, type }: Contents, forwarded: boolean): MessageType {
  if (forwarded) return type === 'command' ? 'text' : type;
  return text.startsWith('/') && attachments.length === 0 ? 'command' : type;
}

function textOf(message: TelegramMessage, { words }: Contents, { me, commandName }: IntakeContext): string {
  const written = withoutMention(message, me).replace(/^\/(\w+)/, (_whole, name: string) => `/${commandName(name)}`);
  return [words ?? '', written].filter((part) => part !== '').join('\n');
}

/** The first message of a topic stands in the place of a quoted one in everything that is written there. */
function quotedOf(message: TelegramMessage, me: TelegramUser): QuotedMessage | undefined {
  const { reply_to_message: quoted, quote } = message;
  if (quoted === undefined) return quotedElsewhere(message);
  if (quoted.forum_topic_created !== undefined) return undefined;
  const text = quote?.text ?? quoted.text ?? quoted.caption ?? contentsOf(quoted)?.words;
  const { from, sender_chat, forward_origin: origin } = quoted;
  const sender = sender_chat?.title ?? (from === undefined ? undefined : nameOfUser(from));
  // Who forwarded it did not write it.
  const name = origin === undefined ? sender : originOf(origin);
  const isTheirs = from !== undefined && sender_chat === undefined && origin === undefined;
  return {
    message_id: String(quoted.message_id),
    ...(text === undefined ? {} : { text }),
    ...(isTheirs ? { author_id: String(from.id) } : {}),
    ...(name === undefined ? {} : { author_name: name }),
    own: repliesTo(message, me),
  };
}

/** Of a message in another chat only what was quoted is shown. */
function quotedElsewhere({ external_reply: reply, quote }: TelegramMessage): QuotedMessage | undefined {
  if (reply === undefined || quote === undefined) return undefined;
  return { message_id: '', text: quote.text, author_name: originOf(reply.origin), own: false };
}

/** Near this length Telegram's own programs cut what a person writes into several messages. */
const cutLength = 4000;

/** The shorter a text, the likelier it is all that the person wants to say. */
function burstOf(
  message: TelegramMessage,
  contents: Contents,
  text: string,
  settings: TelegramSettings,
): Burst | undefined {
  const { media_batch_delay_seconds: media, text_batch_delay_seconds: most } = settings;
  if (message.media_group_id !== undefined) return burst(media, message.media_group_id);
  if (contents.type !== 'text' || text.startsWith('/')) return undefined;
  if (text.length >= cutLength) return burst(settings.text_batch_split_delay_seconds);
  return burst(Math.min(most, text.length <= 320 ? 0.18 : text.length <= 1024 ? 0.24 : most));
}

function burst(seconds: number, album?: string): Burst | undefined {
  if (album !== undefined) return { quiet_ms: Math.round(seconds * 1000), album };
  return seconds === 0 ? undefined : { quiet_ms: Math.round(seconds * 1000) };
}

function originOf(origin: NonNullable<TelegramMessage['forward_origin']>): string {
  const { sender_user: user, sender_user_name: name, sender_chat, chat } = origin;
  const group = sender_chat ?? chat;
  return (
    (user === undefined ? name : nameOfUser(user)) ?? (group === undefined ? null : nameOfChat(group)) ?? 'somebody'
  );
}
