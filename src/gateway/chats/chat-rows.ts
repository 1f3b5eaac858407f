/** The end of messages: what becomes of them, and what their senders are told, in one transaction. */
import { errorMessage } from '../../lib/errors.ts';
import type { ChatMessage, ChatMessageEnd, NewReply } from '../../sessions/chat-inbox.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { Answer, ChatDeps } from './chat-deps.ts';
import { namesOf, readWaiting } from './gather.ts';
import { readAddress } from './read-address.ts';
import { noticeReply, replyId } from './replies.ts';

type Deps = Pick<ChatDeps, 'inbox' | 'delivery' | 'place' | 'log'>;

const unreadableText =
  'Another version of this program wrote down a message of yours that I cannot read. Please send it again if it still matters.';
const droppedText = '⏹ Stopped, so this is not answered. Send it again if it still matters.';

export class ChatRows {
  readonly sessionKey: string;
  readonly #deps: Deps;

  constructor(sessionKey: string, deps: Deps) {
    this.sessionKey = sessionKey;
    this.#deps = deps;
  }

  async end(
    rows: readonly Pick<ChatMessage, 'id'>[],
    as: ChatMessageEnd,
    replies: readonly NewReply[] = [],
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.#deps.inbox.end(idsOf(rows), as, replies);
    for (const reply of replies) this.#deps.delivery.send(reply);
  }

  /** With a line for the sender that is not lost, and that names them where they are several. */
  async endWithNotice(
    rows: readonly ChatMessage[],
    as: ChatMessageEnd,
    event: MessageEvent,
    text: string,
  ): Promise<void> {
    await this.end(rows, as, [noticeReply(this.sessionKey, rows, event, text, namesOf(rows))]);
  }

  /** A stop forgets them. What no person sent goes without a word. */
  async drop(rows: readonly ChatMessage[]): Promise<void> {
    const last = rows.map(readWaiting).findLast((read) => read !== undefined && read.event.internal !== true);
    if (last === undefined) await this.end(rows, 'interrupted');
    else await this.endWithNotice(rows, 'interrupted', last.event, droppedText);
  }

  /** What a newer version wrote down in its own way is refused in its chat, as far as that can be read. */
  async refuseUnreadable(rows: readonly ChatMessage[]): Promise<void> {
    if (rows.length === 0) return;
    this.#deps.log.error(`${rows.length} messages of the inbox cannot be read`);
    for (const row of rows) {
      const event = readAddress(row);
      if (event === undefined) await this.end([row], 'refused');
      else await this.endWithNotice([row], 'refused', event, unreadableText);
    }
  }

  /** They got no turn, or it could not be written down: the sender is told, once. */
  async failed(rows: readonly ChatMessage[], event: MessageEvent, error: unknown): Promise<void> {
    this.#deps.log.warning(`a message got no answer: ${errorMessage(error)}`, error);
    const why = errorMessage(error).slice(0, 300);
    await this.endWithNotice(
      rows,
      'refused',
      event,
      `Sorry, that did not work: ${why}\nIf it happens again, /reset begins a new conversation.`,
    );
  }

  /** The replies that an answer becomes: none for a word that stands for silence. */
  async answer(
    rows: readonly ChatMessage[],
    event: MessageEvent,
    text: string,
    shown: Pick<Answer, 'preview' | 'reasoning' | 'facts' | 'hosts'>,
  ): Promise<readonly NewReply[]> {
    const id = replyId(this.sessionKey, rows, text);
    const about = namesOf(rows);
    const reply = await this.#deps.place.compose(event, { id, sessionKey: this.sessionKey, text, about, ...shown });
    return reply === undefined ? [] : [reply];
  }
}

export function idsOf(rows: readonly Pick<ChatMessage, 'id'>[]): readonly number[] {
  return rows.map(({ id }) => id);
}
