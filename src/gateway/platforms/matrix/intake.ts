/** Makes a message of Matrix into an event of the gateway, or leaves it alone. */
import type { Attachment, MessageEvent, QuotedMessage } from '../../platform/message-event.ts';
import type { SessionSource } from '../../platform/session-source.ts';
import { isHeard, isMentioned, type Me, withoutMention } from './addressing.ts';
import type { MatrixSettings } from './settings.ts';
import { type MatrixEvent, type MessageContent, messageContent } from './wire.ts';

export interface IntakeContext {
  readonly me: Me;
  readonly settings: MatrixSettings;
  readonly direct: boolean;
  readonly roomName: string | undefined;
  readonly senderName: string;
  readonly isKnownThread: (root: string) => boolean;
  /** A command of the gateway, for `!name`. */
  readonly isCommand: (name: string) => boolean;
  readonly quoted: (eventId: string) => Promise<QuotedMessage>;
}

const kinds: Readonly<Record<string, Attachment['kind']>> = {
  'm.image': 'image',
  'm.audio': 'audio',
  'm.video': 'video',
  'm.file': 'document',
  'm.sticker': 'sticker',
};

/** Undefined for what is not meant for the agent. */
export async function readMessage(
  roomId: string,
  event: MatrixEvent,
  context: IntakeContext,
): Promise<MessageEvent | undefined> {
  const { me, settings, direct } = context;
  const content = contentOf(event);
  if (content === undefined || isIgnored(event, content, me, settings)) return undefined;
  const relation = content['m.relates_to'];
  const thread = relation?.rel_type === 'm.thread' ? relation.event_id : undefined;
  const knownThread = thread !== undefined && context.isKnownThread(thread);
  if (!isHeard({ roomId, direct, knownThread, content }, me, settings)) return undefined;

  const attachments = attachmentsOf(content);
  const inReplyTo = relation?.is_falling_back === true ? undefined : relation?.['m.in_reply_to']?.event_id;
  const text = textOf(content, attachments, inReplyTo !== undefined, context);
  const mentioned = isMentioned(content, me);
  const prompt = settings.channel_prompts[roomId];
  const burst = burstOf(text, attachments, settings);
  return {
    event_id: event.event_id,
    source: sourceOf(roomId, event, threadFor(event, thread, mentioned, context), context),
    text,
    message_type: text.startsWith('/') && attachments.length === 0 ? 'command' : typeOf(content, attachments),
    message_id: event.event_id,
    timestamp: event.origin_server_ts,
    attachments,
    ...(inReplyTo === undefined ? {} : { reply_to: await context.quoted(inReplyTo) }),
    ...(prompt === undefined ? {} : { channel_prompt: prompt }),
    ...(content.msgtype === 'm.notice' ? { from_bot: true } : {}),
    ...(burst === undefined ? {} : { burst }),
  };
}

export function sourceOf(
  roomId: string,
  { sender, event_id: id }: Pick<MatrixEvent, 'sender' | 'event_id'>,
  threadId: string | null,
  { direct, roomName, senderName }: Pick<IntakeContext, 'direct' | 'roomName' | 'senderName'>,
): SessionSource {
  return {
    platform: 'matrix',
    chat_id: roomId,
    chat_name: roomName ?? (direct ? senderName : null),
    chat_type: direct ? 'dm' : 'group',
    user_id: sender,
    user_name: senderName,
    thread_id: threadId,
    chat_topic: null,
    message_id: id,
  };
}

/** What somebody wrote, also for a quoted message; undefined for an event that is none, and for an edit. */
export function contentOf({ type, content }: MatrixEvent): MessageContent | undefined {
  if (type !== 'm.room.message' && type !== 'm.sticker') return undefined;
  const { data } = messageContent.safeParse(type === 'm.sticker' ? { ...content, msgtype: 'm.sticker' } : content);
  // What was answered stays answered.
  return data?.['m.relates_to']?.rel_type === 'm.replace' ? undefined : data;
}

/** Quoted words of older programs stand before the answer. https://spec.matrix.org/v1.9/client-server-api/#fallbacks-for-rich-replies */
export function withoutFallback(body: string): string {
  return body.startsWith('> ') ? body.replace(/^(?:>.*\n?)+\n?/, '') : body;
}

/** Bridges give their own accounts names that begin so. */
function isIgnored({ sender }: MatrixEvent, { msgtype }: MessageContent, me: Me, settings: MatrixSettings): boolean {
  if (sender === me.userId || sender.startsWith('@_')) return true;
  // Words of programs to each other: somebody would like to compare devices.
  if (msgtype.startsWith('m.key.verification.')) return true;
  if (msgtype === 'm.notice' && !settings.process_notices) return true;
  return settings.ignore_user_patterns.some((pattern) => new RegExp(pattern, 'i').test(sender));
}

function threadFor(
  { event_id: id }: MatrixEvent,
  thread: string | undefined,
  mentioned: boolean,
  { settings, direct }: IntakeContext,
): string | null {
  if (settings.session_scope === 'room') return null;
  if (thread !== undefined) return thread;
  if (settings.session_scope === 'thread') return id;
  const begins = direct ? settings.dm_auto_thread || (settings.dm_mention_threads && mentioned) : settings.auto_thread;
  return begins ? id : null;
}

function textOf(
  content: MessageContent,
  attachments: readonly Attachment[],
  isReply: boolean,
  { me, isCommand }: IntakeContext,
): string {
  const { msgtype, body, filename, geo_uri: place } = content;
  if (msgtype === 'm.location') return [body, place ?? ''].filter(Boolean).join('\n');
  // Without a name of its own, the text of a file is its name.
  if (attachments.length > 0 && (filename === undefined || filename === body)) return '';
  const written = withoutMention(isReply ? withoutFallback(body) : body, me);
  const text = msgtype === 'm.emote' ? `* ${written}` : written;
  return text.replace(/^!([\w-]+)/, (whole, name: string) =>
    isCommand(name.toLowerCase().replaceAll('_', '-')) ? `/${name}` : whole,
  );
}

function attachmentsOf(content: MessageContent): readonly Attachment[] {
  const { msgtype, url, file, filename, body, info } = content;
  const kind = kinds[msgtype];
  const address = file?.url ?? url;
  if (kind === undefined || address === undefined) return [];
  const { mimetype, size } = info ?? {};
  return [
    {
      kind: content['org.matrix.msc3245.voice'] === undefined ? kind : 'voice',
      reference: JSON.stringify(file ?? { url: address }),
      name: (filename ?? body).slice(0, 1000),
      ...(mimetype === undefined ? {} : { mime_type: mimetype.slice(0, 255) }),
      ...(size === undefined ? {} : { size }),
    },
  ];
}

function typeOf({ msgtype }: MessageContent, [attachment]: readonly Attachment[]): MessageEvent['message_type'] {
  if (msgtype === 'm.location') return 'location';
  if (attachment === undefined) return 'text';
  return attachment.kind === 'image' ? 'photo' : attachment.kind;
}

/** Near this length programs cut what a person writes into several messages. */
const cutLength = 15_000;

function burstOf(text: string, attachments: readonly Attachment[], settings: MatrixSettings): MessageEvent['burst'] {
  if (attachments.length > 0 || text.startsWith('/')) return undefined;
  const seconds =
    text.length >= cutLength ? settings.text_batch_split_delay_seconds : settings.text_batch_delay_seconds;
  return seconds === 0 ? undefined : { quiet_ms: Math.round(seconds * 1000) };
}
