/** A bot of Telegram as the gateway drives it. */
import * as z from 'zod';
import type {
  ChatAddress,
  ChatInfo,
  MenuCommand,
  OutgoingText,
  PlatformAdapter,
  Reactions,
  Threads,
  Typing,
} from '../../platform/adapter.ts';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import { movedValue } from '../../platform/moved-ids.ts';
import { PlatformError } from '../../platform/platform-error.ts';
import type { SendResult } from '../../platform/send-result.ts';
import { TelegramApi } from './api.ts';
import { CommandMenu } from './command-menu.ts';
import { Drafts } from './drafts.ts';
import { apiOptions } from './endpoints.ts';
import { NotAnswered } from '../../platform/http-answers.ts';
import { connectError } from './errors.ts';
import { Files } from './files.ts';
import { readMessage } from './intake.ts';
import { Marks } from './marks.ts';
import { nameOfChat, target } from './places.ts';
import { poll } from './polling.ts';
import { Questions } from './questions.ts';
import { webhookProblem } from './read-settings.ts';
import { RichTexts } from './rich.ts';
import { telegramSettings, type TelegramSettings } from './settings.ts';
import { Texts } from './texts.ts';
import { openTopics } from './own-topics.ts';
import { TopicNames } from './topic-names.ts';
import { Topics } from './topics.ts';
import { listen, type Webhook } from './webhook.ts';
import * as wire from './wire.ts';

const typingMs = 4000;
const goodbyeMs = 2000;

export class TelegramAdapter implements PlatformAdapter {
  readonly edits: Texts;
  readonly drafts: Drafts;
  readonly files: Files;
  readonly prompts: Questions;
  readonly reactions?: Reactions;
  readonly typing: Typing;
  readonly threads: Threads;
  readonly #host: AdapterHost;
  #settings: TelegramSettings;
  readonly #api: TelegramApi;
  readonly #menu: CommandMenu;
  readonly #topics: TopicNames;
  readonly #ended = new AbortController();
  #receiving: Promise<void> | undefined;
  #webhook: Webhook | undefined;

  constructor(host: AdapterHost) {
    this.#host = host;
    this.#settings = telegramSettings.parse(host.config.extra);
    this.#api = new TelegramApi({
      ...apiOptions(host.config.token ?? '', this.#settings, host.network),
      // Not waited for: what is being sent goes to the new id by itself, and may be part of what has to end first.
      onMoved: (from, to) => void this.#moved(from, to).catch((error: unknown) => this.#notMoved(error)),
      onThreadGone: (chatId, threadId) => host.threadGone({ chatId, threadId }),
    });
    this.#menu = new CommandMenu(this.#api);
    this.#topics = new TopicNames(this.#settings);
    const rich = new RichTexts(this.#api);
    this.edits = new Texts(this.#api, this.#settings, rich);
    this.drafts = new Drafts(this.#api, this.#settings.rich_drafts ? rich : undefined);
    this.files = new Files(this.#api, this.#settings);
    this.prompts = new Questions(this.#api, host);
    if (this.#settings.reactions) this.reactions = new Marks(this.#api);
    this.typing = { everyMs: typingMs, show: async (to, signal) => await this.#type(to, signal) };
    this.threads = new Topics(this.#api, this.#topics, this.#settings);
  }

  /** Where the webhook listens, once it does: a port of 0 in the settings is any that is free. */
  get webhookPort(): number | undefined {
    return this.#webhook?.port;
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { token } = this.#host.config;
    if (token === undefined)
      throw new PlatformError('telegram_wrong_token', 'TELEGRAM_BOT_TOKEN is not set.', { retryable: false });
    const [problem] = this.#settings.webhook_url === undefined ? [] : webhookProblem(this.#settings.webhook_secret);
    if (problem !== undefined) throw new PlatformError('telegram_webhook_secret', problem, { retryable: false });
    await this.#host.lock('telegram-bot-token', token);
    const within = AbortSignal.any([
      signal,
      this.#ended.signal,
      AbortSignal.timeout(this.#settings.init_timeout * 1000),
    ]);
    try {
      const me = await this.#whoAmI(within);
      await this.#receive(me, within);
    } catch (error) {
      throw connectError(error);
    }
    await this.#settle(within);
  }

  async disconnect(): Promise<void> {
    if (this.#ended.signal.aborted) return await this.#receiving;
    this.#ended.abort();
    await this.#webhook?.close();
    await this.#receiving;
    if (this.#receiving !== undefined || this.#webhook !== undefined)
      await this.#sayWhether(this.#settings.status_offline, AbortSignal.timeout(goodbyeMs));
  }

  async send(message: OutgoingText, signal: AbortSignal): Promise<SendResult> {
    return await this.edits.send(message, signal);
  }

  async account(signal: AbortSignal): Promise<string> {
    try {
      const { username, first_name: name } = await this.#api.call('getMe', {}, wire.me, { signal });
      return username === undefined ? name : `@${username}`;
    } catch (error) {
      throw connectError(error);
    }
  }

  async chatInfo(chatId: string, signal: AbortSignal): Promise<ChatInfo | undefined> {
    try {
      const chat = await this.#api.call('getChat', { chat_id: chatId }, wire.chat, { signal });
      return { name: nameOfChat(chat) ?? chatId, type: chat.type === 'private' ? 'dm' : chat.type };
    } catch (error) {
      this.#host.log.debug(`nothing is known of the chat ${chatId}`, error);
      return undefined;
    }
  }

  async showCommands(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void> {
    await this.#menu.show(commands, signal);
  }

  async #whoAmI(signal: AbortSignal): Promise<wire.TelegramUser> {
    const ask = async () => await this.#api.call('getMe', {}, wire.me, { signal });
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NotAnswered) || !(await this.#api.findOtherWays(signal))) throw error;
      this.#host.log.info('Telegram is looked for at addresses that were asked for over HTTPS');
      return await ask();
    }
  }

  /** Nothing that waits at Telegram is thrown away, whichever way it comes. */
  async #receive(me: wire.TelegramUser, signal: AbortSignal): Promise<void> {
    const { webhook_url: url, webhook_secret: secret = '', webhook_host: host, webhook_port: port } = this.#settings;
    const handle = async (update: unknown): Promise<void> => await this.#handle(update, me);
    if (url === undefined) {
      await this.#api.call('deleteWebhook', { drop_pending_updates: false }, z.unknown(), { signal });
      this.#receiving = this.#poll(handle);
      return;
    }
    const path = new URL(url).pathname;
    this.#webhook = await listen({ host, port, path, secret, handle, log: this.#host.log });
    // One at a time, as Telegram keeps no order among several.
    const args = { url, secret_token: secret, max_connections: 1, allowed_updates: [...wire.allowedUpdates] };
    try {
      await this.#api.call('setWebhook', { ...args, drop_pending_updates: false }, z.unknown(), { signal });
    } catch (error) {
      await this.#webhook.close();
      throw error;
    }
  }

  async #poll(handle: (update: unknown) => Promise<void>): Promise<void> {
    const { api, host, signal } = { api: this.#api, host: this.#host, signal: this.#ended.signal };
    const { http_connect_timeout: connect, http_read_timeout: read } = this.#settings;
    try {
      await poll({ api, host, handle, signal, deadlineMs: (connect + read) * 1000 });
    } catch (error) {
      if (!signal.aborted) host.failed(connectError(error));
    }
  }

  /** What cannot be read is passed over: Telegram would bring it for ever. At the end nothing is taken any more. */
  async #handle(given: unknown, me: wire.TelegramUser): Promise<void> {
    this.#ended.signal.throwIfAborted();
    const update = wire.update.safeParse(given);
    if (!update.success) return this.#host.log.warning('an update of Telegram could not be read', update.error);
    const { message, channel_post: post, callback_query: query } = update.data;
    if (query !== undefined) return await this.prompts.press(query, this.#ended.signal);
    const written = message ?? post;
    if (written === undefined) return;
    const { migrate_to_chat_id: to, migrate_from_chat_id: from } = written;
    if (to !== undefined) return await this.#moved(String(written.chat.id), String(to));
    if (from !== undefined) return await this.#moved(String(from), String(written.chat.id));
    const commandName = (shown: string): string => this.#menu.nameOf(shown);
    const event = readMessage(written, { me, settings: this.#settings, topics: this.#topics, commandName });
    if (event !== undefined) await this.#host.accept(event);
  }

  /** A group became a supergroup. https://core.telegram.org/bots/api#responseparameters */
  async #moved(from: string, to: string): Promise<void> {
    this.#settings = telegramSettings.parse(movedValue(this.#settings, from, to));
    await this.#host.moved(from, to);
  }

  #notMoved(error: unknown): void {
    if (!this.#ended.signal.aborted)
      this.#host.log.warning('a group has another id now, which could not be written down; it is tried again', error);
  }

  /** What is nice to have; without it the bot works as well. */
  async #settle(signal: AbortSignal): Promise<void> {
    await this.#sayWhether(this.#settings.status_online, signal);
    await openTopics({
      api: this.#api,
      host: this.#host,
      topics: this.#topics,
      wanted: this.#settings.dm_topics,
      signal,
    });
  }

  async #sayWhether(text: string, signal: AbortSignal): Promise<void> {
    if (!this.#settings.status_indicator) return;
    try {
      await this.#api.call('setMyShortDescription', { short_description: text }, z.unknown(), { signal });
    } catch (error) {
      this.#host.log.warning('the short description of the bot could not be set', error);
    }
  }

  async #type(to: ChatAddress, signal: AbortSignal): Promise<void> {
    await this.#api.call('sendChatAction', { ...target(to), action: 'typing' }, z.unknown(), { signal });
  }
}
