/** Reactions to messages. */
import * as z from 'zod';
import type { ChatAddress, Reactions } from '../../platform/adapter.ts';
import type { TelegramApi } from './api.ts';

type Emoji =
  | '👀'
  | '👍'
  | '👎'
  | '❤'
  | '🔥'
  | '🎉'
  | '🤔'
  | '👏'
  | '🙏'
  | '😁'
  | '👌'
  | '🤝'
  | '🫡'
  | '💯'
  | '⚡'
  | '🏆'
  | '😢';

/** Telegram takes no others; these are what the usual ones become. https://core.telegram.org/bots/api#reactiontypeemoji */
const known: ReadonlyMap<string, Emoji> = new Map<string, Emoji>([
  ['✅', '👍'],
  ['❌', '👎'],
  ['❤️', '❤'],
  ['⚡️', '⚡'],
  ...(
    ['👀', '👍', '👎', '❤', '🔥', '🎉', '🤔', '👏', '🙏', '😁', '👌', '🤝', '🫡', '💯', '⚡', '🏆', '😢'] as const
  ).map((emoji): [string, Emoji] => [emoji, emoji]),
]);

export class Marks implements Reactions {
  readonly #api: TelegramApi;

  constructor(api: TelegramApi) {
    this.#api = api;
  }

  async set({ chatId }: ChatAddress, messageId: string, emoji: string | undefined, signal: AbortSignal): Promise<void> {
    const shown = emoji === undefined ? undefined : known.get(emoji);
    if (emoji !== undefined && shown === undefined) throw new Error(`Telegram has no reaction ${emoji}.`);
    const reaction = shown === undefined ? [] : [{ type: 'emoji' as const, emoji: shown }];
    const args = { chat_id: chatId, message_id: Number(messageId), reaction };
    await this.#api.call('setMessageReaction', args, z.unknown(), { signal });
  }
}
