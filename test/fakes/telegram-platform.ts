/** Telegram for the suite of adapters: a private chat, a forum, another group, two people and another bot. */
import type { Variables } from '../../src/config/variables.ts';
import type { ChatAddress } from '../../src/gateway/platform/adapter.ts';
import { platform } from '../../src/gateway/platforms/telegram/telegram.ts';
import type {
  FakePlatform,
  FakeWritten,
  Person,
  PlatformUnderTest,
  ShownMessage,
  Trouble,
} from '../gateway/fake-platform.ts';
import { type ApiMessage, type ApiUser, robot, wireOf } from './telegram-chats.ts';
import { type Fault, TelegramServer } from './telegram-server.ts';
import { freePort } from './free-port.ts';

export const telegram: PlatformUnderTest = { platform, open: async () => await FakeTelegram.open() };

/** Delivers to the adapter instead of being asked. */
export const telegramWebhook: PlatformUnderTest = {
  platform,
  variant: 'webhook',
  pushes: true,
  open: async () => await FakeTelegram.open(await freePort()),
};

const webhookSecret = 'a-secret_of-the-webhook-0123456789';

const people: Readonly<Record<Person | 'self', ApiUser>> = {
  friend: { id: 1001, is_bot: false, first_name: 'Fred', username: 'friend' },
  stranger: { id: 1002, is_bot: false, first_name: 'Sue' },
  bot: { id: 901, is_bot: true, first_name: 'Other', username: 'other_bot' },
  self: robot,
};

const faults: Readonly<Record<Exclude<Trouble['as'], 'rate_limited'>, Fault>> = {
  server_error: { status: 500, description: 'Internal Server Error' },
  bad_format: {
    status: 400,
    description:
      "Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
  },
  forbidden: { status: 403, description: 'Forbidden: bot was blocked by the user' },
  not_found: { status: 400, description: 'Bad Request: chat not found' },
  cut_after: 'cut',
};

export class FakeTelegram implements FakePlatform {
  readonly server: TelegramServer;
  readonly places = {
    dm: { chatId: '1001', threadId: null },
    group: { chatId: '-1001', threadId: null },
    otherGroup: { chatId: '-1002', threadId: null },
    thread: { chatId: '-1001', threadId: '7' },
  };
  readonly keys = {
    requireMention: 'require_mention',
    freeChats: 'free_response_chats',
    allowedChats: 'allowed_chats',
    mentionPatterns: 'mention_patterns',
  };
  readonly wrongVariables = { TELEGRAM_BOT_TOKEN: '123456789:AAnot-the-token-that-is-known-0123456789' };
  /** Updates by the ids of their messages. */
  readonly #updates = new Map<string, { readonly id: number; readonly message: Record<string, unknown> }>();

  readonly #webhookPort: number | undefined;

  static async open(webhookPort?: number, token?: string): Promise<FakeTelegram> {
    const server = new TelegramServer(token);
    await server.start();
    return new FakeTelegram(server, webhookPort);
  }

  private constructor(server: TelegramServer, webhookPort: number | undefined) {
    this.server = server;
    this.#webhookPort = webhookPort;
    if (webhookPort !== undefined) server.webhookAt = `http://127.0.0.1:${webhookPort}/hook`;
    server.chats.add({ id: 1001, type: 'private', first_name: 'Fred' });
    server.chats.add({ id: -1001, type: 'supergroup', title: 'Friends', is_forum: true }, { 7: 'Plans' });
    server.chats.add({ id: -1002, type: 'group', title: 'Others' });
  }

  get variables(): Variables {
    const token = { TELEGRAM_BOT_TOKEN: this.server.token };
    return this.#webhookPort === undefined ? token : { ...token, TELEGRAM_WEBHOOK_SECRET: webhookSecret };
  }

  get block(): Readonly<Record<string, unknown>> {
    const { url } = this.server;
    if (this.#webhookPort === undefined) return { base_url: url };
    const webhook_url = 'https://bot.example.com/hook';
    return { base_url: url, webhook_url, webhook_host: '127.0.0.1', webhook_port: this.#webhookPort };
  }

  get secrets() {
    return [this.server.token, this.wrongVariables.TELEGRAM_BOT_TOKEN, webhookSecret];
  }

  get requests(): number {
    return this.server.requests.length;
  }

  /** `forwarded`: somebody else's words, whose name is not told. `album`: what several messages with a picture are of. */
  async write(written: FakeWritten & { readonly forwarded?: true; readonly album?: string }): Promise<string> {
    const { in: place, from = 'friend', text, mention = false, replyTo, file, forwarded, album } = written;
    const { chats } = this.server;
    const chat = chats.chats.get(Number(place.chatId));
    if (chat === undefined) throw new Error(`no chat ${place.chatId}`);
    const name = `@${robot.username}`;
    const whole = mention ? `${name} ${text}` : text;
    const message: ApiMessage = chats.put({
      message_id: chats.nextId(),
      chat,
      ...(place.threadId === null
        ? {}
        : { message_thread_id: Number(place.threadId), is_topic_message: true as const }),
      from: people[from],
      date: Math.floor(Date.now() / 1000),
      text: whole,
      raw: whole,
      entities: [
        ...(mention ? [{ type: 'mention', offset: 0, length: name.length }] : []),
        ...(/^\/\w/.test(whole)
          ? [{ type: 'bot_command', offset: 0, length: /^\/[\w@]+/.exec(whole)?.[0].length ?? 0 }]
          : []),
      ],
      ...(replyTo === undefined ? {} : { reply_to: Number(replyTo) }),
      ...(file === undefined ? {} : { file: { ...file, field: file.kind } }),
      keyboard: [],
      silent: false,
    });
    const quoted = message.reply_to === undefined ? undefined : chats.find(chat.id, message.reply_to);
    const wire = {
      ...wireOf(message),
      ...(quoted === undefined ? {} : { reply_to_message: wireOf(quoted) }),
      ...this.#mediaOf(file),
      ...(album === undefined ? {} : { media_group_id: album }),
      ...(forwarded === undefined
        ? {}
        : { forward_origin: { type: 'hidden_user', sender_user_name: 'Mallory', date: message.date } }),
    };
    const id = String(message.message_id);
    this.#updates.set(id, { id: this.server.happen('message', wire), message: wire });
    return id;
  }

  /** Somebody writes under All Messages of a private chat with topics: another one opens for it. */
  openTopic({ chatId }: ChatAddress, name: string): ChatAddress {
    const { chats } = this.server;
    const chat = chats.chats.get(Number(chatId));
    if (chat === undefined) throw new Error(`no chat ${chatId}`);
    const id = chats.nextId();
    chats.topics.get(chat.id)?.set(id, name);
    const opened = {
      message_id: id,
      message_thread_id: id,
      is_topic_message: true,
      from: people.friend,
      date: 1,
      chat,
    };
    this.server.happen('message', { ...opened, forum_topic_created: { name, icon_color: 7322096 } });
    return { chatId, threadId: String(id) };
  }

  /** Telegram does not tell the bot. */
  deleteTopic({ chatId, threadId }: ChatAddress): void {
    this.server.chats.topics.get(Number(chatId))?.delete(Number(threadId));
  }

  /** A group becomes a supergroup, and both chats say so, unless the bot was away for too long. */
  migrate({ chatId }: ChatAddress, to: string, { tells = true } = {}): ChatAddress {
    const { chats } = this.server;
    const old = chats.chats.get(Number(chatId));
    if (old === undefined) throw new Error(`no chat ${chatId}`);
    const now = { id: Number(to), type: 'supergroup', title: old.title ?? '' } as const;
    chats.add(now);
    chats.moved.set(old.id, now.id);
    const said = { from: people.friend, date: Math.floor(Date.now() / 1000) };
    if (tells) {
      const first = { ...said, message_id: chats.nextId(), chat: old, migrate_to_chat_id: now.id };
      this.#updates.set('migrated to', { id: this.server.happen('message', first), message: first });
      const second = { ...said, message_id: 1, chat: now, migrate_from_chat_id: old.id };
      this.#updates.set('migrated from', { id: this.server.happen('message', second), message: second });
    }
    return { chatId: to, threadId: null };
  }

  async repeat(messageId: string): Promise<void> {
    this.server.happen('message', this.#updates.get(messageId)?.message);
  }

  isAcknowledged(messageId: string): boolean {
    return this.server.confirmed.has(this.#updates.get(messageId)?.id ?? -1);
  }

  shown({ chatId, threadId }: ChatAddress): readonly ShownMessage[] {
    const thread = threadId === null ? undefined : Number(threadId);
    return (this.server.chats.messages.get(Number(chatId)) ?? [])
      .filter((message) => message.from.id === robot.id && message.message_thread_id === thread)
      .map(({ message_id, text, raw, reply_to, file, keyboard }) => ({
        id: String(message_id),
        text,
        raw,
        ...(reply_to === undefined ? {} : { replyTo: String(reply_to) }),
        ...(file === undefined ? {} : { file }),
        buttons: keyboard.flat().map((button) => button.text),
      }));
  }

  typed({ chatId }: ChatAddress): number {
    return this.server.chats.actions.filter(({ chat, action }) => chat === Number(chatId) && action === 'typing')
      .length;
  }

  trouble(trouble: Trouble): void {
    if (trouble.as !== 'rate_limited') return this.server.fault('*', faults[trouble.as]);
    const { seconds } = trouble;
    const description = `Too Many Requests: retry after ${seconds}`;
    this.server.fault('*', { status: 429, description, parameters: { retry_after: seconds } });
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  async start(): Promise<void> {
    await this.server.start();
  }

  async press(messageId: string, label: string, by: Person): Promise<string | undefined> {
    const { chats, answers } = this.server;
    const message = [...chats.messages.values()].flat().find(({ message_id }) => String(message_id) === messageId);
    const button = message?.keyboard.flat().find(({ text }) => text === label);
    if (message === undefined || button === undefined) throw new Error(`no button ${label}`);
    const id = `query-${chats.nextId()}`;
    this.server.happen('callback_query', {
      id,
      from: people[by],
      chat_instance: '1',
      data: button.callback_data,
      message: wireOf(message),
    });
    for (let tries = 0; !answers.has(id); tries += 1) {
      if (tries > 1000) throw new Error('the press was not answered');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return answers.get(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  #mediaOf(file: FakeWritten['file']): Record<string, unknown> {
    if (file === undefined) return {};
    const id = `file-${this.server.files.size + 1}`;
    this.server.files.set(id, file);
    const known = { file_id: id, file_unique_id: id, file_size: file.bytes.length };
    const named = { ...known, file_name: file.name, mime_type: file.mime };
    const field = {
      image: 'photo',
      audio: 'audio',
      voice: 'voice',
      video: 'video',
      document: 'document',
      sticker: 'sticker',
    }[file.kind];
    if (field === 'photo')
      return {
        photo: [
          { ...known, file_id: 'small', width: 1, height: 1 },
          { ...known, width: 9, height: 9 },
        ],
      };
    return { [field]: field === 'voice' ? { ...known, mime_type: file.mime, duration: 1 } : named };
  }
}
