/** Notices that a turn takes long, and that one gives no sign of life any more. */
import type { AgentEvent } from '../../agent/events.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import { over } from '../../lib/over.ts';

export interface TurnWatchSettings {
  /** Seconds without a sign of life; 0: never. */
  readonly silentSeconds: number;
  readonly silentWarningSeconds: number;
  /** Seconds between two notes that it goes on; 0: none. */
  readonly noteSeconds: number;
}

export interface TurnWatchOptions {
  readonly settings: TurnWatchSettings;
  readonly clock: AdapterClock;
  readonly say: (text: string) => Promise<void>;
  /** Nothing came for too long: the turn has to end. */
  readonly onSilent: () => void;
}

const lookEveryMs = 15_000;

export class TurnWatch {
  readonly #options: TurnWatchOptions;
  readonly #stop = new AbortController();
  /** Milliseconds that the turn takes, has been silent, and has not been told of. */
  #taken = 0;
  #silent = 0;
  #untold = 0;
  #warned = false;
  #doing = '';
  /** Somebody is asked: that takes as long as it takes. */
  #asking = 0;

  constructor(options: TurnWatchOptions) {
    this.#options = options;
    void this.#look();
  }

  heard(event: AgentEvent): void {
    this.#silent = 0;
    this.#warned = false;
    if (event.type === 'tool_started') this.#doing = `${event.emoji} ${event.name}`;
    if (event.type === 'approval_requested' || event.type === 'question_asked') this.#asking += 1;
    if (event.type === 'approval_answered' || event.type === 'question_answered') this.#asking -= 1;
  }

  /** A clock that was set, or a machine that slept, says nothing of the turn: no look is longer than two. */
  #count(ms: number): void {
    const passed = Math.min(Math.max(ms, lookEveryMs), 2 * lookEveryMs);
    this.#taken += passed;
    this.#silent += passed;
    this.#untold += passed;
  }

  stop(): void {
    this.#stop.abort(over);
  }

  async #look(): Promise<void> {
    const { clock, settings, say, onSilent } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      const before = clock.now();
      await clock.sleep(lookEveryMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      this.#count(clock.now() - before);
      const silent = this.#asking > 0 ? 0 : this.#silent / 1000;
      if (settings.silentSeconds > 0 && silent > settings.silentSeconds) {
        await say(`⏱ Nothing has happened for ${minutes(silent)}, so I stopped this turn.`);
        return onSilent();
      }
      if (settings.silentWarningSeconds > 0 && silent > settings.silentWarningSeconds && !this.#warned) {
        this.#warned = true;
        await say(`⚠️ Nothing has happened for ${minutes(silent)}; /stop ends this turn.`);
      }
      // Whoever is asked knows what is waited for.
      if (this.#asking === 0 && settings.noteSeconds > 0 && this.#untold / 1000 > settings.noteSeconds) {
        this.#untold = 0;
        await say(`⏳ Working — ${minutes(this.#taken / 1000)}${this.#doing === '' ? '' : `, ${this.#doing}`}`);
      }
    }
  }
}

function minutes(seconds: number): string {
  return `${Math.max(1, Math.round(seconds / 60))} min`;
}
