/** What others see of the gateway: `gateway_state.json`, and the sign of life beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { ConnectionStatus } from '../connections/platform-connection.ts';
import { ownRecord } from './process-record.ts';
import { gatewayRecord } from './running-gateway.ts';

export const lifeStates = ['starting', 'running', 'degraded', 'draining', 'startup_failed', 'stopped'] as const;
export type LifeState = (typeof lifeStates)[number];

export interface PlatformView {
  readonly state: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly updated_at: string;
}

const platform = z.looseObject({
  state: z.string(),
  error_code: z.string().nullish(),
  error_message: z.string().nullish(),
  updated_at: z.string().optional(),
});

const stored = z.looseObject({
  pid: z.number(),
  gateway_state: z.string(),
  exit_reason: z.string().nullish(),
  active_agents: z.number().default(0),
  updated_at: z.string().optional(),
  platforms: z.record(z.string(), platform).default({}),
  served_profiles: z.array(z.string()).optional().catch(undefined),
});

export type StoredState = z.infer<typeof stored>;

/** What the last gateway of this home wrote; undefined: there was none. */
export function readGatewayState(homePath: string): StoredState | undefined {
  try {
    return stored.safeParse(parseJson(readFileSync(statePath(homePath), 'utf8'))).data;
  } catch {
    return undefined;
  }
}

export interface GatewayStateOptions {
  readonly log: Log;
  /** How many turns run. */
  readonly active: () => number;
  /** The profiles that the process serves, where it serves all of them. */
  readonly served?: () => readonly string[] | undefined;
}

/** A change is written a moment later, together with what follows it. */
export class GatewayState {
  readonly #homePath: string;
  readonly #log: Log;
  readonly #active: () => number;
  readonly #served: () => readonly string[] | undefined;
  #state: LifeState = 'starting';
  #exitReason: string | null = null;
  #restart = false;
  readonly #platforms = new Map<string, PlatformView>();
  #waiting: NodeJS.Timeout | undefined;
  #written = -1;

  constructor(homePath: string, { log, active, served = () => undefined }: GatewayStateOptions) {
    this.#homePath = homePath;
    this.#log = log;
    this.#active = active;
    this.#served = served;
  }

  get state(): LifeState {
    return this.#state;
  }

  get exitReason(): string | null {
    return this.#exitReason;
  }

  get platforms(): Readonly<Record<string, PlatformView>> {
    return Object.fromEntries(this.#platforms);
  }

  set(state: LifeState, { reason, restart }: { readonly reason?: string; readonly restart?: boolean } = {}): void {
    this.#state = state;
    if (reason !== undefined) this.#exitReason = reason;
    if (restart !== undefined) this.#restart = restart;
    this.write();
  }

  setPlatform(name: string, { state, error }: Pick<ConnectionStatus, 'state' | 'error'>): void {
    this.#platforms.set(name, {
      state,
      error_code: error?.code ?? null,
      error_message: error?.message ?? null,
      updated_at: new Date().toISOString(),
    });
    this.#waiting ??= setTimeout(() => this.write(), gatherMs).unref();
  }

  /** Writes the number of running turns when it has changed. */
  touch(): void {
    if (this.#active() !== this.#written) this.write();
  }

  /** A state that cannot be written is no reason to stop working. */
  write(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#written = this.#active();
    const state = {
      ...gatewayRecord(),
      gateway_state: this.#state,
      exit_reason: this.#exitReason,
      restart_requested: this.#restart,
      active_agents: this.#written,
      platforms: this.platforms,
      served_profiles: this.#served(),
      updated_at: new Date().toISOString(),
    };
    try {
      writeFileAtomic(statePath(this.#homePath), `${JSON.stringify(state, undefined, 2)}\n`, { durable: false });
    } catch (error) {
      this.#log.warning('the state of the gateway could not be written', error);
    }
  }
}

const gatherMs = 50;
const beatMs = 30_000;

/** Writes it now and every 30 seconds, until what it returns is called. */
export function startHeartbeat(homePath: string, log: Log): () => void {
  const beat = (): void => {
    const { pid, start_time } = ownRecord();
    const sign = { pid, updated_at: new Date().toISOString(), monotonic: process.uptime(), start_time };
    try {
      makeDirectories(join(homePath, 'state'), 0o700);
      writeFileAtomic(join(homePath, 'state', 'gateway.heartbeat'), `${JSON.stringify(sign)}\n`, { durable: false });
    } catch (error) {
      log.warning('the sign of life could not be written', error);
    }
  };
  beat();
  // It keeps the process alive, too: a gateway without a platform has nothing else that does.
  const timer = setInterval(beat, beatMs);
  return () => clearInterval(timer);
}

function statePath(homePath: string): string {
  return join(homePath, 'gateway_state.json');
}
