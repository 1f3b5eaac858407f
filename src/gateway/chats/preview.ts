/** The answer while it is written: one message that is edited, no more often than the platform likes. */
import type { ChatAddress, MessageEdits, PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import { randomInt } from 'node:crypto';
import type { ShownPreview } from '../../sessions/chat-inbox.ts';
import { overflow, withCursor } from '../display/preview.ts';
import type { StreamingSettings } from '../display/streaming.ts';
import { maySilence } from '../text/silence.ts';
import type { Lane } from './lane.ts';
import { limitedMs, Paced, type Shown } from './paced.ts';

export interface PreviewOptions {
  readonly adapter: PlatformAdapter;
  readonly edits: MessageEdits;
  readonly to: ChatAddress;
  readonly clock: AdapterClock;
  readonly facts: Pick<PlatformFacts, 'maxMessageLength' | 'lengthUnit'>;
  readonly signal: AbortSignal;
  readonly lane: Lane;
  readonly streaming: StreamingSettings;
  /** Nothing new is to be shown yet: it would stand before what was said earlier. */
  readonly isBehind: () => boolean;
  /** What an earlier process has shown of this turn: it is gone on with. */
  readonly shown: ShownPreview;
  /** Called before a first message is sent, too. */
  readonly onPreview: (shown: ShownPreview) => Promise<void>;
}

/** A failed edit ends it for the turn: the answer is then sent like any other. */
export class Preview {
  readonly #options: PreviewOptions;
  #wanted = '';
  #shown = '';
  #on: ShownPreview;
  readonly #draftId = randomInt(1, 2 ** 31);
  #broken = false;
  #stopped = false;
  readonly #pace: Paced;

  constructor(options: PreviewOptions) {
    this.#options = options;
    this.#on = options.shown;
    const { lane, clock, signal } = options;
    this.#pace = new Paced({ lane, clock, signal, show: () => this.#flush() });
  }

  /** What the final answer takes the place of. */
  get shown(): ShownPreview {
    return this.#on;
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
      const { messageId: id, unknown } = this.#on;
      this.#on = { messageId: null, unknown };
      this.#shown = '';
      if (id === null) return await say(text);
      const { done, rest } = this.#cut(text);
      await edits.edit(id, { to, text: done, idempotencyKey: `${id}.settled` }, true, signal);
      await onPreview(this.#on);
      if (rest !== '') await say(rest);
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  /** After `stop`: nothing takes the place of what is shown, so it stays without the cursor. */
  leave(): void {
    const { edits, to, lane, signal, streaming } = this.#options;
    lane.add(async () => {
      const { messageId: id } = this.#on;
      if (id === null || this.#shown === '' || streaming.cursor === '') return;
      await edits.edit(id, { to, text: this.#cut(this.#shown).done, idempotencyKey: `${id}.left` }, true, signal);
    });
  }

  async #flush(): Promise<Shown> {
    const { streaming, isBehind } = this.#options;
    const text = this.#wanted;
    if (this.#on.messageId === null && isBehind()) return { pauseMs: 0 };
    // A text that may turn out to be a word for silence is held back.
    if (this.#stopped || this.#broken || text.trim() === '' || maySilence(text) || text === this.#shown) {
      return { pauseMs: 0 };
    }
    const { done } = this.#cut(text);
    // What has outgrown its message stands there as it did.
    if (this.#shown !== '' && done === this.#cut(this.#shown).done) {
      this.#shown = text;
      return { pauseMs: 0 };
    }
    const result = await this.#put(withCursor(done, streaming.cursor));
    if (result.ok) this.#shown = text;
    else if (result.kind === 'rate_limited') return { pauseMs: 0, quietMs: result.retryAfterMs ?? limitedMs };
    else this.#broken = true;
    return { pauseMs: streaming.edit_interval * 1000 };
  }

  async #put(text: string) {
    const { adapter, edits, to, signal, onPreview, clock, streaming } = this.#options;
    const { drafts } = adapter;
    if (streaming.transport !== 'edit' && drafts?.supports(to) === true) {
      // A draft goes away by itself when the answer comes.
      return await drafts.show(to, this.#draftId, text, signal);
    }
    const message = { to, text, idempotencyKey: `preview.${to.chatId}.${clock.now()}` };
    const { messageId, unknown } = this.#on;
    if (messageId !== null) return await edits.edit(messageId, message, false, signal);
    // Written down first: if this process dies now, one may stand in the chat that nobody knows.
    this.#on = { messageId: null, unknown: true };
    await onPreview(this.#on);
    const sent = await adapter.send({ ...message, notify: false }, signal);
    if (sent.ok && sent.messageId !== null) this.#on = { messageId: sent.messageId, unknown, since: clock.now() };
    else {
      this.#broken = true;
      if (sent.ok || sent.mayHaveArrived === true) return sent;
      this.#on = { messageId: null, unknown };
    }
    await onPreview(this.#on);
    return sent;
  }

  /** As much as one message holds, and what is left. */
  #cut(text: string): { readonly done: string; readonly rest: string } {
    const { facts, streaming } = this.#options;
    const rules = { limit: facts.maxMessageLength, unit: facts.lengthUnit, cursor: streaming.cursor };
    return overflow(text, rules) ?? { done: text, rest: '' };
  }
}
