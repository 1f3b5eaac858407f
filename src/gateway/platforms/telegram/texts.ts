/** Sends, edits and takes back messages of Telegram. */
import * as z from 'zod';
import type { ChatAddress, MessageEdits, OutgoingText } from '../../platform/adapter.ts';
import type { Sent, SendResult } from '../../platform/send-result.ts';
import type { TelegramApi } from './api.ts';
import { ApiError, isThreadGone, isUnchanged, notSent } from './errors.ts';
import { marked, noPreviews, quiet, quoting, sentOf } from './markup.ts';
import { target } from './places.ts';
import type { RichTexts } from './rich.ts';
import type { TelegramSettings } from './settings.ts';
import * as wire from './wire.ts';

export type SendSettings = Pick<TelegramSettings, 'notifications' | 'disable_link_previews' | 'rich_messages'>;

export class Texts implements MessageEdits {
  readonly #api: TelegramApi;
  readonly #settings: SendSettings;
  /** Undefined where they are not wanted. */
  readonly #rich: RichTexts | undefined;

  constructor(api: TelegramApi, settings: SendSettings, rich: RichTexts) {
    this.#api = api;
    this.#settings = settings;
    if (settings.rich_messages) this.#rich = rich;
  }

  async send(
    { to, text, replyTo, plain, notify, linkPreviews }: Omit<OutgoingText, 'idempotencyKey'>,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const rich = plain === true ? undefined : this.#richFor(text, linkPreviews);
    return await delivering(to, async (place) => {
      const rest = { ...quiet(notify, this.#settings), ...quoting(quotedIn(place, to, replyTo)) };
      if (rich !== undefined) return await rich.send(text, place, rest, { signal });
      const args = { ...place, ...marked(text, plain), ...rest, ...this.#previews(linkPreviews) };
      return sentOf(await this.#api.call('sendMessage', args, wire.sent, { signal }));
    });
  }

  async edit(
    messageId: string,
    { to, text, plain, linkPreviews }: Omit<OutgoingText, 'replyTo'>,
    final: boolean,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const change = async (as: boolean | undefined): Promise<SendResult> =>
      await here(to, async ({ chat_id }) => {
        const which = { chat_id, message_id: Number(messageId) };
        const args = { ...which, ...marked(text, as), ...this.#previews(linkPreviews) };
        const rich = as === true ? undefined : this.#richFor(text, linkPreviews);
        try {
          if ((await rich?.edit(text, which, { signal })) === true) return { ok: true, messageId };
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
    return await here(to, async ({ chat_id }) => {
      await this.#api.call('deleteMessage', { chat_id, message_id: Number(messageId) }, z.unknown(), { signal });
      return { ok: true, messageId };
    });
  }

  /** Telegram asks the first address of a message for a preview, before anybody has opened it. */
  #previews(wanted = false): Partial<typeof noPreviews> {
    return wanted && !this.#settings.disable_link_previews ? {} : noPreviews;
  }

  /** Pictures in rich messages are fetched as well, and nothing turns that off. */
  #richFor(text: string, linkPreviews = false): RichTexts | undefined {
    return linkPreviews || !mayLead(text) ? this.#rich : undefined;
  }
}

/** Whether anything in a text may be an address, also one without a scheme that Telegram makes a link of. */
export function mayLead(text: string): boolean {
  return /:\/\/|[^\s.]\.[^\s.\d]|(?:\d{1,3}\.){3}\d/u.test(text);
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

/** The same for a message that is there already: in another chat its id would mean another one. */
async function here(to: ChatAddress, change: (place: Place) => Promise<Sent>): Promise<SendResult> {
  try {
    return await change(target(to));
  } catch (error) {
    return notSent(error);
  }
}

/** The quoted message, in the chat that it stands in. */
export function quotedIn({ chat_id }: Place, to: ChatAddress, replyTo: string | undefined): string | undefined {
  return chat_id === to.chatId ? replyTo : undefined;
}

const maxDetours = 2;

function elsewhere(place: Place, error: unknown): Place | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { movedTo } = error;
  if (movedTo !== undefined && movedTo !== place.chat_id) return { ...place, chat_id: movedTo };
  if (place.message_thread_id === undefined || !isThreadGone(error)) return undefined;
  return { chat_id: place.chat_id };
}
