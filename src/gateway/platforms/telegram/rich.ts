/** Messages that Telegram lays out by itself: tables, headings, up to eight times the length. https://core.telegram.org/bots/api#sendrichmessage */
import * as z from 'zod';
import type { Sent } from '../../platform/send-result.ts';
import { splitText } from '../../text/split.ts';
import type { CallOptions, TelegramApi } from './api.ts';
import { NotAnswered } from '../../platform/http-answers.ts';
import { ApiError, isUnchanged, notSent } from './errors.ts';
import type { target } from './places.ts';
import { maxRichLength } from './settings.ts';
import { marked, sentOf } from './markup.ts';
import * as wire from './wire.ts';

const maxPlainLength = 4096;

type Place = ReturnType<typeof target>;

export class RichTexts {
  readonly #api: TelegramApi;
  /** A Bot API server of one's own may be too old for them. */
  #known = true;

  constructor(api: TelegramApi) {
    this.#api = api;
  }

  /** `rest`: what goes along with a message of any kind. A message that is refused as a rich one goes in parts. */
  async send(text: string, place: Place, rest: Rest, options: CallOptions): Promise<Sent> {
    if (this.#known)
      try {
        const args = { ...place, ...rest, rich_message: { markdown: text } };
        return sentOf(await this.#api.call('sendRichMessage', args, wire.sent, options));
      } catch (error) {
        this.#learn(error);
      }
    return await this.#inParts(text, place, rest, options);
  }

  /** False when it has to be an edit of another kind. */
  async edit(text: string, args: { readonly chat_id: string; readonly message_id: number }, options: CallOptions) {
    if (!this.#known) return false;
    try {
      await this.#api.call('editMessageText', { ...args, rich_message: { markdown: text } }, z.unknown(), options);
      return true;
    } catch (error) {
      if (isUnchanged(error)) return true;
      this.#learn(error);
      return false;
    }
  }

  async draft(text: string, args: DraftPlace, options: CallOptions): Promise<boolean> {
    if (!this.#known) return false;
    try {
      const rich_message = { markdown: text.slice(-maxRichLength).toWellFormed() };
      await this.#api.call('sendRichMessageDraft', { ...args, rich_message }, z.unknown(), options);
      return true;
    } catch (error) {
      this.#learn(error);
      return false;
    }
  }

  async #inParts(text: string, place: Place, rest: Rest, options: CallOptions): Promise<Sent> {
    let sent: Sent | undefined;
    for (const part of splitText(text, { limit: maxPlainLength, unit: 'utf16' })) {
      try {
        sent = await this.#part(part, place, rest, options);
      } catch (error) {
        // What is behind the first part must not bring the first part a second time.
        if (sent === undefined) throw error;
        throw new NotAnswered('only a part of it was taken', { mayHaveArrived: true, cause: error });
      }
    }
    return sent ?? { ok: true, messageId: null };
  }

  async #part(text: string, place: Place, rest: Rest, options: CallOptions): Promise<Sent> {
    const send = async (plain: boolean): Promise<Sent> =>
      sentOf(await this.#api.call('sendMessage', { ...place, ...marked(text, plain), ...rest }, wire.sent, options));
    try {
      return await send(false);
    } catch (error) {
      if (!(error instanceof ApiError) || notSent(error).kind !== 'bad_format') throw error;
      return await send(true);
    }
  }

  /** Throws what is no refusal of a rich message but of any. */
  #learn(error: unknown): void {
    if (!(error instanceof ApiError) || error.movedTo !== undefined) throw error;
    // A method that there is not.
    if (error.status === 404 && !error.inBetween) this.#known = false;
    else if (error.status !== 400 || ['forbidden', 'not_found'].includes(notSent(error).kind)) throw error;
  }
}

export interface Rest {
  readonly disable_notification?: true;
  readonly reply_parameters?: { message_id: number; allow_sending_without_reply: true };
}

export interface DraftPlace {
  readonly chat_id: number;
  readonly message_thread_id?: number;
  readonly draft_id: number;
}
