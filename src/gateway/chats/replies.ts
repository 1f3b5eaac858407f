/** What becomes of a turn's end, and of what the gateway itself has to say, in the outbox. */
import { createHash } from 'node:crypto';
import type { TurnResult } from '../../agent/events.ts';
import type { SessionKnowledge } from '../../runtime/session.ts';
import type { ChatMessage, NewReply, ShownPreview } from '../../sessions/chat-inbox.ts';
import type { ReplyDetails } from '../delivery/reply-details.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { withNames } from '../text/about-messages.ts';

/** Where a turn ended without a word. */
export const noAnswerText = '(There was no answer.)';

export const nothingShown: ShownPreview = { messageId: null, unknown: false };

/** Where the conversation that something was said in is not at hand. */
export const unknownHosts: SessionKnowledge['hosts'] = { allows: () => false, hasStrangeText: true };

/** The same answer to the same messages is the same row, however often it is written down. */
export function replyId(sessionKey: string, rows: readonly Pick<ChatMessage, 'eventId'>[], text: string): string {
  const ids = rows.map(({ eventId }) => eventId).join(',');
  return createHash('sha256').update(`${sessionKey}|${ids}|${text}`).digest('hex').slice(0, 24);
}

/** The text that the person is sent; empty when there is nothing to say. Without an answer it says for which messages: `about`. */
export function answerText(result: TurnResult, about: readonly string[] = []): string {
  const text = result.finalResponse ?? '';
  if (text === '' && about.length > 1) return withNames(toldText(result) || noAnswerText, about);
  return toldText(result);
}

function toldText(result: TurnResult): string {
  const text = result.finalResponse ?? '';
  switch (result.ended) {
    case 'completed':
    case 'budget':
      return text;
    case 'interrupted':
      return text === '' ? 'Stopped.' : text;
    case 'partial':
    case 'failed':
      return text === '' ? `⚠️ ${result.error}` : `${text}\n\n⚠️ ${result.error}`;
  }
}

/** What the details of a reply say of the messages that it answers. */
export function aboutDetails(about: readonly string[] = []): Pick<ReplyDetails, 'about'> {
  return about.length > 1 ? { about } : {};
}

/** What the details of a reply say of what was shown before it. A message that is `isOld` goes when the reply has come. */
export function previewDetails(
  { messageId, unknown }: ShownPreview,
  isOld = false,
): Pick<ReplyDetails, 'previewId' | 'oldPreviewId' | 'shown'> {
  const shown = messageId === null ? {} : isOld ? { oldPreviewId: messageId } : { previewId: messageId };
  return { ...shown, ...(unknown ? { shown: true } : {}) };
}

/** A line of the gateway's own that must not be lost; it takes the place of what was shown of an answer. `about`: by name. */
export function noticeReply(
  sessionKey: string,
  rows: readonly Pick<ChatMessage, 'eventId' | 'preview'>[],
  event: MessageEvent,
  text: string,
  about: readonly string[] = [],
): NewReply {
  const { source, message_id: replyTo } = event;
  return {
    id: replyId(sessionKey, rows, text),
    sessionKey,
    platform: source.platform,
    chatId: source.chat_id,
    threadId: source.thread_id,
    content: withNames(text, about),
    details: JSON.stringify({
      ...(replyTo === null ? {} : { replyTo }),
      ...aboutDetails(about),
      ...previewDetails({ ...(rows[0]?.preview ?? nothingShown), unknown: false }),
    }),
  };
}
