/** What is done about a server that nobody calls: a look whether it still answers, and its rest. Nothing of it holds the process. */
import { timerMs } from '../lib/timer-limit.ts';
import type { ServerSettings } from './settings.ts';

export interface UpkeepPorts {
  /** Never rejects. */
  ping(): Promise<void>;
  /** Ends the process until the next call. */
  rest(): void;
}

export class Upkeep {
  readonly #settings: Pick<ServerSettings, 'keepaliveMs' | 'idleMs' | 'lifetimeMs' | 'reach'>;
  readonly #ports: UpkeepPorts;
  readonly #timers = new Map<'ping' | 'idle' | 'age' | 'later', NodeJS.Timeout>();
  #calls = 0;
  #isTooOld = false;
  #isConnected = false;

  constructor(settings: Pick<ServerSettings, 'keepaliveMs' | 'idleMs' | 'lifetimeMs' | 'reach'>, ports: UpkeepPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  connected(): void {
    this.stop();
    this.#isConnected = true;
    this.#isTooOld = false;
    this.#pingLater();
    this.#idleLater();
    const { lifetimeMs, reach } = this.#settings;
    if (lifetimeMs !== undefined && reach.kind === 'stdio') {
      this.#set('age', lifetimeMs, () => {
        this.#isTooOld = true;
        if (this.#calls === 0) this.#ports.rest();
      });
    }
  }

  /** A call begins; what is returned is to be called at its end. */
  begin(): () => void {
    this.#calls += 1;
    this.#clear('idle');
    return () => {
      this.#calls -= 1;
      if (this.#calls > 0 || !this.#isConnected) return;
      if (this.#isTooOld) this.#ports.rest();
      else this.#idleLater();
    };
  }

  /** Does something once, unless it is stopped or connected before. */
  later(ms: number, action: () => void): void {
    this.#set('later', ms, action);
  }

  stop(): void {
    this.#isConnected = false;
    for (const name of this.#timers.keys()) this.#clear(name);
  }

  #pingLater(): void {
    this.#set('ping', this.#settings.keepaliveMs, () => {
      // A server that is called shows by that whether it answers.
      const looked = this.#calls > 0 ? Promise.resolve() : this.#ports.ping();
      void looked.then(() => {
        if (this.#isConnected) this.#pingLater();
      });
    });
  }

  #idleLater(): void {
    const { idleMs, reach } = this.#settings;
    if (idleMs === undefined || reach.kind !== 'stdio' || this.#calls > 0) return;
    this.#set('idle', idleMs, () => this.#ports.rest());
  }

  #set(name: 'ping' | 'idle' | 'age' | 'later', ms: number, action: () => void): void {
    this.#clear(name);
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      action();
    }, timerMs(ms));
    timer.unref();
    this.#timers.set(name, timer);
  }

  #clear(name: 'ping' | 'idle' | 'age' | 'later'): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}
