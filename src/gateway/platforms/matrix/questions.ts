/** Questions that are answered with a reaction. */
import type { AdapterHost } from '../../platform/adapter-host.ts';
import type { Prompt, Prompts } from '../../platform/adapter.ts';
import type { SendResult } from '../../platform/send-result.ts';
import type { SessionSource } from '../../platform/session-source.ts';
import { ApiError } from './errors.ts';
import { react } from './marks.ts';
import { Recent } from './recent.ts';
import type { Sender } from './sender.ts';
import type { Texts } from './texts.ts';

interface Open {
  readonly prompt: Prompt;
  /** Options by their emoji. */
  readonly options: ReadonlyMap<string, string>;
  readonly seeds: string[];
  readonly askedAt: number;
  /** Its reactions are gone: it is answered in words. */
  isLate: boolean;
}

export interface QuestionSettings {
  readonly anybody: boolean;
  /** For how long a reaction may allow something, in milliseconds. */
  readonly approvalMs: number;
}

const maxOpen = 200;
const longestSeedMs = 60_000;
const lateMs = 30_000;
/** What everybody understands; other options are numbered. */
const known: Readonly<Record<string, string>> = { once: '✅', always: '♾️', deny: '❌', cancel: '❌' };
const digits = ['1️⃣', '2️⃣', '3️⃣', '4️⃣', '5️⃣', '6️⃣', '7️⃣', '8️⃣', '9️⃣', '🔟'];

export class Questions implements Prompts {
  readonly maxOptions = digits.length;
  readonly anybody: boolean;
  readonly #approvalMs: number;
  readonly #sender: Sender;
  readonly #texts: Texts;
  readonly #host: Pick<AdapterHost, 'press' | 'log' | 'clock'>;
  readonly #open = new Recent<Open>(maxOpen);

  constructor(
    sender: Sender,
    texts: Texts,
    host: Pick<AdapterHost, 'press' | 'log' | 'clock'>,
    { anybody, approvalMs }: QuestionSettings,
  ) {
    this.anybody = anybody;
    this.#approvalMs = approvalMs;
    this.#sender = sender;
    this.#texts = texts;
    this.#host = host;
  }

  async show(prompt: Prompt, signal: AbortSignal): Promise<SendResult> {
    const { to, text, options, replyTo, idempotencyKey } = prompt;
    const emojis = options.map(({ id }, index) => known[id] ?? digits[index] ?? '❔');
    const lines = options.map(({ label }, index) => `${emojis[index]} ${label}`).join('\n');
    const quoted = replyTo === undefined ? {} : { replyTo };
    const sent = await this.#texts.send({ to, text: `${text}\n\n${lines}`, ...quoted, idempotencyKey }, signal);
    if (!sent.ok || sent.messageId === null) return sent;
    const byEmoji = new Map(options.map(({ id }, index) => [bare(emojis[index] ?? ''), id]));
    const open: Open = { prompt, options: byEmoji, seeds: [], askedAt: this.#host.clock.now(), isLate: false };
    this.#open.set(sent.messageId, open);
    await this.#seed(open, sent.messageId, emojis, signal);
    return sent;
  }

  /** What the person only has to press. Without, people can react by themselves, so nobody waits for a server that is busy. */
  async #seed(open: Open, messageId: string, emojis: readonly string[], signal: AbortSignal): Promise<void> {
    for (const [index, emoji] of emojis.entries()) {
      if (this.#open.get(messageId) !== open || open.isLate) return;
      try {
        open.seeds.push(await react(this.#sender, open.prompt.to.chatId, messageId, emoji, signal));
      } catch (error) {
        const waitMs = error instanceof ApiError ? error.retryAfterMs : undefined;
        if (waitMs === undefined || waitMs > longestSeedMs)
          return this.#host.log.debug('a question has not all of its reactions', error);
        void this.#seedLater(open, messageId, emojis.slice(index), waitMs, signal);
        return;
      }
    }
  }

  async #seedLater(
    open: Open,
    messageId: string,
    emojis: readonly string[],
    waitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#host.clock.sleep(waitMs, signal);
      await this.#seed(open, messageId, emojis, signal);
    } catch {
      // The question is over.
    }
  }

  async close(
    { to, text, idempotencyKey }: Prompt,
    messageId: string,
    outcome: string,
    signal: AbortSignal,
  ): Promise<void> {
    const open = this.#open.get(messageId);
    this.#open.delete(messageId);
    const message = { to, text: `${text}\n\n${outcome}`, idempotencyKey };
    const edited = await this.#texts.edit(messageId, message, true, signal);
    for (const seed of open?.seeds.splice(0) ?? []) await this.#sender.redact(to.chatId, seed, signal);
    if (!edited.ok) throw new Error(edited.error);
  }

  /** True when the message is a question of ours, open or answered meanwhile. */
  asks(messageId: string): boolean {
    return this.#open.get(messageId) !== undefined;
  }

  async reacted(messageId: string, emoji: string, source: SessionSource): Promise<void> {
    const open = this.#open.get(messageId);
    const optionId = open?.options.get(bare(emoji));
    if (open === undefined || optionId === undefined || open.prompt.to.chatId !== source.chat_id) return;
    const { kind } = open.prompt;
    if (kind !== 'question' && this.#host.clock.now() - open.askedAt > this.#approvalMs) return await this.#late(open);
    const outcome = await this.#host.press({ promptId: open.prompt.id, optionId, source });
    this.#host.log.debug(`a reaction to a question: ${outcome.as}`);
  }

  /** The question may still wait: it can be answered in words. That is said once, to whoever tries first. */
  async #late(open: Open): Promise<void> {
    if (open.isLate) return;
    open.isLate = true;
    const { to, kind, idempotencyKey } = open.prompt;
    const signal = AbortSignal.timeout(lateMs);
    const words = kind === 'approval' ? 'answer `/approve` or `/deny`' : 'answer in words';
    const text = `⌛ Too late for a reaction: if I still wait for it, ${words}.`;
    try {
      await this.#texts.send({ to, text, idempotencyKey: `${idempotencyKey}-late` }, signal);
      for (const seed of open.seeds.splice(0)) await this.#sender.redact(to.chatId, seed, signal);
    } catch (error) {
      this.#host.log.debug('it is not said that a reaction came too late', error);
    }
  }
}

/** Programs write the sign for "as a picture" or leave it out. */
function bare(emoji: string): string {
  return emoji.replaceAll('\uFE0F', '');
}
