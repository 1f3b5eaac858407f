/** One message of a chat, the same for every platform. */
import * as z from 'zod';
import { type Source, sourceKinds } from '../../llm/source.ts';
import { sessionSource, type SessionSource } from './session-source.ts';

export const messageTypes = [
  'text',
  'location',
  'photo',
  'video',
  'audio',
  'voice',
  'document',
  'sticker',
  'command',
] as const;

export type MessageType = (typeof messageTypes)[number];

/**
 * Written down before the platform is told that it arrived, as JSON: it holds what is needed to handle the message after
 * a restart, and no live objects. Files are named, not fetched; `PlatformAdapter.files` fetches them when their turn
 * comes.
 */
export interface MessageEvent {
  /** Names this delivery on its platform, an edit apart from what it edits; a second one with the same id is dropped. */
  readonly event_id: string;
  readonly source: SessionSource;
  /** As the person wrote it, without the mention of the bot. */
  readonly text: string;
  readonly message_type: MessageType;
  /** For replies and reactions. */
  readonly message_id: string | null;
  /** When the platform says it was sent, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly attachments: readonly Attachment[];
  readonly reply_to?: QuotedMessage;
  /** Skills that the chat is bound to. */
  readonly auto_skill?: readonly string[];
  /** Goes along with the turn and is not stored. */
  readonly channel_prompt?: string;
  /** Messages of the chat that the agent has not seen, as text. Somebody else's words. */
  readonly channel_context?: string;
  readonly from_bot?: boolean;
  /** The words are not the sender's own but those of whom this names, as the platform says. */
  readonly forwarded_from?: string;
  /** The words are those of a hook, which put them in the place of the sender's. */
  readonly rewritten_by?: string;
  /** The adapter or what stands before it has let the sender in: `upstream` wholly, `role` by a role of the platform. */
  readonly authorized?: 'upstream' | 'role';
  /** More of the same is likely to follow within this time; it becomes one message with what does. */
  readonly burst?: Burst;
  /** Kept as context for whoever speaks to the agent next; it gets no turn. */
  readonly observed?: boolean;
  /** Made by this program, not by a person. */
  readonly internal?: boolean;
  /** Where the text of an internal one comes from; default: a program. */
  readonly sources?: readonly Source[];
}

export interface Attachment {
  readonly kind: 'image' | 'audio' | 'voice' | 'video' | 'document' | 'sticker';
  /** What the adapter needs to fetch it: an id, an address, or a small JSON text of its own. */
  readonly reference: string;
  /** As the sender named it; never used as a path. */
  readonly name?: string;
  readonly mime_type?: string;
  /** Bytes, if the platform says. */
  readonly size?: number;
}

export interface QuotedMessage {
  readonly message_id: string;
  readonly text?: string;
  readonly author_id?: string;
  readonly author_name?: string;
  /** It is the agent's own. */
  readonly own: boolean;
}

export interface Burst {
  readonly quiet_ms: number;
  /** Messages of the same album belong together whatever their text. */
  readonly album?: string;
}

const line = z.string().max(4096);

/** Reads an event back from the inbox. */
export const messageEvent = z.object({
  event_id: line.min(1),
  source: sessionSource,
  text: z.string(),
  message_type: z.enum(messageTypes),
  message_id: line.nullable(),
  timestamp: z.number(),
  attachments: z.array(
    z.object({
      kind: z.enum(['image', 'audio', 'voice', 'video', 'document', 'sticker']),
      reference: z.string(),
      name: line.exactOptional(),
      mime_type: line.exactOptional(),
      size: z.number().exactOptional(),
    }),
  ),
  reply_to: z
    .object({
      message_id: line,
      text: z.string().exactOptional(),
      author_id: line.exactOptional(),
      author_name: line.exactOptional(),
      own: z.boolean(),
    })
    .exactOptional(),
  auto_skill: z.array(line).exactOptional(),
  channel_prompt: z.string().exactOptional(),
  channel_context: z.string().exactOptional(),
  from_bot: z.boolean().exactOptional(),
  forwarded_from: line.exactOptional(),
  rewritten_by: line.exactOptional(),
  authorized: z.enum(['upstream', 'role']).exactOptional(),
  burst: z.object({ quiet_ms: z.number(), album: line.exactOptional() }).exactOptional(),
  observed: z.boolean().exactOptional(),
  internal: z.boolean().exactOptional(),
  sources: z.array(z.object({ from: z.enum(sourceKinds), name: z.string().exactOptional() })).exactOptional(),
});
