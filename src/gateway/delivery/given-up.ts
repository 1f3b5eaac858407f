/** Who is told of a reply that is given up, and in what words. */
import type { NewReply } from '../../sessions/chat-inbox.ts';
import type { HomeChannel } from '../platform/platform-config.ts';
import { withNames } from '../text/about-messages.ts';
import { type ReplyDetails, readDetails } from './reply-details.ts';

export const unknownText = 'it was sent twice, and nobody knows whether it arrived';

export interface GivenUp {
  readonly error: string;
  /** It may have arrived. */
  readonly unknown: boolean;
  /** The chat takes nothing. */
  readonly gone: boolean;
  readonly home: HomeChannel | undefined;
}

/**
 * A line in the chat, where it takes anything, and one in the home chat of the platform. They are replies themselves, so
 * that they outlive the process; for a notice that is given up there is none, nor for what goes
 * beside words that were sent.
 */
export function noticesOf(reply: NewReply, { error, unknown, gone, home }: GivenUp): readonly NewReply[] {
  const details = readDetails(reply.details);
  if (details.notice === true || details.beside === true) return [];
  const isHome = home?.chatId === reply.chatId;
  return [
    ...(gone ? [] : [noticeOf(reply, 'told', withNames(senderText(error, unknown), details.about ?? []), details)]),
    ...(home === undefined || isHome
      ? []
      : [
          noticeOf(
            { ...reply, chatId: home.chatId, threadId: home.threadId },
            'home',
            `A reply to the chat ${reply.chatId} could not be delivered: ${error}`,
          ),
        ]),
  ];
}

function noticeOf(reply: NewReply, what: string, content: string, { replyTo }: ReplyDetails = {}): NewReply {
  const details: ReplyDetails = { notice: true, ...(replyTo === undefined ? {} : { replyTo }) };
  return { ...reply, id: `${reply.id}.${what}`, content, details: JSON.stringify(details) };
}

function senderText(error: string, unknown: boolean): string {
  return unknown
    ? '♻️ My answer to this was sent twice, and I do not know whether it arrived. If you do not see it, ask me again.'
    : `My answer to this could not be sent (${error}). It is kept in our conversation: ask me to repeat it.`;
}
