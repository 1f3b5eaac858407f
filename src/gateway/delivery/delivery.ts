/** Sends what stands in the outbox: in order for each chat, again after a failure, once however often the process dies. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { NewReply, Outbox, Reply } from '../../sessions/chat-inbox.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { NotSent } from '../platform/send-result.ts';
import { readDetails } from './reply-details.ts';
import { sendReply } from './send-reply.ts';

export interface DeliveryOptions {
  readonly outbox: Outbox;
  readonly clock: AdapterClock;
  readonly log: Log;
  connection(platform: string): PlatformConnection | undefined;
  /** It will not be sent: somebody has to know. */
  onAbandoned(reply: NewReply, error: string): void;
  /** The chat takes nothing from us, or takes it again. */
  onReach(reply: Pick<NewReply, 'platform' | 'chatId'>, reached: boolean, error?: string): void;
}

interface Waiting {
  readonly reply: NewReply;
  readonly partsSent: number;
  readonly attempts: number;
  /** An earlier attempt may have arrived. */
  readonly repeat: boolean;
}

const maxAttempts = 3;
const firstRetryMs = 30_000;
const mayHaveArrived = 'may have arrived: ';

export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #log: Log;
  readonly #chats = new Map<string, Promise<void>>();
  /** Replies that this process works on. */
  readonly #active = new Set<string>();
  readonly #stop = new AbortController();

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
    this.#enqueue({ reply, partsSent: 0, attempts: 0, repeat: false });
  }

  /** Takes up what earlier processes left open for a platform, and what waited for its connection. */
  async recover(platform: string): Promise<void> {
    for (const reply of await this.#options.outbox.claimOpen([platform])) {
      if (this.#active.has(reply.id)) continue;
      if (reply.state === 'abandoned') this.#abandoned(reply, reply.lastError ?? 'it was tried three times');
      else this.#recovered(reply);
    }
  }

  /** Resolves when nothing is being sent, or the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (this.#chats.size > 0 && !signal.aborted) {
      await Promise.race([Promise.all(this.#chats.values()), stopped]);
    }
  }

  /** What is not sent stays in the outbox. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#chats.values());
  }

  #recovered(reply: Reply): void {
    const repeat = reply.state === 'attempting' || reply.lastError?.startsWith(mayHaveArrived) === true;
    this.#enqueue({ reply, partsSent: reply.partsSent, attempts: reply.attempts, repeat });
  }

  #enqueue(waiting: Waiting): void {
    const { reply } = waiting;
    if (this.#stop.signal.aborted || this.#active.has(reply.id)) return;
    this.#active.add(reply.id);
    const chat = `${reply.platform}:${reply.chatId}`;
    const before = this.#chats.get(chat) ?? Promise.resolve();
    const sent = before.then(() => this.#attempt(waiting)).catch((error: unknown) => this.#unsent(reply, error));
    this.#chats.set(chat, sent);
    void sent.then(() => {
      if (this.#chats.get(chat) === sent) this.#chats.delete(chat);
    });
  }

  /** It stays open in the ledger, and is found again with the next start. */
  #unsent(reply: NewReply, error: unknown): void {
    this.#active.delete(reply.id);
    this.#log.error(`a reply to ${reply.platform} was not sent: ${errorMessage(error)}`, error);
  }

  async #attempt(waiting: Waiting): Promise<void> {
    const { reply } = waiting;
    const { outbox, clock } = this.#options;
    const connection = this.#options.connection(reply.platform);
    const adapter = connection?.adapter;
    if (connection === undefined || adapter === undefined || this.#stop.signal.aborted) {
      // It is taken up again when the platform is connected.
      this.#active.delete(reply.id);
      return;
    }
    if (!(await this.#written(() => outbox.begin(reply.id)))) {
      // Somebody else has sent it, or will.
      this.#active.delete(reply.id);
      return;
    }
    const result = await sendReply(
      { reply, details: readDetails(reply.details), partsSent: waiting.partsSent, repeat: waiting.repeat },
      {
        adapter,
        facts: connection.platform,
        replyToMode: connection.config.replyToMode,
        clock,
        signal: this.#stop.signal,
        onPart: (count) => this.#written(() => outbox.partSent(reply.id, count)),
      },
    );
    if (result.ok) {
      await this.#written(() => outbox.delivered(reply.id));
      this.#options.onReach(reply, true);
      this.#active.delete(reply.id);
    } else await this.#failed(waiting, result);
  }

  async #failed({ reply, attempts }: Waiting, result: NotSent): Promise<void> {
    const { outbox, clock } = this.#options;
    // Nothing is known of what was cut off: with the next start it may be a repeat.
    if (this.#stop.signal.aborted) return;
    const tried = attempts + 1;
    const lost = result.kind === 'forbidden' || result.kind === 'not_found';
    const wait = Math.max(result.retryAfterMs ?? 0, firstRetryMs * 2 ** (tried - 1));
    const again = !lost && tried < maxAttempts;
    const error = result.mayHaveArrived === true ? `${mayHaveArrived}${result.error}` : result.error;
    await this.#written(() => outbox.failed(reply.id, error.slice(0, 500), again ? clock.now() + wait : null));
    if (lost) this.#options.onReach(reply, false, result.error);
    if (!again) return this.#abandoned(reply, result.error);
    this.#log.warning(
      `a reply to ${reply.platform} did not arrive (${result.error}); again in ${Math.round(wait / 1000)} s`,
    );
    void this.#againAfter(wait, reply.id);
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

  async #againAfter(ms: number, id: string): Promise<void> {
    try {
      await this.#options.clock.sleep(ms, this.#stop.signal);
      this.#active.delete(id);
      const reply = await this.#options.outbox.get(id);
      if (reply?.state === 'failed') this.#recovered(reply);
    } catch (error) {
      this.#active.delete(id);
      if (!this.#stop.signal.aborted) this.#log.warning('a reply could not be tried again', error);
    }
  }

  #abandoned(reply: NewReply, error: string): void {
    this.#active.delete(reply.id);
    this.#log.error(`a reply to ${reply.platform} was given up: ${error}`);
    this.#options.onAbandoned(reply, error);
  }
}
