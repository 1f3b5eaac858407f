/** One chat: its messages in the order in which they came, one turn at a time. */
import { errorMessage } from '../../lib/errors.ts';
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { BeforeTurn } from './before-turn.ts';
import { BesideQueue } from './beside-queue.ts';
import { BusyMessages } from './busy-messages.ts';
import type { AskedInput, ChatDeps, HookedTurn, OpenChat } from './chat-deps.ts';
import { CarriedMessages } from './carried-messages.ts';
import { ChatHuman } from './chat-human.ts';
import { ChatRows, idsOf } from './chat-rows.ts';
import { ChatSession } from './chat-session.ts';
import { gather, isCommand, joined, namesOf, readWaiting } from './gather.ts';
import { OwnMessages } from './own-messages.ts';
import { answerText } from './replies.ts';
import { goOn, settleInterrupted, steeredInto } from './resume-turn.ts';
import { type EndedTurn, runTurn, type TurnToRun } from './run-turn.ts';
import { type ReceivedFile, turnInput } from './turn-input.ts';
import { tellUnknown } from './unknown-calls.ts';

/** A message that waited longer than this is not answered any more, but its sender is told. */
const oldestMs = 24 * 3_600_000;
const maxObserved = 50;
const expiredText =
  'Your message waited for more than a day while I was away, so I did not start on it. Please send it again if it still matters.';

/** After what could not be written down. */
const troubleMs = 30_000;

export class Chat implements OpenChat {
  readonly sessionKey: string;
  readonly #deps: ChatDeps;
  readonly #rows: ChatRows;
  readonly #beside: BesideQueue;
  readonly #busyMessages: BusyMessages;
  readonly #carried: CarriedMessages;
  readonly #own: OwnMessages;
  readonly #session: ChatSession;
  readonly #before: BeforeTurn;
  #running: Promise<void> | undefined;
  #arrivals = 0;
  /** The message whose turn runs. */
  #current: MessageEvent | undefined;
  /** Where news of background work goes. */
  #last: MessageEvent | undefined;
  /** The newest one that somebody said: whose work goes on in the background. */
  #person: MessageEvent | undefined;
  #observed: MessageEvent[] = [];
  /** Ends what is done for the message before its turn begins. */
  #preparing = new AbortController();
  #closing = false;
  readonly #leaving: Promise<void> | undefined;
  usedAt: number;

  /** `leaving`: the same chat as it was before is still being closed. */
  constructor(sessionKey: string, deps: ChatDeps, leaving?: Promise<void>) {
    this.sessionKey = sessionKey;
    this.#deps = deps;
    this.#leaving = leaving;
    this.#rows = new ChatRows(sessionKey, deps);
    this.#beside = new BesideQueue(sessionKey, deps, this.#rows);
    this.#busyMessages = new BusyMessages(sessionKey, deps);
    this.#carried = new CarriedMessages(deps, this.#rows);
    this.#before = new BeforeTurn(sessionKey, deps);
    this.#own = new OwnMessages(sessionKey, deps, {
      last: () => this.#last,
      session: () => this.worker?.session,
      wake: () => this.#wake(),
    });
    this.usedAt = deps.clock.now();
    const { settings, place } = deps;
    const asking = (current: () => MessageEvent | undefined): ChatHuman =>
      new ChatHuman({
        sessionKey,
        desk: deps.desk,
        approvalMs: settings.approvalSeconds * 1000,
        clarifyMs: settings.clarifySeconds * 1000,
        current,
      });
    this.#session = new ChatSession({
      sessionKey,
      program: deps.program,
      routing: deps.routing,
      elsewhere: deps.elsewhere,
      human: asking(() => this.#current),
      later: asking(() => this.#person),
      context: (event) => place.context(event),
      say: (event, text) => place.say(event, text),
      owner: (event) => (place.isShared(event.source) ? null : event.source.user_id),
      notify: ({ kind, line }) => {
        if (kind === 'learned' && this.#current !== undefined) void place.say(this.#current, `💾 ${line}`);
      },
      titled: (title, sessionId) => void deps.topics.named(sessionId, title),
      onResults: () => this.#own.bringResults(),
      onNews: (news) => void this.#own.remember(news.join('\n'), { internal: true }),
      onLate: (text) => void this.#own.remember(text, { internal: false }),
    });
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Nothing is in hand, neither in the queue nor beside it. */
  get rests(): boolean {
    return !this.busy && this.#beside.isEmpty;
  }

  get answering(): boolean {
    return this.#current !== undefined;
  }

  get worker(): SessionWorker | undefined {
    return this.#session.worker;
  }

  /** What was started in it still runs, and would end with it. */
  get hasProcesses(): boolean {
    const background = this.worker?.session.background;
    return background !== undefined && (background.count > 0 || background.agents.list().length > 0);
  }

  /** A message of this chat is in the inbox; undefined: one may be. Returns at once. */
  arrived(event: MessageEvent | undefined): void {
    this.usedAt = this.#deps.clock.now();
    if (event !== undefined) this.#beside.giveBack(event);
    if (event !== undefined && this.#current !== undefined) {
      this.#busyMessages
        .came(event, this.#session.worker)
        .catch((error: unknown) => {
          this.#deps.log.warning('what a message does to the running turn could not be told', error);
        })
        // It may wait again: the turn ended before it could be read.
        .finally(() => this.#wake());
    }
    this.#wake();
  }

  take(event: MessageEvent, then: 'ends' | 'waits' = 'ends'): void {
    this.#beside.take(event, then);
  }

  /** It was taken, so that it must not run again from the queue. */
  hasTaken(event: MessageEvent): boolean {
    return this.#beside.has(event);
  }

  /** The message is dealt with without a turn: a command that ran at once, the answer to a question. */
  async handled(event: MessageEvent, error?: unknown): Promise<void> {
    await this.#beside.end(event, error);
    this.#wake();
  }

  /** Takes up what an earlier process left; `running` were in a turn when it died. Returns at once. */
  recover(running: readonly ChatMessage[]): void {
    this.#run(running);
  }

  async stop(): Promise<boolean> {
    const waiting = this.#beside.free(await this.#deps.inbox.waiting(this.sessionKey));
    const turn = this.#current !== undefined;
    // Nothing follows that could be for both.
    this.#busyMessages.takeInterruption();
    this.#session.worker?.interrupt();
    const dropped = [...this.#busyMessages.takeUnread(), ...this.#carried.take(), ...waiting];
    await this.#rows.drop(dropped);
    // Behind that: what is given up here must not be found waiting.
    this.#preparing.abort();
    const asked = this.#deps.desk.withdraw(this.sessionKey);
    return turn || asked || dropped.length > 0;
  }

  async say(event: MessageEvent, text: string): Promise<void> {
    await this.#deps.place.say(event, text);
  }

  async ask(event: MessageEvent, asked: AskedInput): Promise<void> {
    await this.#own.ask(event, asked);
  }

  async reset(event: MessageEvent, reason: string): Promise<string> {
    const { routing, hooks, program } = this.#deps;
    const before = (await routing.get(this.sessionKey))?.session_id;
    await this.#session.close(reason);
    const { session_id: id } = await routing.reset(this.sessionKey, event.source);
    const ids = { old_session_id: before ?? null, new_session_id: id };
    const change = { platform: event.source.platform, reason: 'new_session', ...ids };
    // Not waited for: a command is answered at once, whoever listens.
    void program.hooks
      .call('on_session_finalize', () => ({ session_id: before ?? null, ...change }))
      .then(() => {
        hooks.sessionReset(event, this.sessionKey);
        return program.hooks.call('on_session_reset', () => ({ session_id: id, ...change }));
      });
    return id;
  }

  async resume(session: SessionRow, reason: string): Promise<void> {
    await this.#session.close(reason);
    await this.#deps.routing.change(this.sessionKey, { session_id: session.id });
  }

  async open(event: MessageEvent): Promise<SessionWorker> {
    await this.#leaving;
    return (await this.#session.open(event)).worker;
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Interrupts what runs; its messages stay in the inbox as running, and the next start takes them up. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#preparing.abort();
    await this.#session.close('agent_close');
    await this.#own.settled();
    await this.#running;
  }

  #wake(): void {
    this.#arrivals += 1;
    if (this.#running !== undefined || this.#closing || this.#deps.stopping.aborted) return;
    this.#run([]);
  }

  #run(begun: readonly ChatMessage[]): void {
    this.#running = this.#runAll(begun).finally(() => {
      this.#running = undefined;
    });
  }

  /** `begun`: a turn that was cut off had begun with these. */
  async #runAll(begun: readonly ChatMessage[]): Promise<void> {
    await this.#leaving;
    let open = begun;
    while (!this.#closing && !this.#deps.stopping.aborted) {
      const arrivals = this.#arrivals;
      try {
        if (open.length > 0) await this.#recovered(open);
        open = [];
        const more = await this.#runNext();
        if (!more && arrivals === this.#arrivals) return;
      } catch (error) {
        open = await this.#afterTrouble(error, open);
      }
    }
  }

  /** What cannot be written down now (a full disk) is taken up again in a while, as after a restart. */
  async #afterTrouble(trouble: unknown, before: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
    const { inbox, clock, log, stopping } = this.#deps;
    log.error(`a chat stands still for ${troubleMs / 1000} s: ${errorMessage(trouble)}`, trouble);
    await clock.sleep(troubleMs, stopping).catch(() => undefined);
    return await inbox.running(this.sessionKey).catch(() => before);
  }

  /** False when nothing waits. */
  async #runNext(): Promise<boolean> {
    const { inbox, clock, stopping } = this.#deps;
    await this.#busyMessages.settled();
    const all = await inbox.waiting(this.sessionKey);
    if (all.length === 0) await this.#carried.endAlone();
    const inTurn = this.#beside.inTurn(all);
    const waiting = inTurn.map((row) => ({ row, read: readWaiting(row) }));
    const unreadable = waiting.filter(({ read }) => read === undefined).map(({ row }) => row);
    await this.#rows.refuseUnreadable(unreadable);
    const readable = waiting.map(({ read }) => read).filter((read) => read !== undefined);
    const { messages, waitMs } = gather(readable, clock.now(), this.#busyMessages.interrupted);
    const event = joined(messages);
    const taken = messages.map(({ row }) => row);
    if (event === undefined) return false;
    if (waitMs > 0 && !stopping.aborted) {
      await clock.sleep(waitMs, stopping).catch(() => undefined);
      return true;
    }
    this.#busyMessages.takeInterruption();
    const asked = this.#own.takeAsked(event);
    if (event.observed === true) {
      this.#observed = [...this.#observed, event].slice(-maxObserved);
      await this.#rows.end(taken, 'done');
    } else if (clock.now() - (taken[0]?.receivedAt ?? 0) > oldestMs) {
      await this.#rows.endWithNotice(taken, 'expired', event, expiredText);
    } else if (asked === undefined && isCommand(event) && (await this.#deps.commands.run(this, event)))
      await this.#rows.end(taken, 'done');
    else if (!(await this.#turnedAway(taken, event))) await this.#turn(taken, event, asked);
    return true;
  }

  /** Some chats take commands only. */
  async #turnedAway(rows: readonly ChatMessage[], event: MessageEvent): Promise<boolean> {
    const away = await this.#deps.topics.turnedAway(event);
    if (away === undefined) return false;
    if (away.hint === undefined) await this.#rows.end(rows, 'refused');
    else await this.#rows.endWithNotice(rows, 'refused', event, away.hint);
    return true;
  }

  async #turn(rows: readonly ChatMessage[], event: MessageEvent, asked?: AskedInput): Promise<void> {
    const { place, hooks, settings } = this.#deps;
    const preparing = new AbortController();
    this.#preparing = preparing;
    await this.#answering(rows, event, async () => {
      const { worker, reset } = await this.#session.open(event);
      await this.#carried.endForeign(worker.session.id);
      const ready = await this.#before.ready({ event, worker, reset });
      const files = await this.#received(event, preparing.signal);
      if (files === undefined) return undefined;
      const newest = await this.#newest(worker);
      const begun = await this.#begin(rows, worker, newest);
      // Somebody stopped it while it was made ready.
      if (begun.length === 0) return undefined;
      hooks.turnStarted(event, { ...this.#hooked(worker), isFirst: newest === null });
      const shared = place.isShared(event.source);
      const observed = this.#observed.splice(0);
      const input =
        asked === undefined
          ? turnInput(event, {
              idOf: (source) => place.idOf(source),
              shared,
              files,
              observed,
              ...ready,
              times: settings.times,
            })
          : { sources: [{ from: 'user' } as const], ...asked };
      const start = () => (asked?.stored === true ? goOn(worker) : worker.submit(input));
      const ended = await runTurn({ worker, event, rows: begun, start, isLeft: this.#isLeft }, this.#deps);
      return await this.#ending({ rows: begun, event, worker }, ended);
    });
  }

  /** Undefined where nobody waits for the turn any more. */
  async #received(event: MessageEvent, signal: AbortSignal): Promise<readonly ReceivedFile[] | undefined> {
    try {
      signal.throwIfAborted();
      return await this.#deps.place.receive(event, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #recovered(running: readonly ChatMessage[]): Promise<void> {
    const readable = running.map(readWaiting).filter((each) => each !== undefined);
    const messages = readable.filter(({ row }) => row.part === 'own');
    const event = joined(messages);
    this.#carried.restore(readable.filter(({ row }) => row.part === 'carried').map(({ row }) => row));
    const read = await steeredInto(readable, this.#deps);
    await this.#rows.refuseUnreadable(running.filter((row) => !readable.some((each) => each.row === row)));
    if (event === undefined) return;
    const rows = [...messages.map(({ row }) => row), ...read];
    if (!(await settleInterrupted(rows, event, this.#deps, { rows: this.#rows, carried: this.#carried }))) return;
    await this.#answering(rows, event, async () => {
      const { worker } = await this.#session.open(event);
      await tellUnknown(rows, event, worker, { sessionKey: this.sessionKey, delivery: this.#deps.delivery });
      const begun = await this.#begin(rows, worker, rows[0]?.turnAfter ?? null);
      this.#deps.hooks.turnStarted(event, { ...this.#hooked(worker), isFirst: false });
      const ended = await runTurn(
        { worker, event, rows: begun, start: () => goOn(worker), isLeft: this.#isLeft },
        this.#deps,
      );
      return await this.#ending({ rows: begun, event, worker }, ended);
    });
  }

  /**
   * Whatever goes wrong, the sender is told; unless everything ends, when the next process goes on with it. `answer` gives
   * what writes the end down: an answer that cannot be written down is still one, so where that goes wrong it is taken up
   * again.
   */
  async #answering(
    rows: readonly ChatMessage[],
    event: MessageEvent,
    answer: () => Promise<(() => Promise<void>) | undefined>,
  ): Promise<void> {
    this.#current = event;
    this.#last = event;
    if (event.internal !== true) this.#person = event;
    try {
      const writeDown = await answer().catch(async (error: unknown) => {
        if (!this.#closing) await this.#rows.failed([...rows, ...(await this.#takeJoined())], event, error);
        return undefined;
      });
      await writeDown?.();
    } finally {
      this.#current = undefined;
      this.usedAt = this.#deps.clock.now();
    }
  }

  /** Id of the newest message of the conversation: what is newer belongs to the turn. */
  async #newest(worker: SessionWorker): Promise<number | null> {
    const { store } = this.#deps.program;
    return (await store?.messages.newest(worker.session.id)) ?? null;
  }

  async #begin(rows: readonly ChatMessage[], worker: SessionWorker, turnAfter: number | null) {
    return await this.#deps.inbox.begin(idsOf(rows), { sessionId: worker.session.id, turnAfter });
  }

  /** What writes the end of a turn down; undefined when nothing is to be. */
  async #ending(
    { rows: begun, event, worker }: Omit<TurnToRun, 'start' | 'isLeft'>,
    { result, preview }: EndedTurn,
  ): Promise<(() => Promise<void>) | undefined> {
    if (this.#closing) return undefined;
    const rows = [...begun, ...(await this.#takeJoined())];
    const interrupted = result.ended === 'interrupted';
    const told = (): void => this.#deps.hooks.turnEnded(event, result, this.#hooked(worker));
    // The next answer is for both.
    if (interrupted && this.#isLeft()) {
      await this.#carried.add(rows);
      told();
      return undefined;
    }
    try {
      const replies = await this.#rows.answer(rows, event, answerText(result, namesOf(rows)), {
        preview,
        hosts: worker.session.knowledge.hosts,
        reasoning: result.lastReasoning,
        facts: result.ended === 'completed' ? this.#session.facts : undefined,
      });
      return async () => {
        await this.#rows.end(rows, interrupted ? 'interrupted' : 'done', replies);
        if (result.ended === 'completed') this.#deps.voice.answered({ event, text: result.finalResponse, replies });
        told();
      };
    } catch (error) {
      await this.#rows.failed(rows, event, error);
      return undefined;
    }
  }

  /** What ends with the turn besides the messages that it began with. */
  async #takeJoined(): Promise<readonly ChatMessage[]> {
    return [...(await this.#busyMessages.takeSteered()), ...this.#carried.take()];
  }

  readonly #isLeft = (): boolean => this.#busyMessages.interrupted;

  #hooked({ session }: SessionWorker): HookedTurn {
    return { sessionKey: this.sessionKey, sessionId: session.id };
  }
}
