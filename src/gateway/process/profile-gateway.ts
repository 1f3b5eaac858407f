/** The gateway of one home inside a process: its program, its chats, and what others see of it. */
import type { Home } from '../../config/home.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Variables } from '../../config/variables.ts';
import type { GatewayView } from '../../http/api/gateway-view.ts';
import type { Log } from '../../lib/log.ts';
import type { Program } from '../../runtime/program.ts';
import type { ConnectionStatus } from '../connections/platform-connection.ts';
import type { Gateway } from '../gateway.ts';
import type { Guests, Lender } from '../lending.ts';
import type { ChatMedia } from '../media/chat-media.ts';
import type { TakenMedia } from '../media/take-media.ts';
import { type GatewayHooks, noHooks } from '../hooks/gateway-hooks.ts';
import { openHooks } from '../hooks/open-hooks.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { proxyWarning } from '../elsewhere/proxy-route.ts';
import { configuredPlatforms } from './configured-platforms.ts';
import { pluggedOf } from '../plugged/plugged-of.ts';
import { DrainRequest } from './drain-request.ts';
import { LiveVariables } from './live-variables.ts';
import { KeptJobs } from './kept-jobs.ts';
import { markCleanEnd, takeCleanEnd } from './markers.ts';
import { openGateway } from './open-gateway.ts';
import { askForNotice, giveNotice, noteInstalled } from './restart-notice.ts';
import { tellOfEnd } from './shutdown-notices.ts';
import { isRestartLoop } from './start-guards.ts';
import { GatewayState, type LifeState, readGatewayState, startHeartbeat } from './state-file.ts';
import { openDoorWarning, placeholderWarnings } from './surroundings.ts';
import { TokenLocks } from './token-locks.ts';
import type { AskedUpdate } from './update-request.ts';

/** The files of chats; over the API, whose readers cannot open files of this machine, pictures stand in the text. */
export interface RunMedia extends ChatMedia {
  takeFiles(text: string): TakenMedia;
  inlinePictures(text: string): Promise<string>;
}

/** What a profile is served with; nothing of it belongs to another one. */
export interface ProfileOptions {
  readonly home: Home;
  readonly config: LoadedConfig;
  readonly env: Variables;
  readonly log: Log;
  /** For whoever started it; warnings are in the log as well. */
  say(line: string): void;
  /** Reads `.env` again and returns all variables. */
  reloadVariables(): Variables;
  /** Writes variables to `.env`. Throws `UserError`. */
  saveVariables(variables: Readonly<Record<string, string>>): Promise<void>;
  /** The files of chats, in both directions. */
  readonly media: (program: Program) => RunMedia;
  openProgram(): Promise<Program>;
  /** What `hermes <words>` says in this home, run beside; it can ask nothing. Throws `UserError`. */
  runHermes(words: readonly string[], signal: AbortSignal): Promise<string>;
}

/** What a profile is told of the process around it. */
export interface ProcessAround {
  readonly version: string;
  readonly lockDirectory: string;
  /** What is said to a slash command of a part that this build does not have; undefined for every other line. */
  missing(line: string): string | undefined;
  /** Somebody asked for a restart; false where nothing would start it again. `before`: what is done first. */
  restart(before: () => void): boolean;
  /** Somebody asked for a newer version; returns what to tell them. Throws `UserError`. */
  update(asked: AskedUpdate): Promise<string>;
  /** No state is written over that of the end. */
  ending(): boolean;
  /** The state of a connection has changed. */
  changed(): void;
  /** The profiles that the process serves, where it serves all of them. */
  served?(): readonly string[] | undefined;
  /** Why a platform is not connected for this profile; undefined when it may be. */
  refusal?(platform: ConfiguredPlatform): PlatformRefusal | undefined;
  /** The process is asked to begin nothing new for any profile. */
  isPaused?(): boolean;
  /** As in `GatewayOptions`. */
  lender?(): Lender | undefined;
  guests?(): Guests | undefined;
  /** Named in the keys of its conversations; undefined for the profile that the process belongs to. */
  readonly keyProfile?: string;
}

export interface PlatformRefusal {
  readonly code: string;
  readonly message: string;
}

/** How it is to end. */
export interface Leaving {
  readonly reason: string;
  /** Somebody asked for it. */
  readonly restart: boolean;
  /** It is expected to be started again. */
  readonly restarts: boolean;
  readonly drainMs: number;
  /** Aborts when nobody waits for what runs any more. */
  readonly patience: AbortSignal;
}

/** How often a changed number of running turns is written down. */
const touchMs = 5000;
const pausedText = 'I am asked not to begin anything new just now; please send it again later.';
/** Sessions that were active so shortly before an unclean end were cut off. */
const activeSeconds = 120;

export class ProfileGateway {
  readonly home: Home;
  readonly #options: ProfileOptions;
  readonly #around: ProcessAround;
  readonly #log: Log;
  readonly #state: GatewayState;
  #media: RunMedia | undefined;
  readonly #variables: LiveVariables;
  readonly #drainRequest: DrainRequest;
  readonly #endings: (() => void)[] = [];
  readonly #statuses = new Map<string, ConnectionStatus>();
  #program: Program | undefined;
  #gateway: Gateway | undefined;
  #jobs: KeptJobs | undefined;
  #hooks: GatewayHooks = noHooks;
  /** How the last one ended; undefined while the files of the home are left alone. */
  #begun: Begun | undefined;
  #platforms: readonly ConfiguredPlatform[] | undefined;
  /** Aborts what runs beside when it is cut off. */
  readonly #beside = new AbortController();
  /** Who asked for the restart. */
  #askedBy: SessionSource | undefined;

  constructor(options: ProfileOptions, around: ProcessAround) {
    const { home, env } = options;
    this.home = home;
    this.#options = options;
    this.#around = around;
    this.#log = options.log.named('gateway');
    this.#state = new GatewayState(home.path, {
      log: this.#log,
      active: () => this.activeTurns,
      served: () => around.served?.(),
    });
    this.#variables = new LiveVariables(home.path, env, () => options.reloadVariables());
    this.#drainRequest = new DrainRequest(home.path, Date.now());
  }

  /** Undefined until it is open. */
  get gateway(): Gateway | undefined {
    return this.#gateway;
  }

  get activeTurns(): number {
    return this.#gateway?.status.busyChats ?? 0;
  }

  /** It is asked to begin nothing new. */
  get isPaused(): boolean {
    return this.#drainRequest.active || (this.#around.isPaused?.() ?? false);
  }

  /** Of its platforms and listeners, by name. */
  get statuses(): readonly (readonly [string, ConnectionStatus])[] {
    return [...this.#statuses];
  }

  get drainMs(): number {
    return this.#gateway?.settings.drainMs ?? 0;
  }

  /** Finds out which platforms are to be connected, and says what is wrong with them. */
  async choosePlatforms(): Promise<readonly ConfiguredPlatform[]> {
    // Those of plug-ins are known when plug-ins are loaded.
    const wantsPlugins = this.#options.config.config.plugins.enabled.length > 0;
    const plugged = wantsPlugins ? await pluggedOf(await this.#opened()) : [];
    const sources = { raw: this.#options.config.raw, variables: this.#variables.current, plugged };
    const found = await configuredPlatforms(sources, (line) => this.warn(line));
    const chosen = found.filter((each) => !this.#isRefused(each));
    this.#platforms = chosen;
    return chosen;
  }

  /** Says that it starts, and finds out how the last gateway of this home ended. */
  begin(): void {
    const begun = passGuards(this.home.path, this.#options.config.config);
    this.#begun = begun;
    for (const [name, status] of this.#statuses) this.#state.setPlatform(name, status);
    this.#state.set('starting');
    this.#endings.push(startHeartbeat(this.home.path, this.#log));
    if (begun.resumes) return;
    this.warn(
      'The gateway was cut off again and again (gateway.restart_loop_guard): turns that were running are not gone on with.',
    );
  }

  /** Opens everything; nothing is connected yet. Throws `UserError` when nothing could be kept. */
  async open(): Promise<Gateway> {
    const { path } = this.home;
    const program = await this.#opened();
    const env = this.#variables.current;
    this.#hooks = await openHooks({ homePath: path, env, log: this.#log, warn: (line) => this.warn(line) });
    for (const line of [...program.warnings, ...placeholderWarnings(path)]) this.warn(line);
    const platforms = this.#platforms ?? (await this.choosePlatforms());
    for (const warning of [openDoorWarning(platforms, env), proxyWarning(program.options)])
      if (warning !== undefined) this.warn(warning);
    const gateway = this.#open(program, platforms);
    this.#gateway = gateway;
    if (this.#begun?.unclean === true) await markCutOff(gateway, Date.now() - activeSeconds * 1000);
    return gateway;
  }

  /** An answer for readers that get nothing but its text. */
  async shown(text: string): Promise<string> {
    return (await this.#media?.inlinePictures(text)) ?? text;
  }

  /** After every platform was tried once. */
  async started(): Promise<void> {
    const { path } = this.home;
    this.settle();
    if (this.#gateway !== undefined) await giveNotice(path, this.#gateway);
    const touch = setInterval(() => {
      this.settle();
      this.#state.touch();
    }, touchMs).unref();
    this.#endings.push(() => clearInterval(touch));
    const [gateway, media] = [this.#gateway, this.#media];
    if (gateway === undefined || media === undefined) return;
    this.#jobs = new KeptJobs(gateway, { takeFiles: (text) => media.takeFiles(text), paused: () => this.isPaused });
    this.#jobs.start();
  }

  tellHooks(): void {
    this.#hooks.gatewayStarted(this.#gateway?.connected ?? []);
  }

  /** What runs is given its time; what is cut off is taken up by the next gateway. */
  async leave({ reason, restart, restarts, drainMs, patience }: Leaving): Promise<void> {
    this.#state.set('draining', { reason, restart });
    const gateway = this.#gateway;
    if (gateway === undefined) return;
    await Promise.all([
      tellOfEnd(gateway, { restarts, drainSeconds: Math.round(drainMs / 1000) }, this.#askedBy),
      gateway.drain(patience),
      this.#jobs?.drain(patience),
    ]);
    // A job may have been the last to end.
    await gateway.delivery.settled(patience);
  }

  /** What still runs is marked and interrupted. */
  async cutOff(restarts: boolean): Promise<void> {
    const gateway = this.#gateway;
    if (gateway === undefined) return;
    this.#beside.abort();
    await this.#jobs?.close();
    const keys = gateway.chats.busy.map(({ sessionKey }) => sessionKey);
    await gateway.routing.markCutOff(keys, restarts ? 'restart_timeout' : 'shutdown_timeout');
    await gateway.close();
  }

  /** The last word in its files: it ended in good order. */
  ended(state: LifeState, reason: string): void {
    this.#state.set(state, { reason });
    markCleanEnd(this.home.path);
  }

  failed(reason: string): void {
    this.#state.set('startup_failed', { reason });
  }

  async close(): Promise<void> {
    for (const end of this.#endings.splice(0)) end();
    await this.#jobs?.close();
    await this.#hooks.close();
    await this.#program?.close();
  }

  setStatus(name: string, status: ConnectionStatus): void {
    this.#statuses.set(name, status);
    if (this.#begun !== undefined) this.#state.setPlatform(name, status);
    this.#around.changed();
  }

  /** A connection that there will not be as it is set up. */
  refuse(name: string, error: PlatformRefusal): void {
    this.warn(error.message);
    this.setStatus(name, { state: 'fatal', error, attempt: 0 });
  }

  /** Writes its state again: what it says of other profiles has changed. */
  rewriteState(): void {
    this.#state.write();
  }

  /** How it is as a whole. */
  settle(): void {
    if (this.#around.ending()) return;
    const all = [...this.#statuses.values()];
    const isUp = all.length === 0 || all.some(({ state }) => state === 'connected');
    const next = this.isPaused ? 'draining' : isUp ? 'running' : 'degraded';
    if (this.#state.state !== next) this.#state.set(next);
  }

  warn(line: string): void {
    this.#log.warning(line);
    this.#options.say(line);
  }

  /** For the API server. */
  view(): GatewayView {
    const [state, gateway, isPaused] = [this.#state, () => this.#gateway, () => this.isPaused];
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
        return isPaused() || (gateway()?.status.draining ?? false);
      },
    };
  }

  async #opened(): Promise<Program> {
    this.#program ??= await this.#options.openProgram();
    return this.#program;
  }

  #isRefused(configured: ConfiguredPlatform): boolean {
    const refusal = this.#around.refusal?.(configured);
    if (refusal !== undefined) this.refuse(configured.platform.name, refusal);
    return refusal !== undefined;
  }

  #open(program: Program, platforms: readonly ConfiguredPlatform[]): Gateway {
    this.#media = this.#options.media(program);
    const { version, lockDirectory, keyProfile: profile } = this.#around;
    const guests = this.#around.guests?.();
    const lender = this.#around.lender?.bind(this.#around);
    return openGateway({
      program,
      platforms,
      locks: new TokenLocks(lockDirectory, this.home.path),
      hooks: this.#hooks,
      media: this.#media,
      version,
      startedAt: Date.now(),
      missing: (line) => this.#around.missing(line),
      saveVariables: (variables) => this.#options.saveVariables(variables),
      restart: (event) => this.#restart(event),
      hermes: {
        run: (words) => this.#options.runHermes(words, this.#beside.signal),
        update: (event) => this.#update(event),
      },
      variables: () => this.#variables.current,
      onStatus: (platform, status) => this.setStatus(platform, status),
      resumes: this.#begun?.resumes ?? true,
      paused: () => (this.isPaused ? pausedText : undefined),
      ...(profile === undefined ? {} : { profile }),
      ...(guests === undefined ? {} : { guests }),
      ...(lender === undefined ? {} : { lender }),
    });
  }

  #restart(event: MessageEvent): boolean {
    return this.#around.restart(() => {
      askForNotice(this.home.path, event);
      this.#askedBy = event.source;
    });
  }

  async #update(event: MessageEvent): Promise<string> {
    return await this.#around.update({
      before: () => {
        askForNotice(this.home.path, event, 'asked');
        this.#askedBy = event.source;
      },
      installed: (how) => noteInstalled(this.home.path, how),
    });
  }
}

interface Begun {
  /** The last gateway of this home did not end in good order. */
  readonly unclean: boolean;
  readonly resumes: boolean;
}

function passGuards(homePath: string, { gateway }: LoadedConfig['config']): Begun {
  const { restart_loop_guard: loop } = gateway;
  const before = readGatewayState(homePath);
  const unclean = !takeCleanEnd(homePath) && before !== undefined;
  return {
    unclean,
    resumes: !unclean || !isRestartLoop(homePath, { maxStarts: loop.max_restarts, windowSeconds: loop.window_seconds }),
  };
}

async function markCutOff(gateway: Gateway, since: number): Promise<void> {
  await gateway.routing.open();
  const active: string[] = [];
  for await (const { session_key: key, updated_at: at } of gateway.routing.each()) {
    if (Date.parse(at) >= since) active.push(key);
  }
  await gateway.routing.markCutOff(active, 'restart_interrupted');
}
