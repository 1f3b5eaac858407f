/** What a message does that comes while a turn of its chat runs: interrupt it, be read in it, or wait. */
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import { withSender } from '../context/message-lines.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { ChatDeps } from './chat-deps.ts';
import { idsOf } from './chat-rows.ts';
import { isCommand } from './gather.ts';

const ackEveryMs = 30_000;
/** Somebody who keeps interrupting would never be answered. */
const maxInterruptions = 3;

export class BusyMessages {
  readonly #sessionKey: string;
  readonly #deps: ChatDeps;
  #ackedAt: number | undefined;
  #steering: Promise<void> = Promise.resolve();
  #interruptions = 0;
  #interrupted = false;
  /** What the running turn was given to read, and whether it has. */
  #steered: { readonly rows: readonly ChatMessage[]; read: boolean }[] = [];

  constructor(sessionKey: string, deps: ChatDeps) {
    this.#sessionKey = sessionKey;
    this.#deps = deps;
  }

  /** The running turn was stopped for what waits now. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** What waits is about to be gathered; true when it came to interrupt, and is one message. */
  takeInterruption(): boolean {
    const interrupted = this.#interrupted;
    this.#interrupted = false;
    if (!interrupted) this.#interruptions = 0;
    return interrupted;
  }

  /** Messages that the turn has read besides those that began it; they end with it. What came too late waits again. */
  async takeSteered(): Promise<readonly ChatMessage[]> {
    const given = this.#steered.splice(0);
    const rowsOf = (read: boolean) => given.filter((each) => each.read === read).flatMap(({ rows }) => rows);
    const late = rowsOf(false);
    if (late.length > 0) await this.#deps.inbox.putBack(idsOf(late));
    return rowsOf(true);
  }

  /** The turn is stopped: what it has not read is not read any more. */
  takeUnread(): readonly ChatMessage[] {
    const unread = this.#steered.filter(({ read }) => !read);
    this.#steered = this.#steered.filter(({ read }) => read);
    return unread.flatMap(({ rows }) => rows);
  }

  /** It is in the inbox already. */
  async came(event: MessageEvent, worker: SessionWorker | undefined): Promise<void> {
    // It is for the next process, and its sender is told so; the turn is let end.
    if (this.#deps.stopping.aborted) return;
    if (isCommand(event) || event.observed === true || event.internal === true) return;
    const mode = event.attachments.length > 0 ? 'queue' : this.#deps.settings.busyMode;
    if (mode === 'interrupt' && worker !== undefined && this.#interruptions < maxInterruptions) {
      if (!this.#interrupted) this.#interruptions += 1;
      this.#interrupted = true;
      worker.interrupt();
      return await this.#ack(event, '⚡ Stopping what I was doing; your message is next.');
    }
    if (mode === 'steer' && worker !== undefined && (await this.#steerNext(worker, event))) {
      const { settings, place } = this.#deps;
      const tells = settings.steerAcks ?? place.display(event.source.platform).busy_steer_ack_enabled;
      return tells ? await this.#ack(event, '⏩ Noted; I take it into account.') : undefined;
    }
    await this.#ack(event, '⏳ Queued; I answer when this is done.');
  }

  /** Resolves when it is known of everything that came whether the turn is to read it. */
  async settled(): Promise<void> {
    await this.#steering;
  }

  /** One after the other: what came later must not be read before what waits again. */
  async #steerNext(worker: SessionWorker, event: MessageEvent): Promise<boolean> {
    const steers = this.#steering.then(() => this.#steer(worker, event));
    this.#steering = steers.then(
      () => undefined,
      () => undefined,
    );
    return await steers;
  }

  async #steer(worker: SessionWorker, event: MessageEvent): Promise<boolean> {
    const { inbox, place } = this.#deps;
    const [first] = await inbox.waiting(this.#sessionKey);
    // Behind what waits already it waits too.
    const rows = first?.eventId === event.event_id ? [first] : [];
    const text = place.isShared(event.source)
      ? withSender(event.text, event.source.user_name ?? place.idOf(event.source))
      : event.text;
    if (rows.length === 0 || !worker.session.agent.busy) return false;
    // Written down first: a process that dies leaves a message which the next one finds read or not.
    const turn = { sessionId: worker.session.id, turnAfter: null, steered: true };
    const given = { rows: await inbox.begin(idsOf(rows), turn), read: false };
    this.#steered.push(given);
    const steers = worker.session.agent.steer(text, undefined, () => {
      given.read = true;
    });
    if (steers) return true;
    this.#steered = this.#steered.filter((each) => each !== given);
    await inbox.putBack(idsOf(given.rows));
    return false;
  }

  async #ack(event: MessageEvent, text: string): Promise<void> {
    const { settings, clock, place } = this.#deps;
    if (!settings.busyAcks || Math.abs(clock.now() - (this.#ackedAt ?? -Infinity)) < ackEveryMs) return;
    this.#ackedAt = clock.now();
    await place.say(event, text);
  }
}
