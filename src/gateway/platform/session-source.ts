/** Where a chat message came from, in the form in which it is stored (`origin`) and that plug-ins know. */
import * as z from 'zod';

export const chatTypes = ['dm', 'group', 'channel', 'thread', 'forum', 'webhook'] as const;

export type ChatType = (typeof chatTypes)[number];

/** The first eight are always written. Ids are text, whatever the platform makes of them; nothing is granted by a name. */
export interface SessionSource {
  readonly platform: string;
  readonly chat_id: string;
  readonly chat_name: string | null;
  readonly chat_type: ChatType;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly thread_id: string | null;
  readonly chat_topic: string | null;
  /** A second id of the same person (Signal's UUID); keys prefer it. */
  readonly user_id_alt?: string;
  readonly chat_id_alt?: string;
  /** The guild, team or space around the chat; stored as `guild_id` as well. */
  readonly scope_id?: string;
  readonly guild_id?: string;
  readonly parent_chat_id?: string;
  readonly message_id?: string;
  /** Set when one process serves several profiles. */
  readonly profile?: string;
  readonly auto_thread_created?: boolean;
  readonly auto_thread_initial_name?: string;
}

const text = z.string().max(4096);
const nullable = text.nullable().default(null);

/** Reads a stored origin; rejects one without platform or chat. Unknown fields stay. */
export const sessionSource = z.looseObject({
  platform: text.min(1),
  chat_id: text,
  chat_name: nullable,
  chat_type: z.enum(chatTypes),
  user_id: nullable,
  user_name: nullable,
  thread_id: nullable,
  chat_topic: nullable,
  user_id_alt: text.exactOptional(),
  chat_id_alt: text.exactOptional(),
  scope_id: text.exactOptional(),
  guild_id: text.exactOptional(),
  parent_chat_id: text.exactOptional(),
  message_id: text.exactOptional(),
  profile: text.exactOptional(),
  auto_thread_created: z.boolean().exactOptional(),
  auto_thread_initial_name: text.exactOptional(),
});
