/** One platform as the gateway keeps it: an adapter that is connected, and another one when its connection ends. */
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import type { AdapterClock, AdapterHost } from '../platform/adapter-host.ts';
import type { Platform } from '../platform/platform.ts';
import { movedConfig } from '../platform/moved-ids.ts';
import type { PlatformConfig } from '../platform/platform-config.ts';
import { PlatformError } from '../platform/platform-error.ts';

/** As the status file has it. */
export type ConnectionState =
  | 'connecting'
  | 'connected'
  | 'disconnected'
  | 'retrying'
  | 'paused'
  | 'fatal'
  | 'disabled';

export interface ConnectionStatus {
  readonly state: ConnectionState;
  readonly error?: { readonly code: string; readonly message: string };
  /** How often it was tried since it was last connected. */
  readonly attempt: number;
}

export interface ConnectionOptions {
  readonly platform: Platform;
  readonly config: PlatformConfig;
  readonly clock: AdapterClock;
  readonly log: Log;
  /** How long one attempt to connect may take, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** How long its end may take, in milliseconds; then it is left behind. */
  readonly disconnectMs: number;
  /** All that an adapter is given but the report of its end. `signal` aborts when it may not accept anything any more. */
  host(signal: AbortSignal): Omit<AdapterHost, 'failed'>;
  /** Locks that the adapter took are given back. */
  released(): Promise<void>;
  onStatus(status: ConnectionStatus): void;
  /** It is connected, for the first time or again: what waits for it can be sent. */
  onConnected(): void;
}

/** The first attempt after an end is made at once. */
const retryMs = [0, 30_000, 60_000, 120_000, 240_000, 300_000];

/** Never gives up as long as the error is one that may pass. */
export class PlatformConnection {
  readonly platform: Platform;
  #config: PlatformConfig;
  readonly #options: ConnectionOptions;
  readonly #log: Log;
  #adapter: PlatformAdapter | undefined;
  #status: ConnectionStatus = { state: 'disconnected', attempt: 0 };
  #stop = new AbortController();
  /** Wakes a retry that waits. */
  #wake: (() => void) | undefined;
  #paused = false;
  #running: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.platform = options.platform;
    this.#config = options.config;
    this.#options = options;
    this.#log = options.log;
  }

  get config(): PlatformConfig {
    return this.#config;
  }

  /** What nobody asked for goes there from now on. */
  setHome(homeChannel: NonNullable<PlatformConfig['homeChannel']>): void {
    this.#config = { ...this.#config, homeChannel };
  }

  /** A chat goes by another id, in its settings too. */
  move(from: string, to: string): void {
    this.#config = movedConfig(this.#config, from, to);
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** The adapter while it is connected. */
  get adapter(): PlatformAdapter | undefined {
    return this.#status.state === 'connected' ? this.#adapter : undefined;
  }

  /** Resolves after the first attempt, whatever became of it; goes on by itself. */
  async start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#running = this.#keep(() => first.resolve());
    await first.promise;
  }

  /** Stops trying; only for a platform that waits to be tried again. False when it does not. */
  pause(): boolean {
    if (this.#status.state !== 'retrying') return false;
    this.#paused = true;
    this.#set({ ...this.#status, state: 'paused' });
    return true;
  }

  /** Tries at once, counting anew. False when there is nothing to resume. */
  resume(): boolean {
    if (this.#status.state !== 'paused' && this.#status.state !== 'retrying') return false;
    this.#paused = false;
    this.#set({ ...this.#status, attempt: 0, state: 'retrying' });
    this.#wake?.();
    return true;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake?.();
    await this.#running;
  }

  async #keep(tried: () => void): Promise<void> {
    const { signal } = this.#stop;
    let attempt = 0;
    while (!signal.aborted) {
      this.#set({ ...this.#status, state: attempt === 0 ? 'connecting' : 'retrying', attempt });
      const ended = await this.#connection(() => {
        attempt = 0;
        // Whoever paused it meant the attempts, which are over.
        this.#paused = false;
        tried();
      });
      tried();
      if (ended === undefined || signal.aborted) break;
      const error = { code: ended.code, message: ended.message };
      if (!ended.retryable) {
        this.#log.error(`${this.platform.name} cannot be connected: ${ended.message}`);
        return this.#set({ state: 'fatal', error, attempt });
      }
      const wait = retryMs[Math.min(attempt, retryMs.length - 1)] ?? 0;
      attempt += 1;
      const next = this.#paused ? 'paused' : `trying again in ${Math.round(wait / 1000)} s`;
      this.#log.warning(`${this.platform.name}: ${ended.message}; ${next}`);
      this.#set({ state: this.#paused ? 'paused' : 'retrying', error, attempt });
      if (await this.#waitFor(wait)) attempt = 0;
    }
    this.#set({ state: 'disconnected', attempt: 0 });
  }

  /** One adapter from its birth to its end; undefined when it was closed on purpose. */
  async #connection(connected: () => void): Promise<PlatformError | undefined> {
    const ended = Promise.withResolvers<PlatformError | undefined>();
    const life = new AbortController();
    const { signal } = this.#stop;
    const onStop = (): void => ended.resolve(undefined);
    signal.addEventListener('abort', onStop, { once: true });
    const host: AdapterHost = { ...this.#options.host(life.signal), failed: (error) => ended.resolve(error) };
    const adapter = this.platform.create(host);
    try {
      await adapter.connect(AbortSignal.any([signal, AbortSignal.timeout(this.#options.connectTimeoutMs)]));
      if (signal.aborted) return undefined;
      this.#adapter = adapter;
      connected();
      this.#set({ state: 'connected', attempt: 0 });
      this.#log.info(`${this.platform.name} is connected`);
      this.#options.onConnected();
      return await ended.promise;
    } catch (error) {
      return signal.aborted ? undefined : asPlatformError(this.platform.name, error);
    } finally {
      signal.removeEventListener('abort', onStop);
      this.#adapter = undefined;
      life.abort();
      await this.#disconnect(adapter);
    }
  }

  async #disconnect(adapter: PlatformAdapter): Promise<void> {
    const late = new AbortController();
    const { clock, disconnectMs } = this.#options;
    try {
      await Promise.race([adapter.disconnect(), clock.sleep(disconnectMs, late.signal)]);
    } catch (error) {
      this.#log.warning(`${this.platform.name} did not end its connection well`, error);
    } finally {
      late.abort();
    }
    await this.#options.released();
  }

  /** True when it was woken. */
  async #waitFor(ms: number): Promise<boolean> {
    const timer = new AbortController();
    let woken = false;
    const end = (): void => timer.abort();
    this.#wake = () => {
      woken = true;
      end();
    };
    this.#stop.signal.addEventListener('abort', end, { once: true });
    try {
      do {
        await this.#options.clock.sleep(this.#paused ? 3_600_000 : ms, timer.signal);
      } while (this.#paused);
    } catch {
      // It was woken, or everything ends.
    } finally {
      this.#stop.signal.removeEventListener('abort', end);
      this.#wake = undefined;
    }
    return woken;
  }

  #set(status: ConnectionStatus): void {
    this.#status = status;
    this.#options.onStatus(status);
  }
}

function asPlatformError(platform: string, error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  return new PlatformError(`${platform}_connect_error`, errorMessage(error), { retryable: true, cause: error });
}
