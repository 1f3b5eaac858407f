/** The API server inside the gateway: started with it, tried again while its port is taken. */
import type { ApiServerSettings } from '../../config/api-server.ts';
import { keyProblem } from '../../config/api-server.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Program } from '../../runtime/program.ts';
import type { GatewayView } from '../../http/api/gateway-view.ts';
import type { HttpServer } from '../../http/server.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { ConnectionStatus } from '../connections/platform-connection.ts';

export interface ApiListenerOptions {
  readonly program: Program;
  readonly view: GatewayView;
  readonly settings: ApiServerSettings;
  readonly clock: AdapterClock;
  readonly log: Log;
  onStatus(status: ConnectionStatus): void;
}

const retryMs = [5000, 30_000, 60_000, 120_000, 300_000];

export class ApiListener {
  readonly #options: ApiListenerOptions;
  readonly #stop = new AbortController();
  #server: HttpServer | undefined;
  #trying: Promise<void> = Promise.resolve();
  #status: ConnectionStatus = { state: 'disconnected', attempt: 0 };

  constructor(options: ApiListenerOptions) {
    this.#options = options;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  get url(): string | undefined {
    return this.#server?.url;
  }

  /** Resolves after the first attempt. */
  async start(): Promise<void> {
    const problem = keyProblem(this.#options.settings.key);
    if (problem !== undefined) {
      const message = `the API server does not start: ${problem}. Set API_SERVER_KEY in .env to a long random text.`;
      this.#options.log.error(message);
      return this.#set({ state: 'fatal', error: { code: 'api_server_key', message }, attempt: 0 });
    }
    this.#set({ state: 'connecting', attempt: 0 });
    if (!(await this.#attempt(0))) this.#trying = this.#keepTrying();
  }

  /** Takes nothing new; what runs has this long to end. */
  async stop(drainMs: number): Promise<void> {
    this.#stop.abort();
    await this.#trying;
    await this.#server?.stop({ drainMs });
    this.#set({ ...this.#status, state: 'disconnected' });
  }

  async #keepTrying(): Promise<void> {
    const { clock } = this.#options;
    for (let attempt = 1; !this.#stop.signal.aborted; attempt += 1) {
      const wait = retryMs[Math.min(attempt, retryMs.length) - 1] ?? 0;
      await clock.sleep(wait, this.#stop.signal).catch(() => undefined);
      if (this.#stop.signal.aborted || (await this.#attempt(attempt))) return;
    }
  }

  async #attempt(attempt: number): Promise<boolean> {
    const { program, view, log } = this.#options;
    try {
      const { startApiServer } = await import('../../http/api/start-api-server.ts');
      this.#server = await startApiServer(program, undefined, { gateway: view });
      this.#set({ state: 'connected', attempt: 0 });
      return true;
    } catch (error) {
      const message = errorMessage(error);
      log.warning(`${message} It is tried again.`);
      this.#set({ state: 'retrying', error: { code: 'api_server_listen', message }, attempt: attempt + 1 });
      return false;
    }
  }

  #set(status: ConnectionStatus): void {
    this.#status = status;
    this.#options.onStatus(status);
  }
}
