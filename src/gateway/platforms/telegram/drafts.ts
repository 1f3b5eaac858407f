/** Shows an answer while it is written, where Telegram has drafts. https://core.telegram.org/bots/api#sendmessagedraft */
import * as z from 'zod';
import type { ChatAddress, MessageDrafts } from '../../platform/adapter.ts';
import type { SendResult } from '../../platform/send-result.ts';
import type { TelegramApi } from './api.ts';
import type { RichTexts } from './rich.ts';
import { delivering, mayLead } from './texts.ts';

const maxLength = 4096;

export class Drafts implements MessageDrafts {
  readonly #api: TelegramApi;
  /** Undefined where they are not wanted. */
  readonly #rich: RichTexts | undefined;

  constructor(api: TelegramApi, rich: RichTexts | undefined) {
    this.#api = api;
    this.#rich = rich;
  }

  /** Private chats alone have ids above 0. */
  supports({ chatId }: ChatAddress): boolean {
    return /^\d+$/.test(chatId);
  }

  /** The end of the text: that is what is being written. Without markup, which may not be whole yet. */
  async show(to: ChatAddress, draftId: number, text: string, signal: AbortSignal): Promise<SendResult> {
    if (!this.supports(to))
      return { ok: false, kind: 'unsupported', error: 'Telegram has drafts in private chats only.' };
    return await delivering(to, async (place) => {
      const which = { ...place, chat_id: Number(to.chatId), draft_id: draftId };
      // Nobody knows yet whose words it is made of.
      const rich = mayLead(text) ? undefined : this.#rich;
      if ((await rich?.draft(text, which, { signal })) === true) return { ok: true, messageId: null };
      const args = { ...which, text: text.slice(-maxLength).toWellFormed() };
      await this.#api.call('sendMessageDraft', args, z.unknown(), { signal });
      return { ok: true, messageId: null };
    });
  }
}
