/** What is read of Telegram's updates and answers; everything else in them is left alone. https://core.telegram.org/bots/api */
import * as z from 'zod';

const user = z.object({
  id: z.number(),
  is_bot: z.boolean(),
  first_name: z.string().default(''),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

export const chat = z.object({
  id: z.number(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  is_forum: z.boolean().optional(),
});

const entity = z.object({
  type: z.string(),
  offset: z.number(),
  length: z.number(),
  user: user.optional(),
});

const file = z.object({
  file_id: z.string(),
  file_size: z.number().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
});

const location = z.object({ latitude: z.number(), longitude: z.number() });

const origin = z.object({
  type: z.string(),
  sender_user: user.optional(),
  sender_user_name: z.string().optional(),
  sender_chat: chat.optional(),
  chat: chat.optional(),
});

const contents = {
  text: z.string().optional(),
  entities: z.array(entity).default([]),
  caption: z.string().optional(),
  caption_entities: z.array(entity).default([]),
  photo: z.array(file).optional(),
  sticker: file
    .extend({ emoji: z.string().optional(), is_animated: z.boolean().optional(), is_video: z.boolean().optional() })
    .optional(),
  voice: file.optional(),
  audio: file.optional(),
  video: file.optional(),
  video_note: file.optional(),
  animation: file.optional(),
  document: file.optional(),
  location: location.optional(),
  venue: z.object({ location, title: z.string(), address: z.string() }).optional(),
  contact: z.object({ phone_number: z.string(), first_name: z.string(), last_name: z.string().optional() }).optional(),
  poll: z.object({ question: z.string(), options: z.array(z.object({ text: z.string() })) }).optional(),
  dice: z.object({ emoji: z.string(), value: z.number() }).optional(),
};

const quoted = z.object({
  message_id: z.number(),
  from: user.optional(),
  sender_chat: chat.optional(),
  ...contents,
  forward_origin: origin.optional().catch({ type: 'unknown' }),
  forum_topic_created: z.object({ name: z.string() }).optional(),
});

export const message = z.object({
  message_id: z.number(),
  message_thread_id: z.number().optional(),
  is_topic_message: z.boolean().optional(),
  from: user.optional(),
  sender_chat: chat.optional(),
  author_signature: z.string().optional(),
  date: z.number(),
  chat,
  ...contents,
  media_group_id: z.string().optional(),
  /** The group is a supergroup with another id from now on: said in the old chat, and in the new one. */
  migrate_to_chat_id: z.number().optional(),
  migrate_from_chat_id: z.number().optional(),
  // What stands beside the message must not make it unreadable.
  reply_to_message: quoted.optional().catch(undefined),
  /** Of a message elsewhere, which is not shown itself. */
  external_reply: z.object({ origin }).optional().catch(undefined),
  quote: z.object({ text: z.string() }).optional().catch(undefined),
  forward_origin: origin.optional().catch({ type: 'unknown' }),
  forum_topic_created: z.object({ name: z.string() }).optional(),
  forum_topic_edited: z.object({ name: z.string().optional() }).optional(),
});

export const callbackQuery = z.object({
  id: z.string(),
  from: user,
  data: z.string().optional(),
  message: message.optional(),
});

/** Kept as it came until its turn: one that cannot be read must not stop the others. */
export const updates = z.array(z.looseObject({ update_id: z.number() }));

export type Update = z.infer<typeof updates>[number];

const inChat = z.object({ chat: z.object({ id: z.number() }) });
const anywhere = z.object({
  message: inChat.optional(),
  channel_post: inChat.optional(),
  callback_query: z.object({ message: inChat.optional() }).optional(),
});

/** Updates of the same chat belong in their order. */
export function chatOf(given: unknown): string {
  const { message: written, channel_post: post, callback_query: query } = anywhere.safeParse(given).data ?? {};
  return String((written ?? post ?? query?.message)?.chat.id ?? '');
}

export const update = z.object({
  update_id: z.number(),
  message: message.optional(),
  channel_post: message.optional(),
  callback_query: callbackQuery.optional(),
});

/** What the bot wants to be told of. Edits are not among them: what was answered stays answered. */
export const allowedUpdates = ['message', 'channel_post', 'callback_query'] as const;

export const me = user;
export const abilities = z.object({
  has_topics_enabled: z.boolean().optional(),
  allows_users_to_create_topics: z.boolean().optional(),
});
export const sent = z.object({ message_id: z.number() });
export const sentTogether = z.array(sent).min(1);
export const fileInfo = z.object({ file_path: z.string().optional(), file_size: z.number().optional() });
export const topic = z.object({ message_thread_id: z.number() });

/** https://core.telegram.org/bots/api#making-requests */
export const answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  description: z.string().default(''),
  parameters: z.object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() }).default({}),
});

export type TelegramUser = z.infer<typeof user>;
export type TelegramChat = z.infer<typeof chat>;
export type TelegramMessage = z.infer<typeof message>;
export type QuotedTelegramMessage = z.infer<typeof quoted>;
export type CallbackQuery = z.infer<typeof callbackQuery>;
