/** Drives one session: turns one after another, and what has to wait for the running one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnInput } from '../agent/agent.ts';
import type { CompressRequest, Fit } from '../agent/context/engine.ts';
import type { AgentEvent } from '../agent/events.ts';
import { errorMessage, UserError } from '../lib/errors.ts';
import { type Log, noLog } from '../lib/log.ts';
import { type HistoryMessage, textOf } from '../llm/message.ts';
import type { Session } from '../runtime/session.ts';
import type { LeaseHolder } from '../sessions/leases.ts';
import type { QueuedMessage, WorkQueue } from '../sessions/work-queue.ts';
import { ConversationHold, type StoredConversation } from './conversation-hold.ts';
import { EventListeners } from './event-listeners.ts';
import { Inbox } from './inbox.ts';
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
  /** Takes what was to be read in a turn and came too late for it; without it the worker makes it the next turn. */
  readonly onLate?: (input: TurnInput) => void;
}

/** A stopped turn that does not end within this time is left alone, in milliseconds. */
const closingMs = 3000;
const maxNews = 100;

/** See {@link Worker}. */
export class SessionWorker implements Worker {
  readonly session: Session;
  readonly #options: SessionWorkerOptions;
  readonly #inbox: Inbox;
  readonly #hold: ConversationHold;
  readonly #log: Log;
  readonly #listeners: EventListeners<WorkerEvent>;
  /** The turns under way, or a change of the history that no turn may run beside. */
  #running: Promise<void> | undefined;
  /** Ends what runs, and what happens before the agent has the message. */
  #stop = new AbortController();
  /** Grows with each thing that may be done next, so that nothing that comes while the last one ends is forgotten. */
  #arrivals = 0;
  #news: string[] = [];
  /** The last message of the history is to be answered. */
  #answerLast = false;
  #closing: Promise<void> | undefined;
  #settling: (() => void)[] = [];

  constructor(options: SessionWorkerOptions) {
    this.#options = options;
    this.session = options.session;
    this.#log = options.log ?? noLog;
    this.#listeners = new EventListeners(this.#log);
    this.#inbox = new Inbox({
      queue: options.queue,
      sessionId: () => this.session.id,
      onArrived: () => this.#wake(),
      onChanged: (waiting) => this.#emit({ type: 'queue_changed', waiting }),
    });
    this.#hold = new ConversationHold(options.session, options.stored, {
      onLost: (by) => {
        this.interrupt();
        this.#emit({ type: 'held_elsewhere', by });
      },
      quiet: async () => await this.#running,
      onHere: (movedTo) => this.#goOnHere(movedTo),
      onProblem: (error) => this.#warn('the conversation could not be continued', error),
    });
  }

  /** Who else continues the conversation, as long as nothing was chosen that ends it. */
  get heldBy(): LeaseHolder | undefined {
    return this.#hold.by;
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#inbox.arriving;
  }

  listen(listener: (event: WorkerEvent) => void): () => void {
    const end = this.#listeners.add(listener);
    const { by } = this.#hold;
    if (by !== undefined) this.#listeners.tell(listener, { type: 'held_elsewhere', by });
    return end;
  }

  /** Notices before the first message who else continues the conversation; returns whether nobody does. */
  async claim(): Promise<boolean> {
    return await this.#hold.claim();
  }

  async submit(input: TurnInput, mode: BusyMode = 'queue'): Promise<Submitted> {
    this.#requireOpen();
    const { agent } = this.session;
    if (!this.busy) {
      const message = await this.#inbox.push(input);
      return this.#hold.by === undefined ? { as: 'turn' } : { as: 'queued', message };
    }
    if (mode === 'interrupt') {
      agent.interrupt(textOf(input.content));
      return { as: 'interrupting', message: await this.#inbox.pushInterruption(input) };
    }
    const { content, sources } = input;
    if (mode === 'steer' && typeof content === 'string' && agent.steer(content, sources)) return { as: 'steered' };
    return { as: 'queued', message: await this.#inbox.push(input) };
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
    return await this.#inbox.waiting();
  }

  async edit(id: string, text: string): Promise<boolean> {
    return await this.#inbox.edit(id, text);
  }

  async remove(id: string): Promise<boolean> {
    return await this.#inbox.remove(id);
  }

  async replaceHistory(history: readonly HistoryMessage[], { answer = false } = {}): Promise<void> {
    await this.#alone(async () => {
      await this.#replace(history);
      this.#answerLast = answer;
    });
  }

  async compress(request: CompressRequest, signal?: AbortSignal): Promise<Fit> {
    return await this.#alone(async () => {
      await this.#hold.require();
      const { agent } = this.session;
      const from = agent.sessionId;
      const fit = await agent.compress(request, signal);
      if (agent.sessionId !== from) await this.#pass({ type: 'session_moved', from, to: agent.sessionId });
      return fit;
    });
  }

  async choose(choice: LeaseChoice): Promise<void> {
    if (choice === 'wait') this.#hold.wait();
    else if (choice === 'take_over') await this.#hold.takeOver();
    else await this.#refuseWaiting(this.#hold.onlyRead());
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
    this.interrupt();
    await Promise.race([this.#running, sleep(closingMs, undefined, { ref: false })]);
    try {
      await this.#hold.release();
    } catch (error) {
      this.#log.warning('the lease of the conversation was not given back', error);
    }
    this.#settle();
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new UserError('This conversation is closed.');
    if (this.#hold.refusal !== undefined) throw this.#hold.refusal;
  }

  #emit(event: WorkerEvent): void {
    this.#listeners.emit(event);
  }

  #warn(what: string, error: unknown): void {
    this.#log.warning(what, error);
    this.#emit({ type: 'status', kind: 'warning', message: errorMessage(error) });
  }

  #wake(): void {
    this.#arrivals += 1;
    const mayRun = this.#hold.free && this.#closing === undefined;
    if (mayRun && this.#running === undefined) this.#running = this.#runAll();
  }

  async #runAll(): Promise<void> {
    let idle = false;
    try {
      while (this.#closing === undefined) {
        const arrivals = this.#arrivals;
        this.#stop = new AbortController();
        const next = (await this.#hold.claim()) ? await this.#next() : undefined;
        if (next !== undefined) await this.#run(next);
        else if (!this.#hold.free || arrivals === this.#arrivals) break;
      }
      idle = this.#hold.by === undefined;
    } catch (error) {
      this.#warn('the next message could not be taken', error);
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
      const message = { ...this.#inbox.messageOf(last), id: 'last', queuedAt: Date.now() };
      return { message, input: { ...last, stored: true } };
    }
    const message = await this.#inbox.take();
    if (message !== undefined) {
      const { content, sent, kind, sources, platformMessageId } = message;
      const input = {
        content,
        kind,
        ...(sent === undefined ? {} : { sent }),
        ...(platformMessageId === undefined ? {} : { platformMessageId }),
      };
      return { message, input: sources.length === 0 ? input : { ...input, sources } };
    }
    const news = this.#news.splice(0).join('\n');
    if (news === '') return undefined;
    // Nobody can see into what a background process prints.
    const input = { content: news, kind: 'note', sources: [{ from: 'program' }] } as const;
    return { message: { ...this.#inbox.messageOf(input), id: 'news', queuedAt: Date.now() }, input };
  }

  async #run({ message, input }: Work): Promise<void> {
    const { agent } = this.session;
    const { signal } = this.#stop;
    let begun = false;
    let refused = false;
    this.#emit({ type: 'message_taken', message });
    try {
      const prepared = await this.#seen(await this.#prepared(input, signal), signal);
      const [error = 'The message was not sent.', ...more] = prepared.warnings;
      const warnings = prepared.input === undefined ? more : prepared.warnings;
      for (const warning of warnings) this.#emit({ type: 'status', kind: 'warning', message: warning });
      if (prepared.input === undefined) this.#emit({ type: 'message_failed', message, error });
      else {
        begun = true;
        refused = input.stored !== true;
        for await (const event of agent.run(prepared.input, { signal })) {
          if (event.type === 'message_stored' && event.kind === input.kind) refused = false;
          await this.#pass(event);
        }
      }
    } catch (error) {
      if (!begun && this.#closing !== undefined) return await this.#inbox.putBack(message.id);
      const stopped = !begun && signal.aborted;
      this.#emit({ type: 'message_failed', message, error: stopped ? 'Interrupted.' : errorMessage(error) });
    }
    // It waits for what is chosen.
    if (refused && (await this.#isLost())) return await this.#inbox.putBack(message.id);
    await this.#inbox.done(message.id);
    const late = agent.takeLateSteering();
    if (late === undefined) return;
    if (this.#options.onLate === undefined) await this.#inbox.push(late, { first: true });
    else this.#options.onLate(late);
  }

  /** True when the store refuses what is said here, because somebody else has taken the conversation over. */
  async #isLost(): Promise<boolean> {
    try {
      return !(await this.#hold.claim({ certain: true }));
    } catch (error) {
      this.#log.warning('it could not be seen who continues the conversation', error);
      return false;
    }
  }

  /** Changes the conversation while no turn runs; none begins before it is done. Throws `UserError` when one runs. */
  async #alone<T>(change: () => Promise<T>): Promise<T> {
    this.#requireOpen();
    if (this.busy) throw new UserError('A turn is running.', { hint: 'Wait for it, or stop it first: /stop' });
    const changing = change();
    this.#running = changing.then(
      () => undefined,
      // The caller is told.
      () => undefined,
    );
    try {
      return await changing;
    } finally {
      this.#running = undefined;
      this.#wake();
    }
  }

  async #prepared(input: TurnInput, signal: AbortSignal): Promise<Prepared> {
    const asItIs = input.sources !== undefined || input.stored === true;
    if (this.#options.prepare === undefined || asItIs) return { input, warnings: [] };
    const prepared = await this.#options.prepare(this.session, input, signal);
    signal.throwIfAborted();
    return prepared;
  }

  /** With its pictures as the model takes them. */
  async #seen(prepared: Prepared, signal: AbortSignal): Promise<Prepared> {
    const { input } = prepared;
    if (input === undefined || typeof input.content === 'string') return prepared;
    const seen = await this.session.prompt.see(input, signal);
    signal.throwIfAborted();
    return { input: seen.input, warnings: [...prepared.warnings, ...seen.warnings] };
  }

  async #pass(event: AgentEvent): Promise<void> {
    if (event.type === 'session_moved') {
      this.#hold.moved(event.to);
      await this.#inbox.move(event.from, event.to);
    }
    this.#emit(event);
  }

  async #replace(history: readonly HistoryMessage[]): Promise<void> {
    await this.#hold.require();
    const { id, fence } = this.session;
    const { agent } = this.session;
    const store = this.#options.stored?.store;
    if (store !== undefined) {
      const write = fence === undefined ? {} : { fence };
      const stored = await store.messages.list(id);
      const removed = stored[history.length];
      // What goes from the end is taken back and stays in the store; anything else puts other rows in the place of all.
      const isBeginning =
        stored.length === agent.history.length && history.every((message, index) => message === agent.history[index]);
      if (!isBeginning) await store.messages.rewrite(id, history, write);
      else if (removed !== undefined) await store.messages.undoFrom(id, removed.id, write);
    }
    agent.replaceHistory(history);
  }

  async #refuseWaiting(refusal: UserError | undefined): Promise<void> {
    if (refusal === undefined) return;
    for (const message of await this.waiting()) {
      await this.#inbox.remove(message.id);
      this.#emit({ type: 'message_failed', message, error: refusal.message });
    }
    this.#settle();
  }

  async #goOnHere(movedTo: string | undefined): Promise<void> {
    this.#answerLast = false;
    if (movedTo !== undefined) await this.#inbox.move(this.session.id, movedTo);
    this.#emit({ type: 'held_here', ...(movedTo === undefined ? {} : { movedTo }) });
    this.#wake();
  }
}

interface Work {
  readonly message: QueuedMessage;
  readonly input: TurnInput;
}
