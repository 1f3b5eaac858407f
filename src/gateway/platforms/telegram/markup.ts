/** What every message of Telegram is made of: its markup, its sound, what it quotes, and what is told of it afterwards. */
import type { Sent } from '../../platform/send-result.ts';
import { toTelegram } from '../../text/formats/telegram.ts';
import type { TelegramSettings } from './settings.ts';

/** The text in Telegram's markup, or as it is. */
export function marked(text: string, plain: boolean | undefined): { text: string; parse_mode?: 'MarkdownV2' } {
  return plain === true ? { text } : { text: toTelegram(text), parse_mode: 'MarkdownV2' };
}

/** Nobody asks the addresses of a message before they are opened. */
export const noPreviews = { link_preview_options: { is_disabled: true } } as const;

/** Without a sound; `notifications: all` lets everything be heard. */
export function quiet(
  notify: boolean | undefined,
  { notifications }: Pick<TelegramSettings, 'notifications'>,
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
