/** Messages of a chat that are dealt with beside its queue: commands that run at once, answers to questions. */
import { errorMessage } from '../../lib/errors.ts';
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { ChatDeps } from './chat-deps.ts';
import type { ChatRows } from './chat-rows.ts';

/** After what could not be written down. */
const troubleMs = 30_000;
/** The same while everything ends: what is not written down by then runs again with the next start. */
const [lastTries, lastTroubleMs] = [3, 1000];

type Deps = Pick<ChatDeps, 'inbox' | 'clock' | 'log' | 'stopping'>;

/** They stand in the inbox like all others until they have ended, and the queue must not run them a second time. */
export class BesideQueue {
  readonly #sessionKey: string;
  readonly #deps: Deps;
  readonly #rows: ChatRows;
  readonly #taken = new Map<string, 'ends' | 'waits'>();

  constructor(sessionKey: string, deps: Deps, rows: ChatRows) {
    this.#sessionKey = sessionKey;
    this.#deps = deps;
    this.#rows = rows;
  }

  get isEmpty(): boolean {
    return this.#taken.size === 0;
  }

  /** `waits`: it will stand in the queue again, and what is behind it stays behind it. */
  take({ event_id: id }: Pick<MessageEvent, 'event_id'>, then: 'ends' | 'waits'): void {
    this.#taken.set(id, then);
  }

  has({ event_id: id }: Pick<MessageEvent, 'event_id'>): boolean {
    return this.#taken.get(id) === 'ends';
  }

  giveBack({ event_id: id }: Pick<MessageEvent, 'event_id'>): void {
    this.#taken.delete(id);
  }

  /** Of what waits, that which a stop may forget. */
  free(waiting: readonly ChatMessage[]): readonly ChatMessage[] {
    return waiting.filter(({ eventId }) => !this.#taken.has(eventId));
  }

  /** Of what waits, that whose turn it is. */
  inTurn(waiting: readonly ChatMessage[]): readonly ChatMessage[] {
    const held = waiting.findIndex(({ eventId }) => this.#taken.get(eventId) === 'waits');
    return this.free(held < 0 ? waiting : waiting.slice(0, held));
  }

  /** It has ended, which is written down as soon as it can be; with an `error` its sender is told so. */
  async end(event: MessageEvent, error?: unknown): Promise<void> {
    const { inbox, clock, log, stopping } = this.#deps;
    this.take(event, 'ends');
    for (let left = lastTries; ; ) {
      try {
        const rows = (await inbox.waiting(this.#sessionKey)).filter(({ eventId }) => eventId === event.event_id);
        if (error === undefined) await this.#rows.end(rows, 'done');
        else await this.#rows.failed(rows, event, error);
        return this.giveBack(event);
      } catch (trouble) {
        log.warning(`the end of a message could not be written down: ${errorMessage(trouble)}`, trouble);
        if (stopping.aborted && left === 0) throw trouble;
        if (stopping.aborted) {
          left -= 1;
          await clock.sleep(lastTroubleMs, new AbortController().signal);
        } else await clock.sleep(troubleMs, stopping).catch(() => undefined);
      }
    }
  }
}
