/** Drives one session: turns one after another, and what has to wait for the running one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnInput } from '../agent/agent.ts';
import type { AgentEvent } from '../agent/events.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import { type Log, noLog } from '../lib/log.ts';
import { type Content, type HistoryMessage, textOf } from '../llm/message.ts';
import type { Session } from '../runtime/session.ts';
import type { LeaseHolder } from '../sessions/leases.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { PushOptions, QueuedMessage, WorkQueue } from '../sessions/work-queue.ts';
import { EventListeners } from './event-listeners.ts';
import { describeHolder, readOnlyHere } from './lease-words.ts';
import type { SessionLease } from './session-lease.ts';
import type { BusyMode, LeaseChoice, Submitted, Worker, WorkerEvent } from './worker.ts';

/** A typed message as it goes to the agent. */
export interface Prepared {
  /** Undefined when it must not be sent; the first warning says why. */
  readonly input: TurnInput | undefined;
  /** Lines for the person; the worker tells them. */
  readonly warnings: readonly string[];
}

export interface SessionWorkerOptions {
  readonly session: Session;
  readonly queue: WorkQueue;
  /** Absent: the conversation is not stored, so nobody else can continue it. */
  readonly stored?: StoredConversation;
  /**
   * Asked for what a person typed, when its turn begins: brings in what the text refers to. Rejects when `signal` aborts;
   * whatever it throws is the end of the message, and is told.
   */
  prepare?(session: Session, input: TurnInput, signal: AbortSignal): Promise<Prepared>;
  readonly log?: Log;
}

export interface StoredConversation {
  readonly store: Pick<SessionStore, 'sessions' | 'messages'>;
  readonly lease: SessionLease;
}

/** A stopped turn that does not end within this time is left alone, in milliseconds. */
const closingMs = 3000;
const maxNews = 100;

/** See {@link Worker}. */
export class SessionWorker implements Worker {
  readonly session: Session;
  readonly #options: SessionWorkerOptions;
  readonly #queue: WorkQueue;
  readonly #log: Log;
  readonly #listeners: EventListeners<WorkerEvent>;
  /** The turns under way, or a change of the history that no turn may run beside. */
  #running: Promise<void> | undefined;
  /** Ends what runs, and what happens before the agent has the message. */
  #stop = new AbortController();
  /** Changes with each thing that may be done next, so that nothing that comes while the last one ends is forgotten. */
  #arrivals = 0;
  #pushing = Promise.resolve();
  #pushes = 0;
  /** What was typed to interrupt the running turn, as long as it waits. */
  #interruption: QueuedMessage | undefined;
  #news: string[] = [];
  /** The last message of the history is to be answered. */
  #answerLast = false;
  #held: LeaseHolder | undefined;
  #claimed = false;
  #refusal: UserError | undefined;
  #polling: AbortController | undefined;
  #closing: Promise<void> | undefined;
  #settling: (() => void)[] = [];

  constructor(options: SessionWorkerOptions) {
    this.#options = options;
    this.session = options.session;
    this.#queue = options.queue;
    this.#log = options.log ?? noLog;
    this.#listeners = new EventListeners(this.#log);
    options.stored?.lease.onLost((by) => this.#lose(by));
  }

  /** Who else continues the conversation, as long as nothing was chosen that ends it. */
  get heldBy(): LeaseHolder | undefined {
    return this.#held;
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#pushes > 0;
  }

  listen(listener: (event: WorkerEvent) => void): () => void {
    const end = this.#listeners.add(listener);
    if (this.#held !== undefined) this.#listeners.tell(listener, { type: 'held_elsewhere', by: this.#held });
    return end;
  }

  /** Notices before the first message who else continues the conversation; returns whether nobody does. */
  async claim(): Promise<boolean> {
    const { stored } = this.#options;
    if (this.#held !== undefined || this.#refusal !== undefined) return false;
    if (stored === undefined) return true;
    const claim = await stored.lease.claim(this.session.id);
    if (claim !== 'taken' && claim !== 'kept') {
      this.#lose(claim);
      return false;
    }
    this.session.fence = stored.lease.fence;
    if (claim === 'taken' && this.#claimed) await this.#goOnHere(stored);
    this.#claimed = true;
    return !this.#isReadOnly;
  }

  async submit(input: TurnInput, mode: BusyMode = 'queue'): Promise<Submitted> {
    this.#requireOpen();
    const { agent } = this.session;
    if (!this.busy) {
      const message = await this.#push(input);
      return this.#held === undefined ? { as: 'turn' } : { as: 'queued', message };
    }
    if (mode === 'interrupt') {
      agent.interrupt(textOf(input.content));
      return { as: 'interrupting', message: await this.#pushInterruption(input) };
    }
    if (mode === 'steer' && typeof input.content === 'string' && agent.steer(input.content)) return { as: 'steered' };
    return { as: 'queued', message: await this.#push(input) };
  }

  tell(news: string): void {
    this.#news.push(news);
    if (this.#news.length > maxNews) this.#news.shift();
    this.#wake();
  }

  interrupt(): void {
    this.#stop.abort();
    this.session.agent.interrupt();
  }

  async waiting(): Promise<readonly QueuedMessage[]> {
    return await this.#queue.waiting(this.session.id);
  }

  async edit(id: string, text: string): Promise<boolean> {
    if (this.#interruption?.id === id) this.#interruption = undefined;
    return await this.#change(this.#queue.edit(id, text));
  }

  async remove(id: string): Promise<boolean> {
    return await this.#change(this.#queue.remove(id));
  }

  async replaceHistory(history: readonly HistoryMessage[], { answer = false } = {}): Promise<void> {
    this.#requireOpen();
    if (this.busy) throw new UserError('A turn is running.', { hint: 'Wait for it, or stop it first: /stop' });
    const replacing = this.#replace(history);
    this.#running = replacing.then(
      () => undefined,
      // The caller is told.
      () => undefined,
    );
    try {
      await replacing;
      this.#answerLast = answer;
    } finally {
      this.#running = undefined;
      this.#wake();
    }
  }

  async choose(choice: LeaseChoice): Promise<void> {
    const { stored } = this.#options;
    const by = this.#held;
    if (stored === undefined || by === undefined) return;
    this.#polling?.abort();
    if (choice === 'read') return await this.#onlyRead(by);
    this.#refusal = undefined;
    if (choice === 'wait') {
      this.#polling = new AbortController();
      void this.#waitForLease(stored, this.#polling.signal);
      return;
    }
    await stored.lease.takeOver(await this.#liveId(stored));
    await this.#goOnHere(stored);
  }

  async settled(): Promise<void> {
    if (this.#closing !== undefined) return await this.#closing;
    if (!this.busy && (await this.waiting()).length === 0) return;
    await new Promise<void>((resolve) => void this.#settling.push(resolve));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#polling?.abort();
    this.interrupt();
    await Promise.race([this.#running, sleep(closingMs, undefined, { ref: false })]);
    try {
      await this.#options.stored?.lease.release();
    } catch (error) {
      this.#log.warning('the lease of the conversation was not given back', error);
    }
    this.#settle();
  }

  get #isReadOnly(): boolean {
    return this.#refusal !== undefined;
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new UserError('This conversation is closed.');
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Messages are put into the queue in the order in which they came. */
  async #inOrder<T>(push: () => Promise<T>): Promise<T> {
    this.#pushes += 1;
    const pushed = this.#pushing.then(push);
    this.#pushing = pushed.then(
      () => undefined,
      // Whoever handed the message over is told.
      () => undefined,
    );
    try {
      return await pushed;
    } finally {
      this.#pushes -= 1;
      this.#wake();
      await this.#queueChanged();
    }
  }

  async #push(input: TurnInput, options?: PushOptions): Promise<QueuedMessage> {
    return await this.#inOrder(() => this.#queue.push(this.#queued(input), options));
  }

  /** What people type to interrupt a turn is one message. */
  async #pushInterruption(input: TurnInput): Promise<QueuedMessage> {
    return await this.#inOrder(async () => {
      const said = this.#interruption;
      if (said !== undefined && input.sources === undefined) {
        const content = joined(said.content, input.content);
        if (await this.#queue.edit(said.id, content)) {
          this.#interruption = { ...said, content };
          return this.#interruption;
        }
      }
      const message = await this.#queue.push(this.#queued(input), { first: true });
      this.#interruption = input.sources === undefined ? message : undefined;
      return message;
    });
  }

  #queued({ content, kind = 'said', sources = [] }: TurnInput): Omit<QueuedMessage, 'id' | 'queuedAt'> {
    return { sessionId: this.session.id, content, kind, sources };
  }

  async #change(change: Promise<boolean>): Promise<boolean> {
    const changed = await change;
    if (changed) await this.#queueChanged();
    return changed;
  }

  async #queueChanged(): Promise<void> {
    this.#emit({ type: 'queue_changed', waiting: await this.waiting() });
  }

  #emit(event: WorkerEvent): void {
    this.#listeners.emit(event);
  }

  #wake(): void {
    this.#arrivals += 1;
    const stays = this.#held !== undefined || this.#refusal !== undefined || this.#closing !== undefined;
    if (!stays && this.#running === undefined) this.#running = this.#runAll();
  }

  async #runAll(): Promise<void> {
    let idle = false;
    try {
      while (this.#closing === undefined) {
        const arrivals = this.#arrivals;
        this.#stop = new AbortController();
        const next = (await this.claim()) ? await this.#next() : undefined;
        if (next !== undefined) await this.#run(next);
        else if (this.#held !== undefined || arrivals === this.#arrivals) break;
      }
      idle = this.#held === undefined;
    } catch (error) {
      this.#log.error('the next message could not be taken', error);
      this.#emit({ type: 'status', kind: 'warning', message: errorMessage(error) });
    } finally {
      this.#running = undefined;
    }
    if (!idle || this.#closing !== undefined) return;
    this.#emit({ type: 'idle' });
    this.#settle();
  }

  #settle(): void {
    for (const resolve of this.#settling.splice(0)) resolve();
  }

  /** What people said comes before news. */
  async #next(): Promise<Work | undefined> {
    const last = this.#answerLast ? this.session.agent.history.at(-1) : undefined;
    this.#answerLast = false;
    if (last?.role === 'user') {
      const message = { ...this.#queued(last), id: 'last', queuedAt: Date.now() };
      return { message, input: { ...last, stored: true } };
    }
    const message = await this.#queue.take(this.session.id);
    if (message !== undefined) {
      if (message.id === this.#interruption?.id) this.#interruption = undefined;
      await this.#queueChanged();
      const { content, kind, sources } = message;
      return { message, input: { content, kind, ...(sources.length === 0 ? {} : { sources }) } };
    }
    const news = this.#news.splice(0).join('\n');
    if (news === '') return undefined;
    // Nobody can see into what a background process prints.
    const input = { content: news, kind: 'note', sources: [{ from: 'program' }] } as const;
    return { message: { ...this.#queued(input), id: 'news', queuedAt: Date.now() }, input };
  }

  async #run({ message, input }: Work): Promise<void> {
    const { agent } = this.session;
    const { signal } = this.#stop;
    let begun = false;
    this.#emit({ type: 'message_taken', message });
    try {
      const prepared = await this.#prepared(input, signal);
      const [error = 'The message was not sent.', ...more] = prepared.warnings;
      const warnings = prepared.input === undefined ? more : prepared.warnings;
      for (const warning of warnings) this.#emit({ type: 'status', kind: 'warning', message: warning });
      if (prepared.input === undefined) this.#emit({ type: 'message_failed', message, error });
      else {
        begun = true;
        for await (const event of agent.run(prepared.input, { signal })) await this.#pass(event);
      }
    } catch (error) {
      if (!begun && this.#closing !== undefined) return await this.#queue.putBack(message.id);
      const stopped = !begun && signal.aborted;
      this.#emit({ type: 'message_failed', message, error: stopped ? 'Interrupted.' : errorMessage(error) });
    }
    await this.#queue.done(message.id);
    const late = agent.takeLateSteering();
    if (late !== undefined) await this.#push({ content: late }, { first: true });
  }

  async #prepared(input: TurnInput, signal: AbortSignal): Promise<Prepared> {
    const { prepare } = this.#options;
    const asItIs = input.sources !== undefined || input.stored === true;
    if (prepare === undefined || asItIs) return { input, warnings: [] };
    const prepared = await prepare(this.session, input, signal);
    signal.throwIfAborted();
    return prepared;
  }

  async #pass(event: AgentEvent): Promise<void> {
    if (event.type === 'session_moved') {
      this.#options.stored?.lease.moved(event.to);
      await this.#queue.move(event.from, event.to);
    }
    this.#emit(event);
  }

  async #replace(history: readonly HistoryMessage[]): Promise<void> {
    const { stored } = this.#options;
    if (!(await this.claim())) throw this.#refusal ?? new UserError(describeHolder(this.#held));
    const { id, fence } = this.session;
    await stored?.store.messages.rewrite(id, history, fence === undefined ? {} : { fence });
    this.session.agent.replaceHistory(history);
  }

  /**
   * Somebody else continues it: what they say is not in this history, so nothing more is said here. Writes keep the fence
   * of the lost lease, and the store refuses them.
   */
  #lose(by: LeaseHolder): void {
    this.#held = by;
    this.interrupt();
    this.#emit({ type: 'held_elsewhere', by });
  }

  async #onlyRead(by: LeaseHolder): Promise<void> {
    this.#refusal = readOnlyHere(by);
    for (const message of await this.waiting()) {
      await this.#queue.remove(message.id);
      this.#emit({ type: 'message_failed', message, error: this.#refusal.message });
    }
    this.#settle();
  }

  async #waitForLease(stored: StoredConversation, signal: AbortSignal): Promise<void> {
    try {
      await stored.lease.wait(() => this.#liveId(stored), signal);
      await this.#goOnHere(stored);
    } catch (error) {
      if (signal.aborted) return;
      this.#log.warning('waiting for the conversation ended', error);
      this.#emit({ type: 'status', kind: 'warning', message: errorMessage(error) });
    }
  }

  /** The lease is here: goes on from what was said elsewhere. */
  async #goOnHere(stored: StoredConversation): Promise<void> {
    const { session } = this;
    const id = await this.#liveId(stored);
    if (id !== session.id) {
      stored.lease.forget();
      this.#refusal = new UserError('This conversation went on under another id.', { hint: `/resume ${id}` });
      await this.#queue.move(session.id, id);
      this.#emit({ type: 'held_here', movedTo: id });
      return;
    }
    if (this.#held !== undefined) await this.#running;
    this.#answerLast = false;
    session.fence = stored.lease.fence;
    session.agent.replaceHistory(await stored.store.messages.conversation(id));
    if (this.#held === undefined) return;
    this.#held = undefined;
    this.#emit({ type: 'held_here' });
    this.#wake();
  }

  /** The id under which the conversation goes on: a compaction elsewhere gives it another one. */
  async #liveId({ store }: StoredConversation): Promise<string> {
    return (await store.sessions.resolve(this.session.id))?.id ?? this.session.id;
  }
}

interface Work {
  readonly message: QueuedMessage;
  readonly input: TurnInput;
}

function joined(first: Content, second: Content): Content {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: Content) {
  return typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
}
