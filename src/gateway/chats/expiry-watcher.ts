/** Gives back what is held for conversations that are over, before their next message would, and forgets old chats. */
import type { Hooks } from '../../agent/hooks.ts';
import type { Log } from '../../lib/log.ts';
import type { RouteEntry } from '../../sessions/chat-routes.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { ChatRouting } from './chat-routing.ts';
import type { Chats } from './chats.ts';

export interface ExpiryWatcherOptions {
  readonly routing: ChatRouting;
  readonly chats: Pick<Chats, 'closeResting' | 'find'>;
  readonly clock: AdapterClock;
  readonly hooks: Hooks;
  /** Days without a message after which the next one begins a new conversation; 0: never. */
  readonly routeDays: number;
  readonly log: Log;
}

const firstMs = 60_000;
const everyMs = 300_000;
const dayMs = 86_400_000;

export class ExpiryWatcher {
  readonly #options: ExpiryWatcherOptions;

  constructor(options: ExpiryWatcherOptions) {
    this.#options = options;
  }

  /** Resolves when the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    for (let waitMs = firstMs; !signal.aborted; waitMs = everyMs) {
      await clock.sleep(waitMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.look(signal).catch((error: unknown) =>
        log.warning('conversations that are over were not ended', error),
      );
    }
  }

  /** Once. */
  async look(signal: AbortSignal): Promise<void> {
    const { routing, chats, hooks } = this.#options;
    for await (const entry of routing.each()) {
      if (signal.aborted) return;
      const { session_key: key } = entry;
      const isOld = this.#isOld(entry);
      const isOver = !entry.expiry_finalized && (isOld || routing.isOver(entry));
      if ((!isOver && !isOld) || !(await chats.closeResting(key))) continue;
      if (isOld) await routing.forget(entry);
      if (!isOver) continue;
      if (!isOld) await routing.finalize(key);
      const ended = { session_id: entry.session_id, platform: entry.platform, reason: 'session_expired' };
      await hooks.call('on_session_finalize', () => ended, signal);
    }
  }

  /** One that was put aside stays, and one that something still runs in. */
  #isOld({ session_key: key, suspended, updated_at: usedAt }: RouteEntry): boolean {
    const { chats, clock, routeDays } = this.#options;
    if (routeDays === 0 || suspended || chats.find(key)?.hasProcesses === true) return false;
    return Date.parse(usedAt) < clock.now() - routeDays * dayMs;
  }
}
