/** Chats that get another id: everything that stands under the old one goes on under the new one. */
import { parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { ChatMessage, ChatInbox, NewReply } from '../../sessions/chat-inbox.ts';
import type { ChatMove } from '../../sessions/chat-move.ts';
import { readDetails } from '../delivery/reply-details.ts';
import { messageEvent, type MessageEvent } from '../platform/message-event.ts';
import { movedKey } from '../sessions/session-key.ts';

export interface ChatMovesOptions {
  readonly inbox: Pick<ChatInbox, 'running' | 'waiting'>;
  readonly log: Log;
  /** Closes these conversations, whatever they do, and returns their keys; rejects when that takes too long. */
  readonly close: (isNamed: (sessionKey: string) => boolean) => Promise<readonly string[]>;
  /** Writes it down; returns the keys of conversations with messages that have not ended. */
  readonly write: (move: ChatMove) => Promise<readonly string[]>;
  /** It is written down: what is in memory, and settings that name the chat, follow. */
  readonly follow: (move: ChatMove) => Promise<void>;
  /** Goes on with what was cut off or waited. */
  readonly recover: (rows: readonly ChatMessage[]) => void;
}

/** More are forgotten, the oldest first: by then nothing speaks of them. */
const maxKnown = 1000;

export class ChatMoves {
  readonly #options: ChatMovesOptions;
  /** From `platform:id` to the newer id. */
  readonly #known = new Map<string, string>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: ChatMovesOptions) {
    this.#options = options;
  }

  /** One after the other. Rejects when it could not be written down; what was done until then is done again with the next try. */
  async move(platform: string, from: string, to: string): Promise<void> {
    const moved = this.#last.catch(() => undefined).then(() => this.#move(platform, from, to));
    this.#last = moved;
    await moved;
  }

  /** The message as if it had been written under the id that its chat has now. */
  currentEvent(event: MessageEvent): MessageEvent {
    const to = this.#newest(event.source.platform, event.source.chat_id);
    return to === undefined ? event : eventIn(to, event);
  }

  currentReply(reply: NewReply): NewReply {
    const { platform, chatId, sessionKey } = reply;
    const to = this.#newest(platform, chatId);
    if (to === undefined) return reply;
    const key = movedKey(sessionKey, platform, chatId, to) ?? sessionKey;
    return { ...reply, chatId: to, sessionKey: key, details: detailsIn(reply.details) };
  }

  async #move(platform: string, from: string, to: string): Promise<void> {
    const { log, close, write, follow, inbox, recover } = this.#options;
    const rekey = (key: string): string | undefined => movedKey(key, platform, from, to);
    const event = (stored: string): string => {
      const { data } = messageEvent.safeParse(parseJson(stored));
      return data === undefined ? stored : JSON.stringify(eventIn(to, data));
    };
    const move: ChatMove = { platform, from, to, rekey, event, details: detailsIn };
    // What still comes under the old id is taken as if it came under the new one.
    this.#know(platform, from, to);
    const closed = await close((key) => rekey(key) !== undefined);
    // What was under way goes on with what is under way there, if anything: not beside it.
    const joined = closed.length === 0 ? [] : await close((key) => movedKey(key, platform, to, to) !== undefined);
    const open = new Set([...joined, ...(await write(move))]);
    await follow(move);
    log.info(`the chat ${from} of ${platform} goes by ${to} now`);
    const rows = await Promise.all(
      [...open].map(async (key) => [...(await inbox.running(key)), ...(await inbox.waiting(key))]),
    );
    recover(rows.flat());
  }

  #know(platform: string, from: string, to: string): void {
    this.#known.delete(`${platform}:${to}`);
    this.#known.set(`${platform}:${from}`, to);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnown && oldest !== undefined) this.#known.delete(oldest);
  }

  #newest(platform: string, chatId: string): string | undefined {
    let newest: string | undefined;
    for (let id = this.#known.get(`${platform}:${chatId}`); id !== undefined && id !== newest; ) {
      newest = id;
      id = this.#known.get(`${platform}:${id}`);
    }
    return newest;
  }
}

/** Ids of messages mean others there. */
function eventIn(chatId: string, event: MessageEvent): MessageEvent {
  const { message_id: _old, ...source } = event.source;
  return { ...event, message_id: null, source: { ...source, chat_id: chatId } };
}

function detailsIn(stored: string): string {
  const { replyTo: _quoted, previewId: _shown, oldPreviewId: _old, ...rest } = readDetails(stored);
  return JSON.stringify(rest);
}
