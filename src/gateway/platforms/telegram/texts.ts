/** Sends, edits and takes back messages of Telegram. */
import * as z from 'zod';
import type { ChatAddress, MessageEdits, OutgoingText } from '../../platform/adapter.ts';
import type { Sent, SendResult } from '../../platform/send-result.ts';

import { toTelegram } from '../../text/formats/telegram.ts';
import type { TelegramApi } from './api.ts';
import { ApiError, notSent } from './errors.ts';
import { target } from './places.ts';
import type { TelegramSettings } from './settings.ts';
import * as wire from './wire.ts';

export type SendSettings = Pick<TelegramSettings, 'notifications' | 'disable_link_previews'>;

export class Texts implements MessageEdits {
  readonly #api: TelegramApi;
  readonly #settings: SendSettings;

  constructor(api: TelegramApi, settings: SendSettings) {
    this.#api = api;
    this.#settings = settings;
  }

  async send(
    { to, text, replyTo, plain, notify }: Omit<OutgoingText, 'idempotencyKey'>,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const rest = { ...quiet(notify, this.#settings), ...quoting(replyTo), ...this.#previews() };
    return await delivering(to, async (place) => {
      const args = { ...place, ...marked(text, plain), ...rest };
      return sentOf(await this.#api.call('sendMessage', args, wire.sent, { signal }));
    });
  }

  async edit(
    messageId: string,
    { to, text, plain }: Omit<OutgoingText, 'replyTo'>,
    final: boolean,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const change = async (as: boolean | undefined): Promise<SendResult> =>
      await delivering(to, async ({ chat_id }) => {
        const args = { chat_id, message_id: Number(messageId), ...marked(text, as), ...this.#previews() };
        try {
          await this.#api.call('editMessageText', args, z.unknown(), { signal });
        } catch (error) {
          if (!isUnchanged(error)) throw error;
        }
        return { ok: true, messageId };
      });
    const result = await change(plain);
    // An answer that is still being written may end within its markup.
    return !result.ok && result.kind === 'bad_format' && !final ? await change(true) : result;
  }

  async remove(to: ChatAddress, messageId: string, signal: AbortSignal): Promise<SendResult> {
    return await delivering(to, async ({ chat_id }) => {
      await this.#api.call('deleteMessage', { chat_id, message_id: Number(messageId) }, z.unknown(), { signal });
      return { ok: true, messageId };
    });
  }

  #previews(): { readonly link_preview_options?: { readonly is_disabled: true } } {
    return this.#settings.disable_link_previews ? { link_preview_options: { is_disabled: true } } : {};
  }
}

/** The text in Telegram's markup, or as it is. */
export function marked(text: string, plain: boolean | undefined): { text: string; parse_mode?: 'MarkdownV2' } {
  return plain === true ? { text } : { text: toTelegram(text), parse_mode: 'MarkdownV2' };
}

/** Without a sound; `notifications: all` lets everything be heard. */
export function quiet(
  notify: boolean | undefined,
  { notifications }: Pick<SendSettings, 'notifications'>,
): { disable_notification?: true } {
  return notify === false && notifications === 'important' ? { disable_notification: true } : {};
}

/** A quoted message that is gone is no reason not to answer. */
export function quoting(replyTo: string | undefined): {
  reply_parameters?: { message_id: number; allow_sending_without_reply: true };
} {
  const id = Number(replyTo);
  return replyTo === undefined || !Number.isSafeInteger(id)
    ? {}
    : { reply_parameters: { message_id: id, allow_sending_without_reply: true } };
}

export function sentOf({ message_id: id }: { readonly message_id: number }): Sent {
  return { ok: true, messageId: String(id) };
}

type Place = ReturnType<typeof target>;

/**
 * Never throws. A group that became a supergroup has another id from then on, and what was meant for a topic that is
 * gone belongs into its chat rather than nowhere.
 */
export async function delivering(to: ChatAddress, deliver: (place: Place) => Promise<Sent>): Promise<SendResult> {
  let place = target(to);
  for (let detours = 0; ; detours += 1) {
    try {
      return await deliver(place);
    } catch (error) {
      const next = detours < maxDetours ? elsewhere(place, error) : undefined;
      if (next === undefined) return notSent(error);
      place = next;
    }
  }
}

const maxDetours = 2;

function elsewhere(place: Place, error: unknown): Place | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { movedTo, message } = error;
  if (movedTo !== undefined && movedTo !== place.chat_id) return { ...place, chat_id: movedTo };
  if (place.message_thread_id === undefined || !/thread not found|TOPIC_(?:ID_INVALID|DELETED)/i.test(message))
    return undefined;
  return { chat_id: place.chat_id };
}

function isUnchanged(error: unknown): boolean {
  return error instanceof ApiError && /message is not modified/i.test(error.message);
}
