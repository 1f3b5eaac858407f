/** The Bot API as far as a gateway under load needs it. It checks nothing, so that it takes little from what is measured. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Update {
  readonly update_id: number;
  readonly message: object;
}

interface Arguments {
  readonly offset?: number;
  readonly limit?: number;
  readonly timeout?: number;
  readonly chat_id?: number | string;
  readonly text?: string;
}

export class BotApi implements AsyncDisposable {
  static readonly token = '123456789:AAtoken-of-the-bot-that-is-measured-0123';
  /** Told what the bot has sent; a text that it edits is told again. */
  onSent: (chat: number, text: string) => void = () => undefined;
  #pending: Update[] = [];
  #nextId = 1;
  #nextMessage = 1;
  #polled = Promise.withResolvers<void>();
  /** Ends the request that waits for updates. */
  #wake: () => void = () => undefined;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  static async open(): Promise<BotApi> {
    const api = new BotApi();
    api.#server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Resolves when updates are asked for, the next time from now on. */
  async polled(): Promise<void> {
    this.#polled = Promise.withResolvers();
    await this.#polled.promise;
  }

  /** A person writes in their private chat with the bot. */
  say(chat: number, text: string): void {
    const person = { id: chat, first_name: `Person ${chat}` };
    const message = {
      message_id: (this.#nextMessage += 1),
      date: Math.floor(Date.now() / 1000),
      chat: { ...person, type: 'private' },
      from: { ...person, is_bot: false },
      text,
    };
    this.#pending.push({ update_id: (this.#nextId += 1), message });
    this.#wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const method = request.url?.slice(`/bot${BotApi.token}/`.length) ?? '';
    const args = (await json(request)) as Arguments;
    const result = method === 'getUpdates' ? await this.#updates(args, response) : this.#do(method, args);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result }));
  }

  async #updates({ offset = 0, limit = 100, timeout = 0 }: Arguments, response: ServerResponse): Promise<unknown> {
    this.#pending = this.#pending.filter(({ update_id: id }) => id >= offset);
    this.#polled.resolve();
    if (this.#pending.length === 0 && timeout > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeout * 1000);
      response.once('close', resolve);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
    }
    return this.#pending.slice(0, limit);
  }

  #do(method: string, { chat_id: chat, text = '' }: Arguments): unknown {
    switch (method) {
      case 'getMe':
        return { id: 123456789, is_bot: true, first_name: 'Bench', username: 'bench_bot' };
      case 'sendMessage':
      case 'editMessageText':
        this.onSent(Number(chat), text);
        return { message_id: (this.#nextMessage += 1), date: 0, chat: { id: Number(chat), type: 'private' } };
      default:
        return true;
    }
  }
}
