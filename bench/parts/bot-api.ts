/** The Bot API as far as a gateway under load needs it. It checks nothing, so that it takes little from what is measured. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What the bot has done in a chat. */
export interface BotAct {
  readonly kind: 'sent' | 'edited' | 'removed';
  /** Of the message. */
  readonly id: string;
  readonly chat: string;
  /** Without what the markup needs. */
  readonly text: string;
  readonly replyTo: string | undefined;
}

/** `lost answer`: it is done, and the line is cut before the answer; `cut`: before anything is done. */
type Trouble = 'lost answer' | 'cut';

interface Update {
  readonly update_id: number;
  readonly message: { readonly message_id: number };
}

interface Arguments {
  readonly offset?: number;
  readonly limit?: number;
  readonly timeout?: number;
  readonly chat_id?: number | string;
  readonly message_id?: number;
  readonly text?: string;
  readonly parse_mode?: string;
  readonly reply_parameters?: { readonly message_id: number };
}

export class BotApi implements AsyncDisposable {
  static readonly token = '123456789:AAtoken-of-the-bot-that-is-measured-0123';
  onAct: (act: BotAct) => void = () => undefined;
  /** Told the id of each message that the bot has acknowledged. */
  onAcknowledged: (id: string) => void = () => undefined;
  /** Asked for each call that does something in a chat. */
  trouble: () => Trouble | undefined = () => undefined;
  #pending: Update[] = [];
  #nextId = 1;
  #nextMessage = 1;
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

  /** A person writes in their private chat with the bot. Returns the id of the message. */
  say(chat: number, text: string): string {
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
    return String(message.message_id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const method = request.url?.slice(`/bot${BotApi.token}/`.length) ?? '';
    const args = (await json(request)) as Arguments;
    const trouble = /^(?:send|edit|delete)Message/.test(method) ? this.trouble() : undefined;
    if (trouble === 'cut') return void response.destroy();
    const result = method === 'getUpdates' ? await this.#updates(args, response) : this.#do(method, args);
    if (trouble === 'lost answer') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result }));
  }

  async #updates({ offset = 0, limit = 100, timeout = 0 }: Arguments, response: ServerResponse): Promise<unknown> {
    const done = this.#pending.filter(({ update_id: id }) => id < offset);
    for (const { message } of done) this.onAcknowledged(String(message.message_id));
    if (done.length > 0) this.#pending = this.#pending.filter(({ update_id: id }) => id >= offset);
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

  #do(method: string, args: Arguments): unknown {
    switch (method) {
      case 'getMe':
        return { id: 123456789, is_bot: true, first_name: 'Bench', username: 'bench_bot' };
      case 'sendMessage':
        this.#nextMessage += 1;
        this.#act('sent', String(this.#nextMessage), args);
        return { message_id: this.#nextMessage, date: 0, chat: { id: Number(args.chat_id), type: 'private' } };
      case 'editMessageText':
        this.#act('edited', String(args.message_id), args);
        return true;
      case 'deleteMessage':
        this.#act('removed', String(args.message_id), args);
        return true;
      default:
        return true;
    }
  }

  #act(kind: BotAct['kind'], id: string, { chat_id: chat, text = '', parse_mode: mode, ...args }: Arguments): void {
    const plain = mode === undefined ? text : text.replaceAll(/\\(?=[^\w\s])/g, '');
    const replyTo = args.reply_parameters?.message_id;
    this.onAct({
      kind,
      id,
      chat: String(chat),
      text: plain,
      replyTo: replyTo === undefined ? undefined : `${replyTo}`,
    });
  }
}
