/** Reactions of the bot to messages; one a message. */
import type { ChatAddress, Reactions } from '../../platform/adapter.ts';
import { Recent } from './recent.ts';
import type { Sender } from './sender.ts';

const maxMarks = 1000;

export class Marks implements Reactions {
  readonly #sender: Sender;
  /** By the message. */
  readonly #set = new Recent<string>(maxMarks);

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  async set({ chatId }: ChatAddress, messageId: string, emoji: string | undefined, signal: AbortSignal): Promise<void> {
    const before = this.#set.get(messageId);
    this.#set.delete(messageId);
    if (before !== undefined) await this.#sender.redact(chatId, before, signal);
    if (emoji !== undefined) this.#set.set(messageId, await react(this.#sender, chatId, messageId, emoji, signal));
  }
}

export async function react(
  sender: Sender,
  roomId: string,
  eventId: string,
  emoji: string,
  signal: AbortSignal,
): Promise<string> {
  const content = { 'm.relates_to': { rel_type: 'm.annotation', event_id: eventId, key: emoji } };
  return await sender.put(roomId, 'm.reaction', content, `react ${eventId} ${emoji}`, signal);
}
