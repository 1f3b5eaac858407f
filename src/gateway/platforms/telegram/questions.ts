/** Questions with buttons below them. https://core.telegram.org/bots/api#inlinekeyboardmarkup */
import * as z from 'zod';
import type { AdapterHost, PressOutcome } from '../../platform/adapter-host.ts';
import type { Prompt, PromptOption, Prompts } from '../../platform/adapter.ts';
import type { SendResult } from '../../platform/send-result.ts';
import type { TelegramApi } from './api.ts';
import { ApiError } from './errors.ts';
import { pressSource } from './places.ts';
import { marked, noPreviews, quoting, sentOf } from './markup.ts';
import { delivering, quotedIn } from './texts.ts';
import { type CallbackQuery, sent as sentSchema } from './wire.ts';

/** Short ones stand side by side. */
const rowLength = 24;
const maxLabel = 64;
const maxNotice = 200;

const notices: Readonly<Record<Exclude<PressOutcome['as'], 'done'>, string>> = {
  stale: 'This question is not open any more.',
  denied: 'You may not answer this question.',
};

export class Questions implements Prompts {
  /** More are hard to overlook on a telephone. */
  readonly maxOptions = 10;
  readonly #api: TelegramApi;
  readonly #host: Pick<AdapterHost, 'press' | 'log'>;

  constructor(api: TelegramApi, host: Pick<AdapterHost, 'press' | 'log'>) {
    this.#api = api;
    this.#host = host;
  }

  async show({ to, id, text, options, replyTo }: Prompt, signal: AbortSignal): Promise<SendResult> {
    const reply_markup = { inline_keyboard: rowsOf(id, options) };
    const attempt = async (plain: boolean): Promise<SendResult> =>
      await delivering(to, async (place) => {
        const quote = quoting(quotedIn(place, to, replyTo));
        const args = { ...place, ...marked(text, plain), ...quote, ...noPreviews, reply_markup };
        return sentOf(await this.#api.call('sendMessage', args, sentSchema, { signal }));
      });
    const result = await attempt(false);
    return !result.ok && result.kind === 'bad_format' ? await attempt(true) : result;
  }

  /** Without a keyboard nobody presses any more. */
  async close({ to, text }: Prompt, messageId: string, outcome: string, signal: AbortSignal): Promise<void> {
    const edit = async (plain: boolean): Promise<void> => {
      const which = { chat_id: to.chatId, message_id: Number(messageId) };
      const args = { ...which, ...marked(`${text}\n\n${outcome}`, plain), ...noPreviews };
      await this.#api.call('editMessageText', args, z.unknown(), { signal });
    };
    try {
      await edit(false);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (/can't parse/i.test(error.message)) return await edit(true);
      // With its outcome it is too long: at least the buttons go.
      const args = { chat_id: to.chatId, message_id: Number(messageId) };
      await this.#api.call('editMessageReplyMarkup', args, z.unknown(), { signal });
    }
  }

  /**
   * Every press is answered: until then the button of the person seems to work. Nobody waits for that: what comes next
   * must not stand behind a Telegram that is slow.
   */
  async press(query: CallbackQuery, signal: AbortSignal): Promise<void> {
    void this.#answer(query, await this.#noticeFor(query), signal);
  }

  async #answer(query: CallbackQuery, notice: string, signal: AbortSignal): Promise<void> {
    try {
      const args = { callback_query_id: query.id, text: notice.slice(0, maxNotice).toWellFormed() };
      await this.#api.call('answerCallbackQuery', args, z.unknown(), { signal });
    } catch (error) {
      // It counts all the same; Telegram forgets presses after a short while.
      if (!signal.aborted) this.#host.log.debug('a press could not be answered', error);
    }
  }

  async #noticeFor(query: CallbackQuery): Promise<string> {
    const [, promptId, optionId] = /^p:([\w-]{1,24}):([\w-]{1,16})$/.exec(query.data ?? '') ?? [];
    if (promptId === undefined || optionId === undefined || query.message === undefined) return notices.stale;
    try {
      const outcome = await this.#host.press({ promptId, optionId, source: pressSource(query.message, query) });
      return outcome.as === 'done' ? outcome.text : notices[outcome.as];
    } catch (error) {
      this.#host.log.error('a press could not be handled', error);
      return 'That did not work. Please press again.';
    }
  }
}

interface Button {
  readonly text: string;
  readonly callback_data: string;
}

/** At most 43 of the 64 bytes that Telegram allows. */
function rowsOf(promptId: string, options: readonly PromptOption[]): Button[][] {
  const rows: Button[][] = [];
  let room = 0;
  for (const { id, label } of options) {
    const text = label.length > maxLabel ? `${label.slice(0, maxLabel - 1).toWellFormed()}…` : label;
    const button = { text, callback_data: `p:${promptId}:${id}` };
    const row = rows.at(-1);
    if (row !== undefined && text.length <= room) row.push(button);
    else {
      rows.push([button]);
      room = rowLength;
    }
    room -= text.length;
  }
  return rows;
}
