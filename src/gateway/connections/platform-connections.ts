/** The connections of all platforms, and what their adapters are given of the gateway. */
import type { Network } from '../../lib/connections.ts';
import type { Log } from '../../lib/log.ts';
import type { Acceptance, AdapterClock, AdapterHost } from '../platform/adapter-host.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import type { ChatAddress } from '../platform/adapter.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { type ConnectionStatus, PlatformConnection } from './platform-connection.ts';

/** What adapters reach of the machine. */
export interface AdapterServices {
  readonly network: Network;
  readonly fetchOutside: typeof fetch;
  notes(platform: string): AdapterHost['notes'];
  folder(platform: string): Promise<string>;
  lock(platform: string, scope: string, identity: string): Promise<void>;
  /** Gives back what a platform has locked. */
  unlock(platform: string): Promise<void>;
  /** Settings that name the chat name it by its new id from now on; what cannot be changed is told. */
  moved(platform: string, from: string, to: string): Promise<void>;
}

export interface PlatformConnectionsOptions extends Pick<AdapterHost, 'press' | 'isAuthorized'> {
  readonly services: AdapterServices;
  readonly clock: AdapterClock;
  readonly log: Log;
  readonly connectTimeoutMs: number;
  readonly disconnectMs: number;
  /** `signal` aborts when the connection that it came through has ended. */
  accept(event: MessageEvent, signal: AbortSignal): Promise<Acceptance>;
  moved(platform: string, from: string, to: string): Promise<void>;
  threadGone(platform: string, to: ChatAddress): void;
  onStatus(platform: string, status: ConnectionStatus): void;
  onConnected(platform: string): void;
}

export class PlatformConnections {
  readonly #options: PlatformConnectionsOptions;
  readonly #connections = new Map<string, PlatformConnection>();

  constructor(options: PlatformConnectionsOptions) {
    this.#options = options;
  }

  get all(): readonly PlatformConnection[] {
    return [...this.#connections.values()];
  }

  /** Names of the platforms that are connected. */
  get connected(): readonly string[] {
    return this.all.filter(({ adapter }) => adapter !== undefined).map(({ platform }) => platform.name);
  }

  get status(): Readonly<Record<string, ConnectionStatus>> {
    return Object.fromEntries([...this.#connections].map(([name, { status }]) => [name, status]));
  }

  get(platform: string): PlatformConnection | undefined {
    return this.#connections.get(platform);
  }

  /** Resolves when every platform was tried once. */
  async start(platforms: readonly ConfiguredPlatform[]): Promise<void> {
    for (const configured of platforms) this.#connections.set(configured.platform.name, this.#connection(configured));
    await Promise.all(this.all.map((connection) => connection.start()));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((connection) => connection.close()));
  }

  #connection({ platform, config }: ConfiguredPlatform): PlatformConnection {
    const options = this.#options;
    const { services, clock, connectTimeoutMs, disconnectMs } = options;
    const { name } = platform;
    const log = options.log.named(name);
    const connection: PlatformConnection = new PlatformConnection({
      platform,
      config,
      clock,
      log,
      connectTimeoutMs,
      disconnectMs,
      host: (signal) => ({
        // As it is by then: chats may have got other ids.
        config: connection.config,
        log,
        clock,
        network: services.network,
        fetchOutside: services.fetchOutside,
        notes: services.notes(name),
        folder: () => services.folder(name),
        accept: (event) => options.accept(event, signal),
        moved: (from, to) => options.moved(name, from, to),
        threadGone: (to) => options.threadGone(name, to),
        press: (press) => options.press(press),
        isAuthorized: (source) => options.isAuthorized(source),
        lock: (scope, identity) => services.lock(name, scope, identity),
      }),
      released: () => services.unlock(name),
      onStatus: (status) => options.onStatus(name, status),
      onConnected: () => options.onConnected(name),
    });
    return connection;
  }
}
