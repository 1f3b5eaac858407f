/** Sends, edits and takes back messages of Matrix. */
import type { ChatAddress, MessageEdits, OutgoingText } from '../../platform/adapter.ts';
import type { SendResult } from '../../platform/send-result.ts';
import { toMatrix } from '../../text/formats/matrix.ts';
import { NotSendable } from './errors.ts';
import { delivering, isEventId, type Sender } from './sender.ts';

export class Texts implements MessageEdits {
  readonly #sender: Sender;
  readonly #roomMentions: boolean;

  constructor(sender: Sender, roomMentions: boolean) {
    this.#sender = sender;
    this.#roomMentions = roomMentions;
  }

  async send({ to, text, replyTo, plain, idempotencyKey }: OutgoingText, signal: AbortSignal): Promise<SendResult> {
    const content = { ...this.content(text, plain), ...relationOf(to, replyTo) };
    return await delivering(
      async () => await this.#sender.put(to.chatId, 'm.room.message', content, idempotencyKey, signal),
    );
  }

  async edit(
    messageId: string,
    { to, text, plain, idempotencyKey }: Omit<OutgoingText, 'replyTo'>,
    _final: boolean,
    signal: AbortSignal,
  ): Promise<SendResult> {
    return await delivering(async () => {
      if (!isEventId(messageId)) throw new NotSendable('not_found', 'There is no such message.');
      const content = this.content(text, plain);
      const edit = {
        ...content,
        body: `* ${content.body}`,
        'm.new_content': content,
        'm.relates_to': { rel_type: 'm.replace', event_id: messageId },
      };
      // Edits of one message may carry the same key with other words.
      await this.#sender.put(to.chatId, 'm.room.message', edit, `edit ${messageId} ${idempotencyKey} ${text}`, signal);
      return messageId;
    });
  }

  async remove({ chatId }: ChatAddress, messageId: string, signal: AbortSignal): Promise<SendResult> {
    return await delivering(async () => {
      if (!isEventId(messageId)) throw new NotSendable('not_found', 'There is no such message.');
      await this.#sender.redact(chatId, messageId, signal);
      return messageId;
    });
  }

  /** `m.mentions` is always there: without it programs look for names in the words, and `@room` wakes everybody. */
  content(text: string, plain: boolean | undefined): Readonly<Record<string, unknown>> & { readonly body: string } {
    return {
      msgtype: 'm.text',
      ...marked(text, plain),
      'm.mentions': this.#roomMentions && /(?<!\w)@room\b/.test(text) ? { room: true } : {},
    };
  }
}

/** The text with its HTML, or as it is. */
export function marked(
  text: string,
  plain: boolean | undefined,
): { readonly body: string; readonly format?: string; readonly formatted_body?: string } {
  if (plain === true) return { body: text };
  const { body, formatted_body } = toMatrix(text);
  return formatted_body === undefined ? { body } : { body, format: 'org.matrix.custom.html', formatted_body };
}

/** https://spec.matrix.org/latest/client-server-api/#threading: programs without threads show it as an answer. */
export function relationOf(
  { threadId }: ChatAddress,
  replyTo: string | undefined,
): { readonly 'm.relates_to'?: object } {
  const quoted = isEventId(replyTo) ? { event_id: replyTo } : undefined;
  if (!isEventId(threadId)) return quoted === undefined ? {} : { 'm.relates_to': { 'm.in_reply_to': quoted } };
  const inReplyTo = quoted ?? { event_id: threadId };
  return {
    'm.relates_to': {
      rel_type: 'm.thread',
      event_id: threadId,
      is_falling_back: quoted === undefined,
      'm.in_reply_to': inReplyTo,
    },
  };
}
