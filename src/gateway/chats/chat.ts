/** One chat: its messages in the order in which they came, one turn at a time. */
import { errorMessage } from '../../lib/errors.ts';
import type { TurnResult } from '../../agent/events.ts';
import type { ChatMessage, ChatMessageEnd, NewReply } from '../../sessions/chat-inbox.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { ChatDeps, OpenChat } from './chat-deps.ts';
import { ChatHuman } from './chat-human.ts';
import { ChatSession } from './chat-session.ts';
import { gather, isCommand, joined, readWaiting, type Waiting } from './gather.ts';
import { interruptedTurn } from './interrupted-turn.ts';
import { answerText, noticeReply, replyId } from './replies.ts';
import { turnInput } from './turn-input.ts';
import type { TurnView } from './turn-view.ts';

/** How often a turn is begun again after the process died in it; then the sender is told. */
const maxAttempts = 3;
/** A message that waited longer than this is not answered any more, but its sender is told. */
const oldestMs = 24 * 3_600_000;
const ackEveryMs = 30_000;

export class Chat implements OpenChat {
  readonly sessionKey: string;
  readonly #deps: ChatDeps;
  readonly #human: ChatHuman;
  readonly #session: ChatSession;
  #running: Promise<void> | undefined;
  #arrivals = 0;
  #current: MessageEvent | undefined;
  /** Rows that went into the running turn besides those that began it. */
  #steered: number[] = [];
  /** The last turn was stopped for what waits: it is one message. */
  #joinNext = false;
  #ackedAt = 0;
  #observed: MessageEvent[] = [];
  #closing = false;
  usedAt: number;

  constructor(sessionKey: string, deps: ChatDeps) {
    this.sessionKey = sessionKey;
    this.#deps = deps;
    this.usedAt = deps.clock.now();
    const { settings } = deps;
    this.#human = new ChatHuman({
      sessionKey,
      desk: deps.desk,
      approvalMs: settings.approvalSeconds * 1000,
      clarifyMs: settings.clarifySeconds * 1000,
      interactive: true,
      current: () => this.#current,
    });
    this.#session = new ChatSession({
      sessionKey,
      program: deps.program,
      routing: deps.routing,
      human: this.#human,
      context: (event) => deps.place.context(event),
      owner: (event) => (deps.place.isShared(event.source) ? null : event.source.user_id),
      notify: ({ kind, line }) => {
        if (kind === 'learned' && this.#current !== undefined) void this.say(this.#current, `💾 ${line}`);
      },
    });
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** The turn that runs, if one does: for commands. */
  get worker(): SessionWorker | undefined {
    return this.#session.worker;
  }

  /** A message of this chat is in the inbox. Returns at once. */
  arrived(row: Pick<Waiting, 'event'> | undefined): void {
    this.usedAt = this.#deps.clock.now();
    if (row !== undefined && this.#current !== undefined) void this.#whileBusy(row.event);
    this.#wake();
  }

  /** The message is dealt with without a turn: a command that ran at once, the answer to a question. */
  async handled(event: MessageEvent): Promise<void> {
    const rows = await this.#deps.inbox.waiting(this.sessionKey);
    await this.#end(
      rows.filter(({ eventId }) => eventId === event.event_id),
      'done',
    );
  }

  /** Takes up what an earlier process left; `running` were in a turn when it died. */
  async recover(running: readonly ChatMessage[]): Promise<void> {
    this.#arrivals += 1;
    this.#running = this.#recovered(running)
      .catch((error: unknown) =>
        this.#deps.log.error(`a chat could not be taken up again: ${errorMessage(error)}`, error),
      )
      .finally(() => {
        this.#running = undefined;
        this.#wake();
      });
    await Promise.resolve();
  }

  /** Stops the running turn and forgets what waits; true when there was something to stop. */
  async stop(): Promise<boolean> {
    const { inbox } = this.#deps;
    const waiting = await inbox.waiting(this.sessionKey);
    this.#session.worker?.interrupt();
    await inbox.end(
      waiting.map(({ id }) => id),
      'interrupted',
    );
    return this.#current !== undefined || waiting.length > 0;
  }

  /** Says something that is not kept in the outbox: acknowledgements, answers of commands. */
  async say(event: MessageEvent, text: string): Promise<void> {
    await this.#deps.place.say(event, text);
  }

  /** Ends this conversation: the next message begins another one. */
  async reset(event: MessageEvent, reason: string): Promise<string> {
    await this.#session.close(reason);
    return (await this.#deps.routing.reset(this.sessionKey, event.source)).session_id;
  }

  async resume(_event: MessageEvent, session: SessionRow, reason: string): Promise<void> {
    await this.#session.close(reason);
    await this.#deps.routing.change(this.sessionKey, { session_id: session.id });
  }

  /** The worker of this chat, opened if it is not. */
  async open(event: MessageEvent): Promise<SessionWorker> {
    return (await this.#session.open(event)).worker;
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Interrupts what runs; its messages stay in the inbox as running, and the next start takes them up. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#session.close('agent_close');
    await this.#running;
  }

  #wake(): void {
    this.#arrivals += 1;
    if (this.#running !== undefined || this.#closing) return;
    this.#running = this.#runAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #runAll(): Promise<void> {
    while (!this.#closing) {
      const arrivals = this.#arrivals;
      try {
        const more = await this.#runNext();
        if (!more && arrivals === this.#arrivals) return;
      } catch (error) {
        this.#deps.log.error(`a chat stands still: ${errorMessage(error)}`, error);
        if (arrivals === this.#arrivals) return;
      }
    }
  }

  /** False when nothing waits. */
  async #runNext(): Promise<boolean> {
    const { inbox, clock } = this.#deps;
    const rows = await inbox.waiting(this.sessionKey);
    const waiting = rows.map(readWaiting);
    const unreadable = rows.filter((_, index) => waiting[index] === undefined);
    await this.#end(unreadable, 'refused');
    const readable = waiting.filter((each) => each !== undefined);
    const { messages, waitMs } = gather(readable, clock.now(), this.#joinNext);
    if (messages.length === 0) return false;
    if (waitMs > 0 && !this.#deps.stopping.aborted) {
      await clock.sleep(waitMs, this.#deps.stopping).catch(() => undefined);
      return true;
    }
    this.#joinNext = false;
    const event = joined(messages);
    const taken = messages.map(({ row }) => row);
    if (event === undefined) return false;
    if (event.observed === true) {
      this.#observed = [...this.#observed, event].slice(-maxObserved);
      await this.#end(taken, 'done');
    } else if (clock.now() - (messages[0]?.row.receivedAt ?? 0) > oldestMs) {
      await this.#end(taken, 'expired', [noticeReply(this.sessionKey, taken, event, expiredText)]);
    } else if (isCommand(event) && (await this.#deps.commands.run(this, event))) await this.#end(taken, 'done');
    else await this.#turn(taken, event);
    return true;
  }

  async #turn(rows: readonly ChatMessage[], event: MessageEvent): Promise<void> {
    const { clock, hooks } = this.#deps;
    this.#current = event;
    this.usedAt = clock.now();
    try {
      const { worker, reset } = await this.#session.open(event);
      if (reset?.hadActivity === true) await this.say(event, `◐ Session automatically reset (${reset.reason}).`);
      const files = await this.#deps.place.receive(event);
      const begun = await this.#begin(rows, worker);
      await hooks.turnStarted(event, worker.session.id);
      const input = turnInput(event, {
        shared: this.#deps.place.isShared(event.source),
        files,
        observed: this.#observed.splice(0),
      });
      const result = await this.#run(worker, event, begun, () => worker.submit(input));
      await this.#finish(begun, event, result);
    } catch (error) {
      if (!this.#closing) await this.#failed(rows, event, error);
    } finally {
      this.#current = undefined;
      this.usedAt = clock.now();
    }
  }

  async #begin(rows: readonly ChatMessage[], worker: SessionWorker): Promise<readonly ChatMessage[]> {
    const { inbox, program } = this.#deps;
    const newest = await program.store?.messages.readAround({ sessionId: worker.session.id }, { span: 0 });
    const turnAfter = newest?.around.at(-1)?.id ?? null;
    const turn = { sessionId: worker.session.id, turnAfter };
    return await inbox.begin(
      rows.map(({ id }) => id),
      turn,
    );
  }

  /** Runs one turn and shows it. */
  async #run(
    worker: SessionWorker,
    event: MessageEvent,
    rows: readonly ChatMessage[],
    start: () => Promise<unknown>,
  ): Promise<Ended> {
    const first = rows[0];
    const view = this.#deps.place.view(event, async (previewId) => {
      if (first !== undefined) await this.#deps.inbox.setPreview(first.id, previewId);
    });
    const ended = Promise.withResolvers<TurnResult>();
    const stop = worker.listen((told) => {
      if (told.type === 'turn_finished') ended.resolve(told.result);
      else if (told.type === 'message_failed') ended.reject(new TurnRefused(told.error));
      else if (told.type === 'held_elsewhere') void this.#heldElsewhere(worker, event);
      if (isAgentEvent(told)) {
        view.show(told);
        this.#deps.hooks.event(event, told, worker.session.id);
      }
    });
    let failed = true;
    try {
      await start();
      const result = await ended.promise;
      failed = result.ended !== 'completed';
      // The worker may go on with what was steered too late; a chat takes its own next message.
      return { result, previewId: await view.finish({ failed }) };
    } finally {
      stop();
      if (failed) await view.finish({ failed });
    }
  }

  async #finish(rows: readonly ChatMessage[], event: MessageEvent, { result, previewId }: Ended): Promise<void> {
    const all = [...rows.map(({ id }) => id), ...this.#steered.splice(0)];
    if (this.#closing) return;
    if (result.ended === 'interrupted' && this.#joinNext) {
      // Who interrupted it was told; the next answer is for both.
      return void (await this.#deps.inbox.end(all, 'interrupted'));
    }
    const replies = this.#answer(rows, event, answerText(result), previewId);
    await this.#deps.inbox.end(all, result.ended === 'interrupted' ? 'interrupted' : 'done', replies);
    for (const each of replies) this.#deps.delivery.send(each);
    await this.#deps.hooks.turnEnded(event, result);
  }

  /** Nothing for a word that stands for silence. */
  #answer(
    rows: readonly ChatMessage[],
    event: MessageEvent,
    text: string,
    previewId: string | undefined,
  ): readonly NewReply[] {
    const { sessionKey } = this;
    const id = replyId(sessionKey, rows, text);
    const reply = this.#deps.place.compose(event, { id, sessionKey, text, previewId });
    return reply === undefined ? [] : [reply];
  }

  /** It got no turn, or the turn could not be written down: the sender is told, once. */
  async #failed(rows: readonly ChatMessage[], event: MessageEvent, error: unknown): Promise<void> {
    this.#deps.log.warning(`a message got no answer: ${errorMessage(error)}`, error);
    const text = `Sorry, that did not work: ${errorMessage(error).slice(0, 300)}\nIf it happens again, /reset begins a new conversation.`;
    await this.#end(rows, 'refused', [noticeReply(this.sessionKey, rows, event, text)]);
  }

  async #end(rows: readonly ChatMessage[], as: ChatMessageEnd, replies: readonly NewReply[] = []): Promise<void> {
    if (rows.length === 0) return;
    await this.#deps.inbox.end(
      rows.map(({ id }) => id),
      as,
      replies,
    );
    for (const reply of replies) this.#deps.delivery.send(reply);
  }

  /** What a message does that comes while a turn runs; it is in the inbox already. */
  async #whileBusy(event: MessageEvent): Promise<void> {
    const { settings } = this.#deps;
    if (isCommand(event) || event.observed === true) return;
    const mode = event.attachments.length > 0 ? 'queue' : settings.busyMode;
    const { worker } = this.#session;
    if (mode === 'interrupt' && worker !== undefined) {
      this.#joinNext = true;
      worker.session.agent.interrupt(event.text);
      worker.interrupt();
      return await this.#ack(event, '⚡ Stopping what I was doing; your message is next.');
    }
    if (mode === 'steer' && worker !== undefined && (await this.#steer(worker, event))) {
      return await this.#ack(event, '⏩ Noted; I take it into account.');
    }
    await this.#ack(event, '⏳ Queued; I answer when this is done.');
  }

  /** The running turn reads it; its row ends with the turn. */
  async #steer(worker: SessionWorker, event: MessageEvent): Promise<boolean> {
    const rows = (await this.#deps.inbox.waiting(this.sessionKey)).filter((row) => row.eventId === event.event_id);
    const text = this.#deps.place.isShared(event.source)
      ? `[${event.source.user_name ?? 'somebody'}] ${event.text}`
      : event.text;
    if (rows.length === 0 || !worker.session.agent.steer(text)) return false;
    const begun = await this.#deps.inbox.begin(
      rows.map(({ id }) => id),
      { sessionId: worker.session.id, turnAfter: null },
    );
    this.#steered.push(...begun.map(({ id }) => id));
    return true;
  }

  async #ack(event: MessageEvent, text: string): Promise<void> {
    const { settings, clock } = this.#deps;
    if (!settings.busyAcks || clock.now() - this.#ackedAt < ackEveryMs) return;
    this.#ackedAt = clock.now();
    await this.say(event, text);
  }

  async #heldElsewhere(worker: SessionWorker, event: MessageEvent): Promise<void> {
    await this.say(event, 'This conversation is open in another program; I answer as soon as it is done there.');
    await worker.choose('wait');
  }

  async #recovered(running: readonly ChatMessage[]): Promise<void> {
    const messages = running.map(readWaiting).filter((each) => each !== undefined);
    const event = joined(messages);
    const rows = messages.map(({ row }) => row);
    const [first] = rows;
    if (event === undefined || first === undefined) return await this.#end(running, 'refused');
    const { program, inbox, settings, clock } = this.#deps;
    const left = await interruptedTurn(program.store, first);
    if (left.as === 'answered') {
      return await this.#end(rows, 'done', this.#answer(rows, event, left.text, first.previewId ?? undefined));
    }
    const tooOld = clock.now() - first.receivedAt > settings.resumeSeconds * 1000;
    if (first.attempts >= maxAttempts || (tooOld && left.as === 'begun')) {
      return await this.#end(rows, 'expired', [noticeReply(this.sessionKey, rows, event, parkedText)]);
    }
    if (left.as === 'not begun') return await inbox.putBack(rows.map(({ id }) => id));
    await this.#resume(rows, event);
  }

  async #resume(rows: readonly ChatMessage[], event: MessageEvent): Promise<void> {
    this.#current = event;
    try {
      const { worker } = await this.#session.open(event);
      const begun = await this.#deps.inbox.begin(
        rows.map(({ id }) => id),
        { sessionId: worker.session.id, turnAfter: rows[0]?.turnAfter ?? null },
      );
      const { history } = worker.session.agent;
      const result = await this.#run(worker, event, begun, () =>
        history.at(-1)?.role === 'user'
          ? worker.replaceHistory(history, { answer: true })
          : worker.submit({ content: resumeNote, kind: 'note', sources: [{ from: 'agent' }] }),
      );
      await this.#finish(begun, event, result);
    } catch (error) {
      if (!this.#closing) await this.#failed(rows, event, error);
    } finally {
      this.#current = undefined;
    }
  }
}

interface Ended {
  readonly result: TurnResult;
  readonly previewId: string | undefined;
}

class TurnRefused extends Error {}

const maxObserved = 50;
const expiredText =
  'Your message waited for more than a day while I was away, so I did not start on it. Please send it again if it still matters.';
const parkedText =
  'I was interrupted while working on this and could not finish it. What was done so far is kept; send me a message to go on.';
const resumeNote =
  'The program was restarted while you worked on the last message. Go on where you stopped: calls whose result is unknown may or may not have happened, so look before you repeat them.';

function isAgentEvent(event: { readonly type: string }): event is Parameters<TurnView['show']>[0] {
  return !['message_taken', 'message_failed', 'queue_changed', 'idle', 'held_elsewhere', 'held_here'].includes(
    event.type,
  );
}
