/** A chat service in the test's own process: it keeps what it was sent, and delivers again what was not acknowledged. */
import type { AdapterHost } from '../../src/gateway/platform/adapter-host.ts';
import type { OutgoingFile, OutgoingText, PlatformAdapter } from '../../src/gateway/platform/adapter.ts';
import type { MessageEvent } from '../../src/gateway/platform/message-event.ts';
import type { Platform } from '../../src/gateway/platform/platform.ts';
import type { PlatformConfig } from '../../src/gateway/platform/platform-config.ts';
import type { SendResult } from '../../src/gateway/platform/send-result.ts';

/** A message as the chat shows it. */
export interface Shown {
  readonly id: string;
  readonly chatId: string;
  text: string;
  readonly replyTo: string | undefined;
  /** Every text it had. */
  readonly history: string[];
  removed: boolean;
}

export interface FakeOptions {
  readonly edits?: boolean;
  /** With edits: messages can be taken away, too. */
  readonly removes?: boolean;
  readonly buttons?: boolean | 'for anybody';
  /** Files can be sent, and are kept in `files`. */
  readonly files?: boolean;
  readonly facts?: Partial<Platform>;
}

export class ChatService {
  readonly messages: Shown[] = [];
  readonly prompts: { readonly id: string; readonly text: string; readonly options: readonly string[] }[] = [];
  readonly typing: string[] = [];
  readonly files: OutgoingFile[] = [];
  /** What people send, by the reference of an attachment. */
  readonly sent = new Map<string, Uint8Array>();
  readonly platform: Platform;
  readonly config: PlatformConfig = {
    platform: 'fake',
    enabled: true,
    token: 't',
    apiKey: undefined,
    homeChannel: { chatId: 'home', name: undefined, threadId: null },
    replyToMode: 'first',
    restartNotification: true,
    typingIndicator: true,
    extra: {},
  };
  /** What the next sends answer, before they succeed again. */
  readonly failures: SendResult[] = [];
  /** What the next removals answer, before they succeed again. */
  readonly removeFailures: SendResult[] = [];
  /** What all edits answer. */
  editFailure: SendResult | undefined;
  #held: Promise<void> | undefined;
  #thrown: Error | undefined;
  #host: AdapterHost | undefined;
  #count = 0;
  #watchers: (() => void)[] = [];

  constructor({ edits = true, removes = false, buttons = false, files = false, facts = {} }: FakeOptions = {}) {
    this.platform = {
      name: 'fake',
      label: 'Fake',
      emoji: '🧪',
      maxMessageLength: 4096,
      lengthUnit: 'utf16',
      piiSafe: false,
      sendsOnce: false,
      bindsPort: false,
      transportAuthenticated: false,
      commandPrefix: '/',
      hint: '',
      requiredVariables: [],
      allowedUsersVariable: 'FAKE_ALLOWED_USERS',
      allowAllVariable: 'FAKE_ALLOW_ALL_USERS',
      homeVariable: 'FAKE_HOME_CHANNEL',
      setupHint: '',
      ...facts,
      read: () => ({ configured: true, extra: {}, problems: [] }),
      create: (host) => this.#adapter(host, { edits, removes, buttons, files }),
    };
  }

  get host(): AdapterHost {
    if (this.#host === undefined) throw new Error('nobody is connected');
    return this.#host;
  }

  /** The first message is taken when `until` has resolved. */
  holdFirstSend(until: Promise<void>): void {
    this.#held = until;
  }

  /** The adapter breaks with the next message. */
  throwOnce(error: Error): void {
    this.#thrown = error;
  }

  /** Somebody writes; returns what the gateway made of it. */
  async say(text: string, more: Partial<MessageEvent> & { readonly user?: string; readonly chat?: string } = {}) {
    this.#count += 1;
    const { user = 'alice', chat = 'c1', ...event } = more;
    return await this.host.accept({
      event_id: `e${this.#count}`,
      source: {
        platform: 'fake',
        chat_id: chat,
        chat_name: null,
        chat_type: 'dm',
        user_id: user,
        user_name: user,
        thread_id: null,
        chat_topic: null,
      },
      text,
      message_type: 'text',
      message_id: `m${this.#count}`,
      timestamp: Date.now(),
      attachments: [],
      ...event,
    });
  }

  /** The texts of a chat, as they stand. */
  texts(chat = 'c1'): string[] {
    return this.messages.filter(({ chatId, removed }) => chatId === chat && !removed).map(({ text }) => text);
  }

  /** Resolves when the condition holds; looked at after everything that happens here. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => void this.#watchers.push(resolve));
  }

  #remove(messageId: string): Promise<SendResult> {
    const failure = this.removeFailures.shift();
    if (failure !== undefined) return Promise.resolve(failure);
    const message = this.messages.find(({ id }) => id === messageId);
    if (message !== undefined) message.removed = true;
    this.#changed();
    return Promise.resolve({ ok: true, messageId });
  }

  #changed(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }

  #put(message: Pick<OutgoingText, 'to' | 'text' | 'replyTo'>): SendResult {
    const failure = this.failures.shift();
    if (failure !== undefined && !failure.ok) {
      this.#changed();
      return failure;
    }
    this.#count += 1;
    const id = `s${this.#count}`;
    const { to, text, replyTo } = message;
    this.messages.push({ id, chatId: to.chatId, text, replyTo, history: [text], removed: false });
    this.#changed();
    return { ok: true, messageId: id };
  }

  #fetch(reference: string): Promise<AsyncIterable<Uint8Array>> {
    const bytes = this.sent.get(reference);
    if (bytes === undefined) return Promise.reject(new Error('nothing is fetched here'));
    async function* chunks(found: Uint8Array): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(found);
    }
    return Promise.resolve(chunks(bytes));
  }

  #adapter(
    host: AdapterHost,
    { edits, removes, buttons, files }: Required<Omit<FakeOptions, 'facts'>>,
  ): PlatformAdapter {
    return {
      connect: async () => {
        this.#host = host;
        await Promise.resolve();
      },
      disconnect: async () => {
        if (this.#host === host) this.#host = undefined;
        await Promise.resolve();
      },
      send: async (message) => {
        const thrown = this.#thrown;
        this.#thrown = undefined;
        if (thrown !== undefined) throw thrown;
        const held = this.#held;
        this.#held = undefined;
        await held;
        return this.#put(message);
      },
      chatInfo: (chatId) => Promise.resolve({ name: chatId, type: 'dm' }),
      typing: {
        everyMs: 4000,
        show: async ({ chatId }) => {
          this.typing.push(chatId);
          await Promise.resolve();
        },
      },
      ...(edits
        ? {
            edits: {
              edit: (messageId, { text }) => {
                if (this.editFailure !== undefined) return Promise.resolve(this.editFailure);
                const message = this.messages.find(({ id }) => id === messageId);
                if (message === undefined) return Promise.resolve({ ok: false, kind: 'not_found', error: 'gone' });
                message.text = text;
                message.history.push(text);
                this.#changed();
                return Promise.resolve({ ok: true, messageId });
              },
              ...(removes ? { remove: (_to: unknown, messageId: string) => this.#remove(messageId) } : {}),
            },
          }
        : {}),
      ...(files
        ? {
            files: {
              fetch: ({ reference }) => this.#fetch(reference),
              send: (file) => {
                const result = this.#put({ to: file.to, text: `[${file.kind} ${file.name}]` });
                if (result.ok) this.files.push(file);
                return Promise.resolve(result);
              },
            },
          }
        : {}),
      ...(buttons
        ? {
            prompts: {
              maxOptions: 8,
              anybody: buttons === 'for anybody',
              show: (prompt) => {
                this.prompts.push({ id: prompt.id, text: prompt.text, options: prompt.options.map(({ id }) => id) });
                return Promise.resolve(this.#put(prompt));
              },
              close: async (_prompt, messageId, outcome) => {
                const message = this.messages.find(({ id }) => id === messageId);
                if (message !== undefined) message.text = outcome;
                this.#changed();
                await Promise.resolve();
              },
            },
          }
        : {}),
    };
  }
}
