/** One server over its life: connected, lost, found again, parked, started anew. */
import pLimit, { type LimitFunction } from 'p-limit';
import { errorMessage, UserError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { timerMs } from '../lib/timer-limit.ts';
import { Breaker } from './breaker.ts';
import type { Connection, ConnectPorts, ServerWishes } from './connect.ts';
import { errorText } from './error-text.ts';
import type { Pins, Unagreed } from './pins.ts';
import { listTools, type ServerTool } from './server-tool.ts';
import type { ServerSettings } from './settings.ts';
import { Upkeep } from './upkeep.ts';
import { visibleLine } from './visible.ts';
import { firstRetries, type ServerWaits, usualWaits } from './waits.ts';

/**
 * `connecting`: for the first time. `resting`: ended because nobody called it, and started again with the next call.
 * `lost`: the connection broke, and is tried again. `parked`: given up for now; tried again now and then, and when a call
 * asks for it. `failed`: it never came up; tried again like a parked one. `closed`: for good.
 */
export type ServerState = 'connecting' | 'connected' | 'resting' | 'lost' | 'parked' | 'failed' | 'closed';

export interface ServerPorts extends ConnectPorts {
  readonly pins: Pins;
  /** Milliseconds: the waits between two tries, and between looks at a parked server. */
  readonly waits?: ServerWaits;
}

export interface RequestLimits {
  readonly signal: AbortSignal;
  /** Told when its turn has come; returns what to do at its end. */
  readonly onStart?: () => () => void;
  /** Milliseconds; default: what the server has for a call. */
  readonly timeoutMs?: number | undefined;
}

const sideBySideCalls = 8;

export class McpServer {
  readonly settings: ServerSettings;
  readonly breaker = new Breaker();
  readonly #ports: ServerPorts;
  readonly #wishes: Omit<ServerWishes, 'onToolsChanged'>;
  readonly #waits: ServerWaits;
  readonly #log: Log;
  readonly #limit: LimitFunction;
  readonly #upkeep: Upkeep;
  readonly #closing = new AbortController();
  #state: ServerState = 'connecting';
  #problem: string | undefined;
  #connection: Connection | undefined;
  #tools: readonly ServerTool[] = [];
  #unagreed: Unagreed = { changed: new Set(), added: new Set() };
  /** The try that is under way; never rejects. */
  #trying: Promise<void> | undefined;
  /** Cuts the wait before the next try short. */
  #hurry: (() => void) | undefined;
  #failures = 0;
  #isStarted = false;
  #isRefreshing = false;
  #refreshAgain = false;
  /** Of the clock of the process: not before is the list looked at again. */
  #relistAt = 0;

  constructor(settings: ServerSettings, ports: ServerPorts, wishes: Omit<ServerWishes, 'onToolsChanged'>) {
    this.settings = settings;
    this.#ports = ports;
    this.#wishes = wishes;
    this.#waits = ports.waits ?? usualWaits;
    this.#log = ports.log.named(settings.name);
    this.#limit = pLimit(settings.sideBySide ? sideBySideCalls : 1);
    this.#upkeep = new Upkeep(settings, {
      ping: () => this.#ping(),
      rest: () => void this.#rest(),
    });
  }

  get state(): ServerState {
    return this.#state;
  }

  /** Why it is not connected, in a line; undefined while it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get capabilities(): Connection['capabilities'] | undefined {
    return this.#connection?.capabilities ?? this.#lastCapabilities;
  }

  #lastCapabilities: Connection['capabilities'] | undefined;

  /** What it lists now; empty while it is given up. */
  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  /** Names of its tools that are not those that were agreed to. */
  get changed(): ReadonlySet<string> {
    return this.#unagreed.changed;
  }

  /** Names of its tools that came after it was agreed to. */
  get added(): ReadonlySet<string> {
    return this.#unagreed.added;
  }

  /** Resolves when the first connection is there or given up; at once for one that was started before. Never rejects. */
  async start(): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (const warning of this.settings.warnings) this.#log.warning(warning);
    await this.#attempt([0, ...this.#waits.retry.slice(0, firstRetries)], 'failed');
  }

  /** A person has looked at these tools as they are now. */
  agree(names: ReadonlySet<string>): void {
    const agreed = this.#tools.filter(({ name }) => names.has(name));
    this.#ports.pins.agree(this.settings, agreed);
    const left = (before: ReadonlySet<string>): ReadonlySet<string> =>
      new Set([...before].filter((name) => !agreed.some((tool) => tool.name === name)));
    this.#unagreed = { changed: left(this.changed), added: left(this.added) };
  }

  /**
   * Sends one request. Rejects with a `NotConnected` while there is no connection, with the server's error, after the
   * deadline, and when `signal` aborts.
   */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { signal, onStart, timeoutMs }: RequestLimits,
  ): Promise<Readonly<Record<string, unknown>>> {
    return await this.#limit(async () => {
      signal.throwIfAborted();
      const finished = this.#upkeep.begin();
      const end = onStart?.();
      try {
        return await this.#send(method, params, signal, timeoutMs);
      } finally {
        end?.();
        finished();
      }
    });
  }

  /** Ends its process, and everything that waits for it. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#closing.abort(new UserError('the server was closed'));
    this.#upkeep.stop();
    this.#hurry?.();
    await this.#trying;
    await this.#connection?.close().catch(() => undefined);
    this.#tools = [];
  }

  async #send(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    timeoutMs = this.settings.callMs,
  ): Promise<Readonly<Record<string, unknown>>> {
    const limits = { signal: AbortSignal.any([signal, this.#closing.signal]), timeoutMs };
    const connection = await this.#connected(signal);
    try {
      return await connection.request(method, params, limits);
    } catch (error) {
      const { isLostSession } = await import('./connect.ts');
      if (!isLostSession(error) || signal.aborted) throw error;
      // The server has forgotten us, and so has not done what was asked.
      await connection.close().catch(() => undefined);
      await this.#lose(connection);
      return await (await this.#connected(signal)).request(method, params, limits);
    }
  }

  async #connected(signal: AbortSignal): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    if (this.#state === 'closed') throw new NotConnected(this.settings.name, false);
    const isResting = this.#state === 'resting';
    if (this.#trying === undefined) void this.#attempt([0], isResting ? 'parked' : this.#givenUpAs());
    else this.#hurry?.();
    await within(this.#trying, isResting ? this.#waits.wake : this.#waits.call, signal);
    // A try that is over may have brought it.
    const connection = this.#now();
    if (connection === undefined) throw new NotConnected(this.settings.name, true, this.#problem);
    return connection;
  }

  #now(): Connection | undefined {
    return this.#connection;
  }

  #givenUpAs(): 'failed' | 'parked' {
    return this.#state === 'failed' ? 'failed' : 'parked';
  }

  /** Tries until it is connected, once after each of the waits. Never rejects. */
  #attempt(waits: readonly number[], givenUpAs: 'failed' | 'parked'): Promise<void> {
    this.#trying ??= this.#try(waits, givenUpAs).finally(() => {
      this.#trying = undefined;
    });
    return this.#trying;
  }

  async #try(waits: readonly number[], givenUpAs: 'failed' | 'parked'): Promise<void> {
    for (const [at, wait] of waits.entries()) {
      if (wait > 0) await this.#pause(wait);
      if (this.#closing.signal.aborted) return;
      try {
        await this.#connect();
        return;
      } catch (error) {
        this.#problem = errorText(error);
        if (this.#closing.signal.aborted) return;
        // What the configuration says wrongly is wrong the next time as well.
        if (at === waits.length - 1 || error instanceof UserError) return this.#giveUp(givenUpAs, error);
      }
    }
  }

  async #connect(): Promise<void> {
    const { connect } = await import('./connect.ts');
    const { settings } = this;
    const wishes = { ...this.#wishes, onToolsChanged: () => void this.#refresh() };
    const connection = await connect(settings, this.#ports, wishes, this.#closing.signal);
    try {
      await this.#list(connection);
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
    if (this.#closing.signal.aborted) return await connection.close();
    this.#connection = connection;
    this.#lastCapabilities = connection.capabilities;
    this.#state = 'connected';
    this.#problem = undefined;
    const since = performance.now();
    this.#upkeep.connected();
    this.#log.info(`connected over ${settings.reach.kind}: ${this.#tools.length} tools`);
    void connection.ended.then(() => {
      if (performance.now() - since >= this.#waits.steady) this.#failures = 0;
      return this.#lose(connection);
    });
  }

  async #list(connection: Connection): Promise<void> {
    if (!connection.capabilities.tools) {
      this.#tools = [];
      return;
    }
    const tools = await listTools(connection, this.settings.name, {
      signal: this.#closing.signal,
      timeoutMs: this.settings.connectMs,
      onSkipped: (why) => this.#log.warning(`left out: ${why}`),
    });
    this.#unagreed = this.#ports.pins.check(this.settings, tools);
    for (const name of this.changed) {
      this.#log.warning(
        `the tool ${visibleLine(name)} describes itself otherwise than agreed: its words are withheld, and it asks`,
      );
    }
    for (const name of this.added) {
      this.#log.info(`the tool ${visibleLine(name)} came after the server was agreed to: its first call asks`);
    }
    // What is the same stays the same object: the list that is sent then keeps its bytes.
    const known = new Map(this.#tools.map((tool) => [tool.name, tool]));
    this.#tools = tools.map((tool) => {
      const before = known.get(tool.name);
      return before?.hash === tool.hash ? before : tool;
    });
  }

  /** One look at a time, and not all the time; what changes meanwhile is looked at afterwards. Never rejects. */
  async #refresh(): Promise<void> {
    if (this.#isRefreshing) {
      this.#refreshAgain = true;
      return;
    }
    const wait = this.#relistAt - performance.now();
    // After another connection the list is read anyway.
    if (wait > 0) return this.#upkeep.later(wait, () => void this.#refresh());
    this.#isRefreshing = true;
    await this.#refreshNow();
    this.#isRefreshing = false;
    this.#relistAt = performance.now() + this.#waits.relist;
    if (!this.#refreshAgain) return;
    this.#refreshAgain = false;
    void this.#refresh();
  }

  async #refreshNow(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    const before = this.#tools;
    try {
      await this.#list(connection);
      const isSame = before.length === this.#tools.length && before.every((tool, at) => tool === this.#tools[at]);
      if (!isSame) this.#log.info(`its list of tools changed: ${this.#tools.length} tools`);
    } catch (error) {
      this.#log.warning('its changed list of tools could not be read', error);
    }
  }

  /** The connection has ended. Does nothing when it is not the one in use. Never rejects. */
  async #lose(connection: Connection): Promise<void> {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#upkeep.stop();
    if (this.#state === 'closed' || this.#state === 'resting') return;
    this.#state = 'lost';
    this.#problem = 'the connection ended';
    this.#failures += 1;
    const { retry } = this.#waits;
    if (this.#failures > retry.length) return this.#giveUp('parked', new Error('it ended again and again'));
    this.#log.warning('the connection ended; trying again');
    await this.#attempt(retry.slice(this.#failures - 1), 'parked');
  }

  #giveUp(state: 'failed' | 'parked', error: unknown): void {
    this.#state = state;
    this.#tools = [];
    this.#failures = 0;
    this.#problem = errorText(error);
    const hint = error instanceof UserError && error.hint !== undefined ? ` ${error.hint}` : '';
    this.#log.warning(`not connected: ${this.#problem}${hint}`);
    this.#upkeep.later(this.#waits.revive, () => void this.#attempt([0], state));
  }

  async #ping(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    const timeoutMs = Math.min(this.settings.callMs, 30_000);
    try {
      await connection.request('ping', {}, { signal: this.#closing.signal, timeoutMs });
    } catch (error) {
      // Whoever answers that it does not know the request has answered.
      if (/method not found/i.test(errorMessage(error))) return;
      this.#log.warning('it answers no more', error);
      await connection.close().catch(() => undefined);
      await this.#lose(connection);
    }
  }

  async #rest(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#state = 'resting';
    this.#connection = undefined;
    this.#upkeep.stop();
    this.#log.info('ended until it is called again');
    await connection.close().catch(() => undefined);
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hurry = resolve;
    const timer = setTimeout(resolve, timerMs(ms));
    timer.unref();
    await promise;
    clearTimeout(timer);
    this.#hurry = undefined;
  }
}

/** There is no connection right now. `isTried`: one is being made. */
export class NotConnected extends Error {
  constructor(name: string, isTried: boolean, problem?: string) {
    const why = problem === undefined ? '' : ` (${problem})`;
    super(
      isTried
        ? `MCP server '${name}' is not connected: its transport is down and a new connection is being made${why}. Try again later.`
        : `MCP server '${name}' is not connected`,
    );
  }
}

/** Waits for `work`, at most `ms`; rejects only when `signal` aborts. The process stays for it. */
async function within(work: Promise<void> | undefined, ms: number, signal: AbortSignal): Promise<void> {
  if (work === undefined) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timerMs(ms));
  const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('interrupted'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
