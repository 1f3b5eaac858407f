/** Gives back what is held for conversations that are over, before their next message would. */
import type { Hooks } from '../../agent/hooks.ts';
import type { Log } from '../../lib/log.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { ChatRouting } from './chat-routing.ts';
import type { Chats } from './chats.ts';

export interface ExpiryWatcherOptions {
  readonly routing: ChatRouting;
  readonly chats: Pick<Chats, 'closeResting'>;
  readonly clock: AdapterClock;
  readonly hooks: Hooks;
  readonly log: Log;
}

const firstMs = 60_000;
const everyMs = 300_000;

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
      if (entry.expiry_finalized || !routing.isOver(entry) || !(await chats.closeResting(key))) continue;
      await routing.finalize(key);
      const ended = { session_id: entry.session_id, platform: entry.platform, reason: 'session_expired' };
      await hooks.call('on_session_finalize', () => ended, signal);
    }
  }
}
