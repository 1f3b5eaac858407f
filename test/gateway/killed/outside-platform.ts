/** The platform of a chat service that is another process: updates by long polling, each acknowledged by itself. */
import { errorMessage } from '../../../src/lib/errors.ts';
import type { OutgoingText, PlatformAdapter } from '../../../src/gateway/platform/adapter.ts';
import type { AdapterHost } from '../../../src/gateway/platform/adapter-host.ts';
import type { Platform } from '../../../src/gateway/platform/platform.ts';
import type { PlatformConfig } from '../../../src/gateway/platform/platform-config.ts';
import type { SendResult } from '../../../src/gateway/platform/send-result.ts';
import { PlatformError } from '../../../src/gateway/platform/platform-error.ts';
import * as z from 'zod';

export const outsideConfig: PlatformConfig = {
  platform: 'outside',
  enabled: true,
  token: 't',
  apiKey: undefined,
  homeChannel: { chatId: 'home', name: undefined, threadId: null },
  replyToMode: 'all',
  restartNotification: true,
  typingIndicator: false,
  extra: {},
};

const polled = z.object({
  stop: z.boolean(),
  updates: z.array(z.object({ id: z.string(), chat: z.string(), text: z.string() })),
});
const answered = z.object({ id: z.string().exactOptional(), missing: z.boolean().exactOptional() });

type Polled = z.infer<typeof polled>['updates'][number];

/** `onStop`: the service asks for an end in good order. */
export function outsidePlatform(url: string, maxMessageLength: number, onStop: () => void): Platform {
  return {
    name: 'outside',
    label: 'Outside',
    emoji: '🧪',
    maxMessageLength,
    lengthUnit: 'utf16',
    piiSafe: false,
    sendsOnce: false,
    editsKeepTime: true,
    bindsPort: false,
    transportAuthenticated: false,
    commandPrefix: '/',
    hint: '',
    requiredVariables: [],
    allowedUsersVariable: 'OUTSIDE_ALLOWED_USERS',
    allowAllVariable: 'OUTSIDE_ALLOW_ALL_USERS',
    homeVariable: 'OUTSIDE_HOME_CHANNEL',
    setupHint: '',
    readAddress: (text) => ({ chatId: text, threadId: null }),
    read: () => ({ configured: true, extra: {}, problems: [] }),
    create: (host) => new OutsideAdapter(host, url, onStop),
  };
}

class OutsideAdapter implements PlatformAdapter {
  readonly #host: AdapterHost;
  readonly #url: string;
  readonly #onStop: () => void;
  readonly #stop = new AbortController();
  #polling: Promise<void> | undefined;

  readonly edits = {
    edit: (messageId: string, { text, idempotencyKey: key }: Omit<OutgoingText, 'replyTo'>): Promise<SendResult> =>
      this.#put('edit', { id: messageId, text, key }),
    remove: (_to: unknown, messageId: string): Promise<SendResult> => this.#put('remove', { id: messageId }),
  };

  constructor(host: AdapterHost, url: string, onStop: () => void) {
    this.#host = host;
    this.#url = url;
    this.#onStop = onStop;
  }

  async connect(): Promise<void> {
    this.#polling = this.#poll();
    await Promise.resolve();
  }

  async disconnect(): Promise<void> {
    this.#stop.abort();
    await this.#polling;
  }

  chatInfo(chatId: string): Promise<{ name: string; type: string }> {
    return Promise.resolve({ name: chatId, type: 'dm' });
  }

  send({ to, text, replyTo, idempotencyKey: key }: OutgoingText): Promise<SendResult> {
    return this.#put('send', { chat: to.chatId, text, key, ...(replyTo === undefined ? {} : { replyTo }) });
  }

  async #put(way: string, input: object): Promise<SendResult> {
    try {
      const response = await fetch(`${this.#url}/${way}`, { method: 'POST', body: JSON.stringify(input) });
      if (response.status === 429) return { ok: false, kind: 'rate_limited', error: 'too fast', retryAfterMs: 1000 };
      const { id, missing } = answered.parse(await response.json());
      if (missing === true) return { ok: false, kind: 'not_found', error: 'gone' };
      return { ok: true, messageId: id ?? null };
    } catch (error) {
      // The request may have been read before the line was cut.
      return { ok: false, kind: 'transient', error: errorMessage(error), mayHaveArrived: true };
    }
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const response = await fetch(`${this.#url}/poll`, { method: 'POST', body: '{}', signal });
        const { stop, updates } = polled.parse(await response.json());
        if (stop) this.#onStop();
        const chats = Map.groupBy(updates, ({ chat }) => chat);
        await Promise.all([...chats.values()].map((each) => this.#take(each)));
      } catch (error) {
        if (signal.aborted) return;
        this.#host.failed(new PlatformError('outside_cut', errorMessage(error), { retryable: true }));
        return;
      }
    }
  }

  /** One after the other; behind one that could not be written down nothing is taken. */
  async #take(updates: readonly Polled[]): Promise<void> {
    for (const { id, chat, text } of updates) {
      try {
        await this.#host.accept({
          event_id: id,
          source: {
            platform: 'outside',
            chat_id: chat,
            chat_name: null,
            chat_type: 'dm',
            user_id: chat,
            user_name: chat,
            thread_id: null,
            chat_topic: null,
          },
          text,
          message_type: 'text',
          message_id: id,
          timestamp: Date.now(),
          attachments: [],
        });
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return;
      }
      await this.#put('ack', { id });
    }
  }
}
