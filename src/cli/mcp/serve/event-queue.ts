/** What has happened in chats since this server started: the newest thousand, by a number that only grows. */
import { UserError } from '../../../lib/errors.ts';
import { timerMs } from '../../../lib/timer-limit.ts';

export interface BridgeEvent {
  readonly cursor: number;
  readonly type: 'message' | 'approval_requested' | 'approval_resolved';
  readonly session_key: string;
  readonly [detail: string]: string | number | null;
}

/** Which events are wanted. */
export interface EventFilter {
  readonly after: number;
  /** Null: those of every conversation. */
  readonly sessionKey: string | null;
}

const maxEvents = 1000;
const maxWaiting = 100;

export class EventQueue {
  readonly #events: BridgeEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #cursor = 0;

  add(type: BridgeEvent['type'], sessionKey: string, details: Readonly<Record<string, string | number | null>>): void {
    this.#cursor += 1;
    this.#events.push({ cursor: this.#cursor, type, session_key: sessionKey, ...details });
    if (this.#events.length > maxEvents) this.#events.shift();
    for (const look of this.#waiting) look();
  }

  /** Oldest first, at most `limit`. */
  find({ after, sessionKey }: EventFilter, limit: number): readonly BridgeEvent[] {
    const fits = (event: BridgeEvent): boolean =>
      event.cursor > after && (sessionKey === null || event.session_key === sessionKey);
    return this.#events.filter(fits).slice(0, limit);
  }

  /** The first that fits; undefined when none comes within `ms`, or when the signal aborts. Throws when too many wait. */
  async next(filter: EventFilter, ms: number, signal: AbortSignal): Promise<BridgeEvent | undefined> {
    const [found] = this.find(filter, 1);
    if (found !== undefined || ms <= 0 || signal.aborted) return found;
    if (this.#waiting.size >= maxWaiting) throw new UserError(`More than ${maxWaiting} calls wait for an event.`);
    const { promise, resolve } = Promise.withResolvers<BridgeEvent | undefined>();
    const look = (): void => {
      const [event] = this.find(filter, 1);
      if (event !== undefined) resolve(event);
    };
    const stop = (): void => resolve(undefined);
    const timer = setTimeout(stop, timerMs(ms));
    signal.addEventListener('abort', stop, { once: true });
    this.#waiting.add(look);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      this.#waiting.delete(look);
    }
  }
}
