/** What a message does that comes while a turn of its chat runs: interrupt it, be read in it, or wait. */
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import { withSender } from '../context/message-lines.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { ChatDeps } from './chat-deps.ts';
import { isCommand } from './gather.ts';

const ackEveryMs = 30_000;
/** Somebody who keeps interrupting would never be answered. */
const maxInterruptions = 3;

export class BusyMessages {
  readonly #sessionKey: string;
  readonly #deps: ChatDeps;
  #ackedAt: number | undefined;
  #interruptions = 0;
  #interrupted = false;
  #steered: ChatMessage[] = [];

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

  /** Messages that went into the turn besides those that began it; they end with it. */
  takeSteered(): readonly ChatMessage[] {
    return this.#steered.splice(0);
  }

  /** It is in the inbox already. */
  async came(event: MessageEvent, worker: SessionWorker | undefined): Promise<void> {
    if (isCommand(event) || event.observed === true || event.internal === true) return;
    const mode = event.attachments.length > 0 ? 'queue' : this.#deps.settings.busyMode;
    if (mode === 'interrupt' && worker !== undefined && this.#interruptions < maxInterruptions) {
      if (!this.#interrupted) this.#interruptions += 1;
      this.#interrupted = true;
      worker.interrupt();
      return await this.#ack(event, '⚡ Stopping what I was doing; your message is next.');
    }
    if (mode === 'steer' && worker !== undefined && (await this.#steer(worker, event))) {
      const { busy_steer_ack_enabled: tells } = this.#deps.place.display(event.source.platform);
      return tells ? await this.#ack(event, '⏩ Noted; I take it into account.') : undefined;
    }
    await this.#ack(event, '⏳ Queued; I answer when this is done.');
  }

  async #steer(worker: SessionWorker, event: MessageEvent): Promise<boolean> {
    const { inbox, place } = this.#deps;
    const rows = (await inbox.waiting(this.#sessionKey)).filter(({ eventId }) => eventId === event.event_id);
    const { user_name: name, user_id: id } = event.source;
    const text = place.isShared(event.source) ? withSender(event.text, name ?? id) : event.text;
    if (rows.length === 0 || !worker.session.agent.steer(text)) return false;
    const turn = { sessionId: worker.session.id, turnAfter: null };
    const ids = rows.map(({ id }) => id);
    this.#steered.push(...(await inbox.begin(ids, turn)));
    return true;
  }

  async #ack(event: MessageEvent, text: string): Promise<void> {
    const { settings, clock, place } = this.#deps;
    if (!settings.busyAcks || clock.now() - (this.#ackedAt ?? -Infinity) < ackEveryMs) return;
    this.#ackedAt = clock.now();
    await place.say(event, text);
  }
}
