/** What people said to one session and is not answered yet. */
import type { TurnInput } from '../agent/agent.ts';
import type { Content } from '../llm/message.ts';
import type { NewMessage, PushOptions, QueuedMessage, WorkQueue } from '../sessions/work-queue.ts';

export interface InboxOptions {
  readonly queue: WorkQueue;
  /** That of the session now. */
  sessionId(): string;
  /** A message came. Called before `onChanged`. */
  onArrived(): void;
  onChanged(waiting: readonly QueuedMessage[]): void;
}

/** Messages are put into the queue in the order in which they came. */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #queue: WorkQueue;
  #last: Promise<void> = Promise.resolve();
  #arriving = 0;
  /** What was typed to interrupt the running turn, as long as it waits. */
  #interruption: QueuedMessage | undefined;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#queue = options.queue;
  }

  /** True while a message is on its way into the queue. */
  get arriving(): boolean {
    return this.#arriving > 0;
  }

  async push(input: TurnInput, options?: PushOptions): Promise<QueuedMessage> {
    return await this.#inOrder(() => this.#queue.push(this.messageOf(input), options));
  }

  /** What people type to interrupt a turn is one message, and comes before what waits. */
  async pushInterruption(input: TurnInput): Promise<QueuedMessage> {
    return await this.#inOrder(async () => {
      const said = this.#interruption;
      if (said !== undefined && input.sources === undefined) {
        const content = joined(said.content, input.content);
        if (await this.#queue.edit(said.id, content)) {
          this.#interruption = { ...said, content };
          return this.#interruption;
        }
      }
      const message = await this.#queue.push(this.messageOf(input), { first: true });
      this.#interruption = input.sources === undefined ? message : undefined;
      return message;
    });
  }

  messageOf({ content, sent, kind = 'said', sources = [], platformMessageId, shown }: TurnInput): NewMessage {
    return {
      sessionId: this.#options.sessionId(),
      content,
      ...(sent === undefined ? {} : { sent }),
      kind,
      sources,
      ...(platformMessageId === undefined ? {} : { platformMessageId }),
      ...(shown === true ? { shown } : {}),
    };
  }

  /** The next one; it is answered or put back from then on. */
  async take(): Promise<QueuedMessage | undefined> {
    const message = await this.#queue.take(this.#options.sessionId());
    if (message === undefined) return undefined;
    if (message.id === this.#interruption?.id) this.#interruption = undefined;
    await this.#changed();
    return message;
  }

  async done(id: string): Promise<void> {
    await this.#queue.done(id);
  }

  async putBack(id: string): Promise<void> {
    await this.#queue.putBack(id);
  }

  async waiting(): Promise<readonly QueuedMessage[]> {
    return await this.#queue.waiting(this.#options.sessionId());
  }

  async edit(id: string, text: string): Promise<boolean> {
    if (this.#interruption?.id === id) this.#interruption = undefined;
    const edited = await this.#queue.edit(id, text);
    if (edited) await this.#changed();
    return edited;
  }

  async remove(id: string): Promise<boolean> {
    const removed = await this.#queue.remove(id);
    if (removed) await this.#changed();
    return removed;
  }

  async move(from: string, to: string): Promise<void> {
    await this.#queue.move(from, to);
  }

  async #inOrder(push: () => Promise<QueuedMessage>): Promise<QueuedMessage> {
    this.#arriving += 1;
    const pushed = this.#last.then(push);
    this.#last = pushed.then(
      () => undefined,
      // Whoever handed the message over is told.
      () => undefined,
    );
    try {
      return await pushed;
    } finally {
      this.#arriving -= 1;
      this.#options.onArrived();
      await this.#changed();
    }
  }

  async #changed(): Promise<void> {
    this.#options.onChanged(await this.waiting());
  }
}

function joined(first: Content, second: Content): Content {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: Content) {
  return typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
}
