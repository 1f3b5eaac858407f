/** An account of Matrix as the gateway drives it. */
import * as z from 'zod';
import type {
  Channel,
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
import { parseJson } from '../../../lib/json.ts';
import type { SendResult } from '../../platform/send-result.ts';
import { PlatformError } from '../../platform/platform-error.ts';
import { MatrixApi, path } from './api.ts';
import { Machine } from './crypto/machine.ts';
import { connectError } from './errors.ts';
import { Files } from './files.ts';
import { Incoming } from './incoming.ts';
import { KnownThreads } from './known-threads.ts';
import { type Account, logIn } from './login.ts';
import { Marks } from './marks.ts';
import { Questions } from './questions.ts';
import { Rooms } from './rooms.ts';
import { Sender } from './sender.ts';
import { matrixSettings, type MatrixSettings } from './settings.ts';
import { syncForever } from './sync.ts';
import { Texts } from './texts.ts';

const typing = { everyMs: 20_000, shownMs: 30_000 };
const maxThreadName = 200;
const maxChannels = 500;
const sinceNote = 'since';
const kept = z.object({ user: z.string(), device: z.string(), since: z.string() });
const profile = z.object({ displayname: z.string().nullish() });
const joinedRooms = z.object({ joined_rooms: z.array(z.string()) });

export class MatrixAdapter implements PlatformAdapter {
  readonly edits: Texts;
  readonly files: Files;
  readonly prompts?: Questions;
  readonly reactions?: Reactions;
  readonly typing: Typing;
  readonly threads: Threads;
  readonly #host: AdapterHost;
  readonly #settings: MatrixSettings;
  readonly #api: MatrixApi;
  readonly #rooms: Rooms;
  readonly #sender: Sender;
  readonly #questions: Questions;
  readonly #ended = new AbortController();
  readonly #commands = new Set<string>();
  #account: Account | undefined;
  #machine: Machine | undefined;
  #receiving: Promise<void> | undefined;

  constructor(host: AdapterHost) {
    this.#host = host;
    this.#settings = matrixSettings.parse(host.config.extra);
    const { homeserver = '', password = '', recovery_key: recoveryKey = '' } = this.#settings;
    const { allow_room_mentions: roomMentions, e2ee_mode: mode } = this.#settings;
    const { token = '' } = host.config;
    this.#api = new MatrixApi({
      root: homeserver,
      token: undefined,
      network: host.network,
      secrets: [token, password, recoveryKey],
    });
    this.#rooms = new Rooms(this.#api, host.clock, this.#settings.room_identity_ttl_seconds * 1000);
    this.#sender = new Sender({
      api: this.#api,
      rooms: this.#rooms,
      mode,
      ready: async (signal) => void (await this.#logIn(signal)),
      machine: () => this.#machine,
      ended: () => this.#ended.signal.aborted,
    });
    const sender = this.#sender;
    this.edits = new Texts(sender, roomMentions);
    this.files = new Files(this.#api, sender, this.#settings.max_media_bytes);
    this.#questions = new Questions(sender, this.edits, host, {
      anybody: !this.#settings.approval_require_sender,
      approvalMs: this.#settings.approval_timeout_seconds * 1000,
    });
    // Reactions are never encrypted, so a homeserver could say yes in somebody's name.
    if (mode !== 'required') this.prompts = this.#questions;
    if (this.#settings.reactions) this.reactions = new Marks(sender);
    this.typing = {
      everyMs: typing.everyMs,
      show: async (to, signal) => await this.#type(to, true, signal),
      hide: async (to, signal) => await this.#type(to, false, signal),
    };
    this.threads = { create: async (chatId, name, signal) => await this.#createThread(chatId, name, signal) };
  }

  async connect(given: AbortSignal): Promise<void> {
    const { user_id: userId = '' } = this.#settings;
    await this.#host.lock('matrix-token', this.#host.config.token ?? userId);
    const signal = AbortSignal.any([given, this.#ended.signal]);
    try {
      const account = await this.#logIn(signal);
      await this.#openKeys(account, signal);
      await this.#receive(account, signal);
    } catch (error) {
      await this.#closeKeys();
      throw connectError(error);
    }
  }

  async disconnect(): Promise<void> {
    this.#ended.abort();
    await this.#receiving;
    await this.#closeKeys();
  }

  async send(message: OutgoingText, signal: AbortSignal): Promise<SendResult> {
    return await this.edits.send(message, signal);
  }

  async account(signal: AbortSignal): Promise<string> {
    try {
      return (await this.#logIn(signal)).userId;
    } catch (error) {
      throw connectError(error);
    }
  }

  async chatInfo(chatId: string, signal: AbortSignal): Promise<ChatInfo | undefined> {
    try {
      await this.#logIn(signal);
      const direct = await this.#rooms.isDirect(chatId, signal);
      return { name: (await this.#nameOf(chatId, signal)) ?? chatId, type: direct ? 'dm' : 'group' };
    } catch (error) {
      this.#host.log.debug(`nothing is known of the room ${chatId}`, error);
      return undefined;
    }
  }

  async channels(signal: AbortSignal): Promise<readonly Channel[]> {
    await this.#logIn(signal);
    const { joined_rooms: ids } = await this.#api.call('GET', '/client/v3/joined_rooms', joinedRooms, { signal });
    const channels: Channel[] = [];
    for (const id of ids.slice(0, maxChannels)) {
      const info = await this.chatInfo(id, signal);
      if (info !== undefined) channels.push({ id, ...info });
    }
    return channels;
  }

  /** Matrix has no menu; of these, `!name` is a command, and other words with an exclamation mark are words. */
  async showCommands(commands: readonly MenuCommand[]): Promise<void> {
    this.#commands.clear();
    for (const { name } of commands) this.#commands.add(name);
    await Promise.resolve();
  }

  async #logIn(signal: AbortSignal): Promise<Account> {
    this.#account ??= await logIn(this.#api, this.#host, this.#settings, signal);
    return this.#account;
  }

  async #openKeys({ userId, deviceId }: Account, signal: AbortSignal): Promise<void> {
    const { e2ee_mode: mode } = this.#settings;
    if (mode === 'off') return;
    const { log } = this.#host;
    if (deviceId === undefined) {
      const message =
        'The homeserver does not say which device the access token belongs to; set MATRIX_DEVICE_ID, so that encrypted rooms can be read.';
      if (mode === 'required') throw new PlatformError('matrix_no_device', message, { retryable: false });
      return log.warning(message);
    }
    this.#machine = await Machine.open({
      folder: await this.#host.folder(),
      userId,
      deviceId,
      api: this.#api,
      log,
      putInRoom: async (...given) => await this.#sender.put(...given),
    });
    await this.#machine.settle(signal);
    const { recovery_key: recoveryKey, recovery_key_output_file: outputFile, password } = this.#settings;
    await this.#machine.recover({ recoveryKey, outputFile, password }, signal);
    log.info(`the device ${deviceId} has the key ${this.#machine.fingerprint}`);
  }

  async #closeKeys(): Promise<void> {
    const machine = this.#machine;
    this.#machine = undefined;
    await machine?.close();
  }

  async #receive({ userId, deviceId = '' }: Account, signal: AbortSignal): Promise<void> {
    const { notes } = this.#host;
    const threads = new KnownThreads(notes);
    await threads.load();
    const incoming = new Incoming({
      api: this.#api,
      host: this.#host,
      settings: this.#settings,
      me: { userId, name: await this.#ownName(userId, signal) },
      rooms: this.#rooms,
      machine: this.#machine,
      questions: this.#questions,
      texts: this.edits,
      threads,
      isCommand: (name) => this.#commands.has(name),
      signal: this.#ended.signal,
    });
    await incoming.load();
    const { data } = kept.safeParse(parseJson((await notes.get(sinceNote)) ?? ''));
    const since = data?.user === userId && data.device === deviceId ? data.since : undefined;
    signal.throwIfAborted();
    this.#receiving = this.#sync(incoming, since, async (next) => {
      await notes.set(sinceNote, JSON.stringify({ user: userId, device: deviceId, since: next }));
    });
  }

  async #sync(incoming: Incoming, since: string | undefined, save: (since: string) => Promise<void>): Promise<void> {
    const { signal } = this.#ended;
    try {
      await syncForever({
        api: this.#api,
        host: this.#host,
        since,
        handle: async (answer, from) => await incoming.handle(answer, from),
        save,
        canLogIn: this.#host.config.token === undefined,
        signal,
      });
    } catch (error) {
      if (!signal.aborted) this.#host.failed(connectError(error));
    }
  }

  async #ownName(userId: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const found = await this.#api.call('GET', path`/client/v3/profile/${userId}`, profile, { signal });
      return found.displayname ?? undefined;
    } catch (error) {
      signal.throwIfAborted();
      this.#host.log.debug('the account has no name of its own', error);
      return undefined;
    }
  }

  /** Private chats seldom have a name; then it is that of the other one. */
  async #nameOf(roomId: string, signal: AbortSignal): Promise<string | undefined> {
    const name = await this.#rooms.name(roomId, signal);
    if (name !== undefined) return name;
    const { userId } = await this.#logIn(signal);
    return (await this.#rooms.members(roomId, signal)).find(({ id }) => id !== userId)?.name;
  }

  async #type({ chatId }: ChatAddress, on: boolean, signal: AbortSignal): Promise<void> {
    const { userId } = await this.#logIn(signal);
    const body = on ? { typing: true, timeout: typing.shownMs } : { typing: false };
    await this.#api.call('PUT', path`/client/v3/rooms/${chatId}/typing/${userId}`, z.unknown(), { signal, body });
  }

  async #createThread(chatId: string, name: string, signal: AbortSignal): Promise<ChatAddress | undefined> {
    const idempotencyKey = `thread ${chatId} ${name} ${this.#host.clock.now()}`;
    const text = name.slice(0, maxThreadName);
    const sent = await this.send({ to: { chatId, threadId: null }, text, plain: true, idempotencyKey }, signal);
    return sent.ok ? { chatId, threadId: sent.messageId } : undefined;
  }
}
