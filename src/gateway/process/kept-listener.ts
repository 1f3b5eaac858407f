/** A listener inside the gateway: started with it, tried again while its port is taken. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { HttpServer } from '../../http/server.ts';
import type { ConnectionStatus } from '../connections/platform-connection.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';

export interface KeptListenerOptions {
  /** As the status file names it: `api_server`, `webhook`. */
  readonly name: string;
  /** For the start line: `The API server`. */
  readonly label: string;
  /** Why it must not be opened at all; the operator has to mend that. */
  readonly problem: string | undefined;
  readonly clock: AdapterClock;
  readonly log: Log;
  open(): Promise<HttpServer>;
  onStatus(status: ConnectionStatus): void;
}

const retryMs = [5000, 30_000, 60_000, 120_000, 300_000];

export class KeptListener {
  readonly #options: KeptListenerOptions;
  readonly #stop = new AbortController();
  #server: HttpServer | undefined;
  #trying: Promise<void> = Promise.resolve();
  #status: ConnectionStatus = { state: 'disconnected', attempt: 0 };

  constructor(options: KeptListenerOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** Where it listens, in a sentence; undefined while it does not. */
  get words(): string | undefined {
    return this.#server === undefined ? undefined : `${this.#options.label} listens on ${this.#server.url}.`;
  }

  /** Resolves after the first attempt. */
  async start(): Promise<void> {
    const { problem } = this.#options;
    if (problem !== undefined) return this.#refuse(problem);
    this.#set({ state: 'connecting', attempt: 0 });
    if (!(await this.#attempt(0))) this.#trying = this.#keepTrying();
  }

  /** Takes nothing new; what runs has this long to end. */
  async stop(drainMs: number): Promise<void> {
    this.#stop.abort();
    await this.#trying;
    await this.#server?.stop({ drainMs });
    if (this.#status.state !== 'fatal') this.#set({ ...this.#status, state: 'disconnected' });
  }

  async #keepTrying(): Promise<void> {
    const { clock } = this.#options;
    for (let attempt = 1; !this.#stop.signal.aborted; attempt += 1) {
      const wait = retryMs[Math.min(attempt, retryMs.length) - 1] ?? 0;
      await clock.sleep(wait, this.#stop.signal).catch(() => undefined);
      if (this.#stop.signal.aborted || (await this.#attempt(attempt))) return;
    }
  }

  /** True when there is nothing left to try. */
  async #attempt(attempt: number): Promise<boolean> {
    const { name, log } = this.#options;
    try {
      this.#server = await this.#options.open();
      this.#set({ state: 'connected', attempt: 0 });
      return true;
    } catch (error) {
      const message = errorMessage(error);
      // What the system did not say is about the settings: waiting does not mend them.
      if (error instanceof UserError && error.cause === undefined) {
        this.#refuse(message);
        return true;
      }
      log.warning(`${message} It is tried again.`);
      this.#set({ state: 'retrying', error: { code: `${name}_listen`, message }, attempt: attempt + 1 });
      return false;
    }
  }

  #refuse(message: string): void {
    this.#options.log.error(message);
    this.#set({ state: 'fatal', error: { code: `${this.#options.name}_settings`, message }, attempt: 0 });
  }

  #set(status: ConnectionStatus): void {
    this.#status = status;
    this.#options.onStatus(status);
  }
}
