/** People who write to a bot, and wait for its answers. */
import type { BotApi } from './bot-api.ts';

export class People {
  readonly #api: BotApi;
  readonly #waiting = new Map<number, (answer: string) => void>();

  constructor(api: BotApi) {
    this.#api = api;
    api.onAct = ({ kind, chat, text }) => {
      const take = kind === 'sent' ? this.#waiting.get(Number(chat)) : undefined;
      if (take !== undefined) this.#waiting.delete(Number(chat));
      take?.(text);
    };
  }

  /** Resolves to what the bot says next in this chat. */
  ask(chat: number, text: string): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.set(chat, resolve);
      this.#api.say(chat, text);
    });
  }

  /** So many messages, of whom `side` at a time wait for an answer. Resolves to how long each waited, in milliseconds. */
  async talk(
    count: number,
    side: number,
    chatOf: (person: number, message: number) => number,
  ): Promise<readonly number[]> {
    const latencies: number[] = [];
    let message = 0;
    const person = async (_: unknown, number: number): Promise<void> => {
      while (message < count) {
        message += 1;
        const startedAt = performance.now();
        await this.ask(chatOf(number, message), `Question ${message}`);
        latencies.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: side }, person));
    return latencies;
  }
}
