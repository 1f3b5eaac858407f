/** The answer while it is written: one message that is edited, no more often than the platform likes. */
import type { ChatAddress, MessageEdits, PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import { randomInt } from 'node:crypto';
import { overflow, withCursor } from '../display/preview.ts';
import type { StreamingSettings } from '../display/streaming.ts';
import { maySilence } from '../text/silence.ts';
import type { Lane } from './lane.ts';
import { Paced } from './paced.ts';

export interface PreviewOptions {
  readonly adapter: PlatformAdapter;
  readonly edits: MessageEdits;
  readonly to: ChatAddress;
  readonly clock: AdapterClock;
  readonly facts: Pick<PlatformFacts, 'maxMessageLength' | 'lengthUnit'>;
  readonly signal: AbortSignal;
  readonly lane: Lane;
  readonly streaming: StreamingSettings;
  readonly onPreview: (messageId: string | null) => Promise<void>;
}

/** Where the platform does not say how long to wait. */
const limitedMs = 5000;

/** A failed edit ends it for the turn: the answer is then sent like any other. */
export class Preview {
  readonly #options: PreviewOptions;
  #wanted = '';
  #shown = '';
  #messageId: string | undefined;
  readonly #draftId = randomInt(1, 2 ** 31);
  #broken = false;
  #stopped = false;
  readonly #pace: Paced;

  constructor(options: PreviewOptions) {
    this.#options = options;
    const { lane, clock, signal } = options;
    this.#pace = new Paced({ lane, clock, signal, show: () => this.#flush() });
  }

  /** That of the message which the final answer takes the place of. */
  get messageId(): string | undefined {
    return this.#messageId;
  }

  /** The whole text so far. */
  write(text: string): void {
    this.#wanted = text;
    const grown = text.length - this.#shown.length;
    if (this.#broken || this.#stopped || grown < this.#options.streaming.buffer_threshold) return;
    this.#pace.ask();
  }

  /**
   * The text is complete and stays as it is; what follows begins a new message. `say` sends what the preview does not hold:
   * all of it where there is none yet, which shows only when everything that was under way has been done.
   */
  settle(text: string, say: (text: string) => Promise<void>): void {
    const { edits, to, lane, signal, onPreview } = this.#options;
    this.#wanted = '';
    lane.add(async () => {
      const id = this.#messageId;
      this.#messageId = undefined;
      this.#shown = '';
      if (id === undefined) return await say(text);
      const { done, rest } = this.#cut(text);
      await edits.edit(id, { to, text: done, idempotencyKey: `${id}.settled` }, true, signal);
      await onPreview(null);
      if (rest !== '') await say(rest);
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  async #flush(): Promise<number> {
    const { streaming } = this.#options;
    const text = this.#wanted;
    // A text that may turn out to be a word for silence is held back.
    if (this.#stopped || this.#broken || text.trim() === '' || maySilence(text) || text === this.#shown) return 0;
    const result = await this.#put(withCursor(this.#cut(text).done, streaming.cursor));
    if (result.ok) this.#shown = text;
    else if (result.kind === 'rate_limited') return result.retryAfterMs ?? limitedMs;
    else this.#broken = true;
    return streaming.edit_interval * 1000;
  }

  async #put(text: string) {
    const { adapter, edits, to, signal, onPreview, clock, streaming } = this.#options;
    const { drafts } = adapter;
    if (streaming.transport !== 'edit' && drafts?.supports(to) === true) {
      // A draft goes away by itself when the answer comes.
      return await drafts.show(to, this.#draftId, text, signal);
    }
    const message = { to, text, idempotencyKey: `preview.${to.chatId}.${clock.now()}` };
    if (this.#messageId !== undefined) return await edits.edit(this.#messageId, message, false, signal);
    const sent = await adapter.send({ ...message, notify: false }, signal);
    if (sent.ok && sent.messageId !== null) {
      this.#messageId = sent.messageId;
      await onPreview(sent.messageId);
    } else this.#broken = true;
    return sent;
  }

  /** As much as one message holds, and what is left. */
  #cut(text: string): { readonly done: string; readonly rest: string } {
    const { facts, streaming } = this.#options;
    const rules = { limit: facts.maxMessageLength, unit: facts.lengthUnit, cursor: streaming.cursor };
    return overflow(text, rules) ?? { done: text, rest: '' };
  }
}
