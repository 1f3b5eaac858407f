/** Sends what stands in the outbox: in order for each chat, again after a failure, once however often the process dies. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { ChatMove } from '../../sessions/chat-move.ts';
import type { NewReply, Outbox } from '../../sessions/chat-inbox.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { NotSent, SendResult } from '../platform/send-result.ts';
import { noticesOf, unknownText } from './given-up.ts';
import { readDetails } from './reply-details.ts';
import type { Pause } from './send-files.ts';
import { removePreview, sendReply } from './send-reply.ts';
import { detailsOf, leavesPreview, type Waiting, waitingFor } from './waiting.ts';

export interface DeliveryOptions {
  readonly outbox: Outbox;
  readonly clock: AdapterClock;
  readonly log: Log;
  /** `human_delay`; undefined while it is off. */
  readonly pause?: Pause | undefined;
  connection(platform: string): PlatformConnection | undefined;
  /** The same reply, addressed as its chat is called now. */
  current?(reply: NewReply): NewReply;
  /** The chat takes nothing from us, or takes it again. */
  onReach(reply: Pick<NewReply, 'platform' | 'chatId'>, reached: boolean, error?: string): void;
}

/** One copy may follow what may have arrived; a third one must not. */
const maxUnknown = 2;
/** Starts after which a reply has failed often enough. */
const maxProcesses = 3;
/** The same for one that may be sent any number of times. */
const maxHarmlessProcesses = 10;
/** Attempts of one process at what the platform refuses for a reason that does not pass. */
const maxAttempts = 3;
/** After so many attempts nothing waits for it any more. */
const maxHeld = 4;
const maxAgeMs = 24 * 3_600_000;
const firstRetryMs = 30_000;
const longestRetryMs = 900_000;

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #log: Log;
  readonly #chats = new Map<string, Promise<void>>();
  /** Replies that this process works on. */
  readonly #active = new Set<string>();
  /** What this process has made of replies whose platform went away meanwhile. */
  readonly #left = new Map<string, Pick<Waiting, 'processes' | 'attempts'>>();
  /** Chats with replies that wait for their platform: what comes behind these waits with them. */
  readonly #held = new Set<string>();
  /** Platforms whose open replies are being read; `more`: others came meanwhile, behind those. */
  readonly #recovering = new Map<string, { more: boolean; readonly done: Promise<void> }>();
  readonly #stop = new AbortController();
  /** Nobody waits any more for another attempt. */
  readonly #waits = new AbortController();

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** Resolves when it is written down; it is sent after what was handed over before for the same chat. */
  async add(reply: NewReply): Promise<void> {
    await this.#options.outbox.add(reply);
    this.send(reply);
  }

  /** For a reply that is written down already. */
  send(reply: NewReply): void {
    const unknown = readDetails(reply.details).shown === true ? 1 : 0;
    this.#enqueue({ reply, partsSent: 0, processes: 0, attempts: 0, unknown, since: this.#options.clock.now() });
  }

  /** Something is still to be sent to the chat: what is shown there now would stand before it. */
  isBehind(chat: Pick<NewReply, 'platform' | 'chatId'>): boolean {
    const name = chatOf(chat);
    return this.#chats.has(name) || this.#held.has(name) || this.#recovering.has(chat.platform);
  }

  /** Takes up what earlier processes left open for a platform, and what waited for its connection. */
  async recover(platform: string): Promise<void> {
    const running = this.#recovering.get(platform);
    if (running !== undefined) {
      running.more = true;
      return await running.done;
    }
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    const reading = { more: true, done };
    const found = new Map<string, Waiting>();
    this.#recovering.set(platform, reading);
    try {
      while (reading.more) {
        reading.more = false;
        const known = new Set([...this.#active, ...found.keys()]);
        const open = await this.#written(() => this.#options.outbox.claimOpen([platform], known));
        for (const reply of open) {
          found.set(reply.id, { ...waitingFor(reply), ...this.#left.get(reply.id) });
          this.#left.delete(reply.id);
        }
      }
    } finally {
      this.#recovering.delete(platform);
      for (const chat of this.#held) if (chat.startsWith(`${platform}:`)) this.#held.delete(chat);
      for (const waiting of found.values()) this.#enqueue(waiting);
      end();
    }
  }

  /** What waits for a chat that goes by another id now is sent there, and what comes next behind it. */
  move({ platform, from, to }: Pick<ChatMove, 'platform' | 'from' | 'to'>): void {
    const [old, moved] = [`${platform}:${from}`, `${platform}:${to}`];
    const waiting = [this.#chats.get(old), this.#chats.get(moved)].filter((chain) => chain !== undefined);
    if (waiting.length === 0) return;
    const both = Promise.all(waiting).then(() => undefined);
    this.#chats.set(moved, both);
    void both.then(() => {
      if (this.#chats.get(moved) === both) this.#chats.delete(moved);
    });
  }

  /** Resolves when nothing is being sent, or the signal aborts. What has failed is left to the next start. */
  async settled(signal: AbortSignal): Promise<void> {
    this.#waits.abort();
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (this.#chats.size + this.#recovering.size > 0 && !signal.aborted) {
      const read = [...this.#recovering.values()].map(({ done }) => done);
      await Promise.race([Promise.all([...this.#chats.values(), ...read]), stopped]);
    }
  }

  /** What is not sent stays in the outbox. */
  async close(): Promise<void> {
    this.#waits.abort();
    this.#stop.abort();
    await Promise.all(this.#chats.values());
  }

  #enqueue(waiting: Waiting): void {
    const reply = this.#current(waiting.reply);
    if (this.#stop.signal.aborted || this.#active.has(reply.id)) return;
    const chat = chatOf(reply);
    if (this.#recovering.has(reply.platform) || this.#held.has(chat)) return this.#hold({ ...waiting, reply });
    this.#active.add(reply.id);
    const before = this.#chats.get(chat) ?? Promise.resolve();
    const sent = before
      .then(() => this.#attempt({ ...waiting, reply }))
      .catch((error: unknown) => this.#unsent(reply, error));
    this.#chats.set(chat, sent);
    void sent.then(() => {
      if (this.#chats.get(chat) === sent) this.#chats.delete(chat);
    });
  }

  /** It is taken up again when the platform is connected, by the same process: that is no other start. */
  #hold({ reply, processes, attempts }: Waiting): void {
    if (attempts > 0) this.#left.set(reply.id, { processes, attempts });
    this.#active.delete(reply.id);
    this.#held.add(chatOf(reply));
    const reading = this.#recovering.get(reply.platform);
    if (reading !== undefined) reading.more = true;
  }

  #current(reply: NewReply): NewReply {
    return this.#options.current?.(reply) ?? reply;
  }

  /** It stays open in the ledger, and is found again with the next start. */
  #unsent(reply: NewReply, error: unknown): void {
    this.#active.delete(reply.id);
    this.#log.error(`a reply to ${reply.platform} was not sent: ${errorMessage(error)}`, error);
  }

  async #attempt(given: Waiting): Promise<void> {
    // The chat may have got another id while it waited.
    const waiting = { ...given, reply: this.#current(given.reply) };
    const { reply } = waiting;
    const { outbox } = this.#options;
    const connection = this.#options.connection(reply.platform);
    const adapter = connection?.adapter;
    const stopped = this.#stop.signal.aborted || this.#held.has(chatOf(reply));
    if (connection === undefined || adapter === undefined || stopped) return this.#hold({ ...waiting, reply });
    const hopeless = this.#hopeless(waiting, connection);
    if (hopeless !== undefined) return await this.#abandon(waiting, hopeless);
    if (!(await this.#written(() => outbox.begin(reply.id, { again: waiting.attempts > 0 })))) {
      // Somebody else has sent it, or will.
      this.#active.delete(reply.id);
      return;
    }
    const result = await this.#sent(waiting, connection, adapter);
    if (result.ok) {
      await this.#written(() => outbox.delivered(reply.id));
      this.#options.onReach(reply, true);
      this.#active.delete(reply.id);
    } else await this.#failed({ ...waiting, attempts: waiting.attempts + 1 }, result);
  }

  /** An adapter that throws, which none may, has perhaps sent it: that is a failure like any other. */
  async #sent(waiting: Waiting, connection: PlatformConnection, adapter: PlatformAdapter): Promise<SendResult> {
    const { reply } = waiting;
    const { outbox, clock, pause } = this.#options;
    const { platform: facts, config } = connection;
    const repeat = waiting.unknown > 0 || leavesPreview(waiting);
    try {
      return await sendReply(
        {
          reply,
          details: detailsOf(waiting),
          partsSent: waiting.partsSent,
          repeat,
          onlyEdit: waiting.unknown >= maxUnknown,
        },
        {
          adapter,
          facts,
          replyToMode: config.replyToMode,
          clock,
          pause,
          signal: this.#stop.signal,
          onPart: (count) => this.#written(() => outbox.partSent(reply.id, count)),
        },
      );
    } catch (error) {
      this.#log.error(`sending to ${reply.platform} broke off: ${errorMessage(error)}`, error);
      return { ok: false, kind: 'unknown', error: errorMessage(error), mayHaveArrived: true };
    }
  }

  /** Why it must not be tried again. */
  #hopeless(waiting: Waiting, { platform }: PlatformConnection): string | undefined {
    const { partsSent, processes, unknown, since } = waiting;
    // The same edit, or what the platform knows to be the same message, shows nothing twice.
    const harmless = platform.sendsOnce || (partsSent === 0 && detailsOf(waiting).previewId !== undefined);
    if (unknown >= maxUnknown && !harmless) return unknownText;
    if (processes >= (harmless ? maxHarmlessProcesses : maxProcesses)) return `it failed after ${processes} starts`;
    return this.#options.clock.now() - since > maxAgeMs ? 'it is a day old' : undefined;
  }

  async #failed(waiting: Waiting, result: NotSent): Promise<void> {
    const { outbox, clock } = this.#options;
    const { reply, attempts } = waiting;
    // Nothing is known of what was cut off: with the next start it may be a repeat.
    if (this.#stop.signal.aborted) return;
    const lost = result.kind === 'forbidden' || result.kind === 'not_found';
    if (lost) this.#options.onReach(reply, false, result.error);
    const passes = result.kind === 'transient' || result.kind === 'rate_limited';
    const hopeless = result.error === unknownText || (!passes && attempts >= maxAttempts);
    if (lost || hopeless) return await this.#abandon(waiting, result.error, lost);
    const wait = Math.max(result.retryAfterMs ?? 0, Math.min(firstRetryMs * 2 ** (attempts - 1), longestRetryMs));
    const unknown = result.mayHaveArrived === true;
    const failure = { error: result.error, retryAt: clock.now() + wait, unknown };
    await this.#written(() => outbox.failed(reply.id, failure));
    this.#log.warning(
      `a reply to ${reply.platform} did not arrive (${result.error}); again in ${Math.round(wait / 1000)} s`,
    );
    // A chat that is told to be slower, or cannot be reached for the moment, gets its replies in order.
    const holds = passes && !unknown && attempts < maxHeld;
    const again = this.#againAfter(wait, reply, attempts, holds);
    if (holds) await again;
  }

  /** `gone`: the chat takes nothing, so only the owner can be told. */
  async #abandon({ reply, partsSent }: Waiting, error: string, gone = false): Promise<void> {
    const { clock } = this.#options;
    const connection = this.#options.connection(reply.platform);
    const home = connection?.config.homeChannel;
    const { oldPreviewId } = readDetails(reply.details);
    // Parts that were sent anew have taken its place.
    if (oldPreviewId !== undefined && partsSent > 0 && connection?.adapter !== undefined) {
      const to = { chatId: reply.chatId, threadId: reply.threadId };
      await removePreview(to, oldPreviewId, { adapter: connection.adapter, clock, signal: this.#stop.signal });
    }
    const notices = noticesOf(reply, { error, unknown: error === unknownText, gone, home });
    await this.#written(() => this.#options.outbox.abandon(reply.id, error, notices));
    this.#active.delete(reply.id);
    this.#log.error(`a reply to ${reply.platform} was given up: ${error}`);
    for (const notice of notices) this.send(notice);
  }

  /** While the ledger cannot be written (a full disk) its chat waits: what became of a reply must not be forgotten. */
  async #written<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        this.#log.warning(`the ledger of replies could not be written: ${errorMessage(error)}`, error);
        await this.#options.clock.sleep(firstRetryMs, this.#stop.signal);
      }
    }
  }

  /** Tries it again in its place, or behind what has come since if nobody waited. */
  async #againAfter(ms: number, reply: NewReply, attempts: number, holds: boolean): Promise<void> {
    try {
      await this.#options.clock.sleep(ms, this.#waits.signal);
      const found = await this.#options.outbox.get(reply.id);
      if (found?.state !== 'failed') return void this.#active.delete(reply.id);
      const waiting = { ...waitingFor(found), processes: 0, attempts };
      if (holds) return await this.#attempt(waiting);
      this.#active.delete(reply.id);
      this.#enqueue(waiting);
    } catch (error) {
      this.#active.delete(reply.id);
      if (!this.#waits.signal.aborted) this.#log.warning('a reply could not be tried again', error);
    }
  }
}

function chatOf({ platform, chatId }: Pick<NewReply, 'platform' | 'chatId'>): string {
  return `${platform}:${chatId}`;
}
