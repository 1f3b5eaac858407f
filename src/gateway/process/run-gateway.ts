/** Runs the gateway of a home in this process, from the lock to the exit code. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayProcessSettings } from '../../config/gateway-process.ts';
import type { Home } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Variables } from '../../config/variables.ts';
import type { GatewayView } from '../../http/api/gateway-view.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Program } from '../../runtime/program.ts';
import type { ConnectionStatus } from '../connections/platform-connection.ts';
import type { Gateway, GatewayOptions } from '../gateway.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import { type GatewayHooks, noHooks } from '../hooks/gateway-hooks.ts';
import { openHooks } from '../hooks/open-hooks.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { configuredPlatforms } from './configured-platforms.ts';
import { DrainRequest } from './drain-request.ts';
import { endGateway } from './end-gateway.ts';
import type { KeptListener } from './kept-listener.ts';
import { LiveVariables } from './live-variables.ts';
import { markCleanEnd, takeAnnouncedEnd, takeCleanEnd } from './markers.ts';
import { openGateway } from './open-gateway.ts';
import { openListeners } from './open-listeners.ts';
import { askForNotice, giveNotice } from './restart-notice.ts';
import { type GatewayLock, lockGateway, runningGateway } from './running-gateway.ts';
import { tellOfEnd } from './shutdown-notices.ts';
import { recordExit, watchShutdown } from './shutdown-watchdog.ts';
import { countStart, isRestartLoop } from './start-guards.ts';
import { GatewayState, readGatewayState, startHeartbeat } from './state-file.ts';
import { exitCodeOf, type StopRequest, StopRequests } from './stop-request.ts';
import { openDoorWarning, placeholderWarnings } from './surroundings.ts';
import { type SystemdNotice, systemdNotice } from './systemd-notice.ts';
import { TokenLocks } from './token-locks.ts';

export interface RunGatewayOptions {
  readonly home: Home;
  readonly config: LoadedConfig;
  readonly env: Variables;
  readonly log: Log;
  readonly version: string;
  /** What is said to a slash command of a part that this build does not have; undefined for every other line. */
  missing(line: string): string | undefined;
  /** For whoever started it; warnings are in the log as well. */
  say(line: string): void;
  /** Ends a gateway that runs in this home, and takes its place. */
  readonly replace: boolean;
  /** Something outside starts it again, whatever the environment says. */
  readonly supervised: boolean;
  /** Reads `.env` again and returns all variables. */
  reloadVariables(): Variables;
  /** Writes variables to `.env`. Throws `UserError`. */
  saveVariables(variables: Readonly<Record<string, string>>): Promise<void>;
  /** The files of chats, in both directions. */
  readonly media: (program: Program) => Pick<GatewayOptions, 'receive' | 'takeFiles' | 'takePictures'>;
  openProgram(): Promise<Program>;
}

/** How long a gateway that is replaced has to end, and what it gives its turns of that. */
const replaceMs = 10_000;
const replacedDrainMs = 7000;
/** On top of the drain, before a stop that hangs is cut short. */
const stopMs = 25_000;
/** How often a changed number of running turns is written down. */
const touchMs = 5000;
const pausedText = 'I am asked not to begin anything new just now; please send it again later.';
/** Sessions that were active so shortly before an unclean end were cut off. */
const activeSeconds = 120;

/** Resolves with the exit code when the gateway has ended. Throws `UserError` when it cannot run here. */
export async function runGateway(options: RunGatewayOptions): Promise<number> {
  const lock = await takeLock(options);
  const run = new GatewayRun(options);
  try {
    return await run.run();
  } finally {
    run.end();
    lock.release();
  }
}

async function takeLock({ home, replace }: RunGatewayOptions): Promise<GatewayLock> {
  const running = runningGateway(home.path);
  if (running !== undefined && replace) await endGateway(home.path, running, { kind: 'takeover', graceMs: replaceMs });
  const lock = running === undefined || replace ? lockGateway(home.path) : undefined;
  if (lock !== undefined) return lock;
  const who = running === undefined ? '' : ` (pid ${running.pid})`;
  throw new UserError(`A gateway is already running for ${home.path}${who}.`, {
    hint: 'Use one of: hermes gateway restart, hermes gateway stop, hermes gateway run --replace',
  });
}

/** Without a platform, or while all of them wait to be tried again, nothing else keeps the process. */
function stayAlive(): () => void {
  const timer = setInterval(() => undefined, 3_600_000);
  return () => clearInterval(timer);
}

class GatewayRun {
  readonly #options: RunGatewayOptions;
  readonly #homePath: string;
  readonly #log: Log;
  readonly #state: GatewayState;
  readonly #stop = new StopRequests();
  readonly #variables: LiveVariables;
  readonly #endings: (() => void)[] = [];
  #gateway: Gateway | undefined;
  #hooks: GatewayHooks = noHooks;
  readonly #drainRequest: DrainRequest;
  readonly #notice: SystemdNotice;
  #listeners: readonly KeptListener[] = [];
  #started = false;
  /** Who asked for the restart. */
  #askedBy: SessionSource | undefined;

  constructor(options: RunGatewayOptions) {
    this.#options = options;
    this.#homePath = options.home.path;
    this.#log = options.log.named('gateway');
    const active = (): number => this.#gateway?.status.busyChats ?? 0;
    this.#state = new GatewayState(this.#homePath, { log: this.#log, active });
    this.#variables = new LiveVariables(this.#homePath, options.env, () => options.reloadVariables());
    this.#drainRequest = new DrainRequest(this.#homePath, Date.now());
    const { env } = options;
    this.#notice = systemdNotice(gatewayProcessSettings(env), { env, log: this.#log });
    this.#endings.push(() => this.#notice.end());
  }

  async run(): Promise<number> {
    const begun = passGuards(this.#homePath, this.#options.config.config);
    this.#endings.push(this.#stop.listen(() => takeAnnouncedEnd(this.#homePath)));
    this.#state.set('starting');
    this.#endings.push(startHeartbeat(this.#homePath, this.#log), stayAlive());
    if (!begun.resumes) {
      this.#warn(
        'The gateway was cut off again and again (gateway.restart_loop_guard): turns that were running are not gone on with.',
      );
    }
    await this.#wait(begun.waitMs);
    if (this.#stop.isWanted) return this.#ended(await this.#stop.wanted);
    let program: Program | undefined;
    try {
      program = await this.#options.openProgram();
      this.#hooks = await this.#openHooks();
      const misconfigured = await this.#start(program, begun);
      const request = misconfigured ?? (await this.#stop.wanted);
      await this.#leave(request);
      return this.#ended(request);
    } catch (error) {
      this.#state.set('startup_failed', { reason: errorMessage(error) });
      throw error;
    } finally {
      await this.#hooks.close();
      await program?.close();
    }
  }

  end(): void {
    for (const end of this.#endings.splice(0)) end();
  }

  /** Resolves when every platform was tried once; with a request when there is nothing that could be connected. */
  async #start(program: Program, begun: BegunRun): Promise<StopRequest | undefined> {
    const { config } = this.#options;
    for (const line of [...program.warnings, ...placeholderWarnings(this.#homePath)]) this.#warn(line);
    const sources = { raw: config.raw, variables: this.#variables.current };
    const platforms = await configuredPlatforms(sources, (line) => this.#warn(line));
    const warning = openDoorWarning(platforms, this.#variables.current);
    if (warning !== undefined) this.#warn(warning);
    const gateway = this.#open(program, platforms, begun.resumes);
    this.#gateway = gateway;
    if (begun.unclean) await this.#markCutOff(gateway, Date.now() - activeSeconds * 1000);
    this.#listeners = openListeners({
      gateway,
      view: this.#view(),
      log: this.#log.named('http'),
      onStatus: (name, status) => this.#platformChanged(name, status),
    });
    await Promise.all([gateway.start(), ...this.#listeners.map((listener) => listener.start())]);
    this.#started = true;
    this.#settle();
    await giveNotice(this.#homePath, gateway);
    const touch = setInterval(() => {
      this.#settle();
      this.#state.touch();
    }, touchMs).unref();
    this.#endings.push(() => clearInterval(touch));
    this.#tellStart();
    this.#notice.ready();
    this.#hooks.gatewayStarted(gateway.connected);
    return this.#hopeless ? { kind: 'misconfigured', reason: this.#problems } : undefined;
  }

  #open(program: Program, platforms: readonly ConfiguredPlatform[], resumes: boolean): Gateway {
    const { home, env, version, media } = this.#options;
    return openGateway({
      program,
      platforms,
      locks: new TokenLocks(gatewayProcessSettings(env).lockDirectory, home.path),
      hooks: this.#hooks,
      media: media(program),
      version,
      startedAt: Date.now(),
      missing: (line) => this.#options.missing(line),
      saveVariables: (variables) => this.#options.saveVariables(variables),
      restart: (event) => this.#restart(event),
      variables: () => this.#variables.current,
      onStatus: (platform, status) => this.#platformChanged(platform, status),
      resumes,
      paused: () => (this.#drainRequest.active ? pausedText : undefined),
    });
  }

  async #openHooks(): Promise<GatewayHooks> {
    const env = this.#variables.current;
    return await openHooks({ homePath: this.#homePath, env, log: this.#log, warn: (line) => this.#warn(line) });
  }

  /** What runs is given its time; what is cut off is taken up by the next gateway. */
  async #leave(request: StopRequest): Promise<void> {
    const gateway = this.#gateway;
    if (gateway === undefined) return;
    const restarts = request.kind === 'restart' || (request.kind === 'signal' && this.#isSupervised);
    const wanted = request.kind === 'misconfigured' ? 0 : gateway.settings.drainMs;
    const drainMs = request.kind === 'takeover' ? Math.min(wanted, replacedDrainMs) : wanted;
    this.#log.info(`ending: ${request.reason}`);
    this.#notice.stopping();
    this.#state.set('draining', { reason: request.reason, restart: request.kind === 'restart' });
    this.#endings.push(watchShutdown(this.#homePath, drainMs + stopMs, exitCodeOf(request)));
    const patience = AbortSignal.any([this.#stop.impatient, AbortSignal.timeout(drainMs)]);
    await Promise.all([
      tellOfEnd(gateway, { restarts, drainSeconds: Math.round(drainMs / 1000) }, this.#askedBy),
      gateway.drain(patience),
      ...this.#listeners.map((listener) => listener.stop(drainMs)),
    ]);
    const cutOff = gateway.chats.busy.map(({ sessionKey }) => sessionKey);
    await gateway.routing.markCutOff(cutOff, restarts ? 'restart_timeout' : 'shutdown_timeout');
    await gateway.close();
  }

  #ended(request: StopRequest): number {
    const code = exitCodeOf(request);
    // A supervisor that starts it again finds the state that it was in.
    const state =
      request.kind === 'signal' ? 'running' : request.kind === 'misconfigured' ? 'startup_failed' : 'stopped';
    this.#state.set(state, { reason: request.reason });
    recordExit(this.#homePath, { reason: request.reason, code });
    markCleanEnd(this.#homePath);
    if (request.kind === 'misconfigured') this.#warn(`No platform can be connected: ${request.reason}`);
    return code;
  }

  get #isSupervised(): boolean {
    return this.#options.supervised || gatewayProcessSettings(this.#options.env).supervised;
  }

  #restart(event: MessageEvent): boolean {
    if (!this.#isSupervised) return false;
    askForNotice(this.#homePath, event);
    this.#askedBy = event.source;
    this.#stop.ask({ kind: 'restart', reason: 'somebody asked for a restart in a chat' });
    return true;
  }

  async #markCutOff(gateway: Gateway, since: number): Promise<void> {
    const entries = [...(await gateway.routing.load()).values()];
    const active = entries.filter(({ updated_at: at }) => Date.parse(at) >= since);
    await gateway.routing.markCutOff(
      active.map(({ session_key: key }) => key),
      'restart_interrupted',
    );
  }

  #platformChanged(name: string, status: ConnectionStatus): void {
    this.#state.setPlatform(name, status);
    if (!this.#started || this.#stop.isWanted) return;
    this.#settle();
    if (this.#hopeless) this.#stop.ask({ kind: 'over', reason: this.#problems });
  }

  /** How it is as a whole. */
  #settle(): void {
    const all = this.#statuses;
    if (this.#stop.isWanted) return;
    const isUp = all.length === 0 || all.some(([, { state }]) => state === 'connected');
    const next = this.#drainRequest.active ? 'draining' : isUp ? 'running' : 'degraded';
    if (this.#state.state !== next) this.#state.set(next);
  }

  get #statuses(): readonly (readonly [string, ConnectionStatus])[] {
    const listeners = this.#listeners.map(({ name, status }) => [name, status] as const);
    return [...Object.entries(this.#gateway?.status.platforms ?? {}), ...listeners];
  }

  /** Platforms are wanted, and none of them will ever be connected as it is set up. */
  get #hopeless(): boolean {
    return this.#statuses.length > 0 && this.#statuses.every(([, { state }]) => state === 'fatal');
  }

  get #problems(): string {
    return this.#statuses
      .flatMap(([name, { error }]) => (error === undefined ? [] : `${name}: ${error.message}`))
      .join('; ');
  }

  #view(): GatewayView {
    const [state, gateway, request] = [this.#state, () => this.#gateway, this.#drainRequest];
    return {
      get state() {
        return state.state;
      },
      get platforms() {
        return state.platforms;
      },
      get exitReason() {
        return state.exitReason;
      },
      get activeAgents() {
        return gateway()?.status.busyChats ?? 0;
      },
      get draining() {
        return request.active || (gateway()?.status.draining ?? false);
      },
    };
  }

  #tellStart(): void {
    const { home } = this.#options;
    const platforms = this.#statuses.map(([name, { state }]) => `${name} ${state}`);
    const where = this.#listeners.flatMap(({ words }) => (words === undefined ? [] : ` ${words}`)).join('');
    const what = platforms.length === 0 ? 'no platform is set up (docs/gateway.md says how)' : platforms.join(', ');
    const line = `The gateway of profile ${home.profile} runs (pid ${process.pid}): ${what}.${where}`;
    this.#log.info(line);
    this.#options.say(line);
  }

  async #wait(ms: number): Promise<void> {
    if (ms === 0) return;
    this.#warn(`The gateway is started too often; this start waits ${Math.round(ms / 1000)} s.`);
    const over = new AbortController();
    await Promise.race([sleep(ms, undefined, { signal: over.signal }).catch(() => undefined), this.#stop.wanted]);
    over.abort();
  }

  #warn(line: string): void {
    this.#log.warning(line);
    this.#options.say(line);
  }
}

interface BegunRun {
  /** The last gateway of this home did not end in good order. */
  readonly unclean: boolean;
  readonly resumes: boolean;
  /** A start that comes too soon after others waits. */
  readonly waitMs: number;
}

function passGuards(homePath: string, { gateway }: LoadedConfig['config']): BegunRun {
  const { respawn_storm: storm, restart_loop_guard: loop } = gateway;
  const before = readGatewayState(homePath);
  const unclean = !takeCleanEnd(homePath) && before !== undefined;
  return {
    unclean,
    resumes: !unclean || !isRestartLoop(homePath, { maxStarts: loop.max_restarts, windowSeconds: loop.window_seconds }),
    waitMs: countStart(homePath, { maxStarts: storm.max_starts, windowSeconds: storm.window_seconds }),
  };
}
