/** Runs the gateway of a home in this process, from the lock to the exit code. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayProcessSettings } from '../../config/gateway-process.ts';
import type { Home } from '../../config/home.ts';
import { profileRoutes, servesAllProfiles, wantedListeners } from '../../config/multiplex.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectionStatus } from '../connections/platform-connection.ts';
import { systemClock } from '../gateway.ts';
import type { Guests } from '../lending.ts';
import { endGateway } from './end-gateway.ts';
import { IdleMemory } from './idle-memory.ts';
import type { KeptListener } from './kept-listener.ts';
import { takeAnnouncedEnd } from './markers.ts';
import { AccountClaims } from './account-claims.ts';
import { OtherProfiles } from './other-profiles.ts';
import { RoutedProfiles } from './routed-profiles.ts';
import { openListeners } from './open-listeners.ts';
import { type ProcessAround, ProfileGateway, type ProfileOptions } from './profile-gateway.ts';
import type { OtherProfile } from './served-profile.ts';
import { type GatewayLock, lockGateway, runningGateway } from './running-gateway.ts';
import { refuseSecondGateway } from './serving-gateway.ts';
import { recordExit, watchShutdown } from './shutdown-watchdog.ts';
import { countStart } from './start-guards.ts';
import { exitCodeOf, type StopRequest, StopRequests } from './stop-request.ts';
import { type SystemdNotice, systemdNotice } from './systemd-notice.ts';
import { UpdateRequest, type Updates } from './update-request.ts';

export interface RunGatewayOptions extends ProfileOptions {
  readonly version: string;
  /** What is said to a slash command of a part that this build does not have; undefined for every other line. */
  missing(line: string): string | undefined;
  /** Ends a gateway that runs in this home, and takes its place. */
  readonly replace: boolean;
  /** Something outside starts it again, whatever the environment says. */
  readonly supervised: boolean;
  readonly updates: Updates;
  /** Reads the settings of another profile; nothing is opened. */
  readProfile(home: Home): Promise<OtherProfile>;
  /** The key of its API that another profile has, as its files say. */
  readApiKey(home: Home): Promise<string | undefined>;
}

/** How long a gateway that is replaced has to end, and what it gives its turns of that. */
const replaceMs = 10_000;
const replacedDrainMs = 7000;
/** How long a profile that is just being opened is waited for. */
const settleMs = 10_000;
/** On top of the drain, before a stop that hangs is cut short. */
const stopMs = 25_000;

/** Resolves with the exit code when the gateway has ended. Throws `UserError` when it cannot run here. */
export async function runGateway(options: RunGatewayOptions): Promise<number> {
  const lock = await takeLock(options);
  const run = new GatewayRun(options);
  try {
    const code = await run.run();
    run.end();
    await run.install();
    return code;
  } finally {
    run.end();
    lock.release();
  }
}

async function takeLock({ home, replace }: RunGatewayOptions): Promise<GatewayLock> {
  refuseSecondGateway(home);
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

/** What fails for one profile cuts nothing short for another. */
async function allOf(work: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(work);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** How often is looked whether memory can be given back. */
const lookMs = 5000;

class GatewayRun {
  readonly #options: RunGatewayOptions;
  readonly #homePath: string;
  readonly #log: Log;
  readonly #stop = new StopRequests();
  readonly #endings: (() => void)[] = [];
  readonly #profile: ProfileGateway;
  readonly #notice: SystemdNotice;
  readonly #update: UpdateRequest;
  /** Undefined where the process serves its own profile alone. */
  readonly #others: OtherProfiles | undefined;
  readonly #ending = new AbortController();
  #listeners: readonly KeptListener[] = [];
  #started = false;

  constructor(options: RunGatewayOptions) {
    const { env } = options;
    const settings = gatewayProcessSettings(env);
    this.#options = options;
    this.#homePath = options.home.path;
    this.#log = options.log.named('gateway');
    this.#notice = systemdNotice(settings, { env, log: this.#log });
    this.#endings.push(() => this.#notice.end());
    const [stop, notice] = [this.#stop, this.#notice];
    this.#update = new UpdateRequest({
      updates: options.updates,
      stop,
      notice,
      isSupervised: () => this.#isSupervised,
    });
    const around: ProcessAround = {
      version: options.version,
      lockDirectory: settings.lockDirectory,
      missing: (line) => options.missing(line),
      restart: (before) => this.#restart(before),
      update: (asked) => this.#update.ask(asked),
      ending: () => this.#stop.isWanted,
      changed: () => this.#changed(),
    };
    const { home } = options;
    const claims = new AccountClaims();
    this.#profile = new ProfileGateway(options, {
      ...around,
      served: () => (this.#others === undefined ? undefined : [home.profile, ...this.#others.names]),
      // It comes first, so that nobody else has them.
      refusal: (platform) => void claims.take(home.profile, platform),
      guests: () => this.#guests,
    });
    this.#others = servesAllProfiles(home, options.config) ? this.#openOthers(around, claims) : undefined;
  }

  async run(): Promise<number> {
    const profile = this.#profile;
    const waitMs = this.#countStart();
    this.#endings.push(this.#stop.listen(() => takeAnnouncedEnd(this.#homePath)));
    profile.begin();
    this.#endings.push(stayAlive());
    await this.#wait(waitMs);
    try {
      if (this.#stop.isWanted) return this.#ended(await this.#stop.wanted);
      const misconfigured = await this.#start();
      const request = misconfigured ?? (await this.#stop.wanted);
      await this.#leave(request);
      return this.#ended(request);
    } catch (error) {
      profile.failed(errorMessage(error));
      throw error;
    } finally {
      this.#ending.abort();
      await this.#others?.close();
      await profile.close();
    }
  }

  end(): void {
    for (const end of this.#endings.splice(0)) end();
  }

  /** What was asked for until nothing else runs. */
  async install(): Promise<void> {
    await this.#update.install();
  }

  #giveMemoryBack(): void {
    const memory = new IdleMemory({ log: this.#log });
    const look = setInterval(() => void memory.look(), lookMs).unref();
    this.#endings.push(() => clearInterval(look));
  }

  /** Resolves when every platform was tried once; with a request when there is nothing that could be connected. */
  async #start(): Promise<StopRequest | undefined> {
    const profile = this.#profile;
    const gateway = await profile.open();
    this.#listeners = openListeners({
      gateway,
      view: profile.view(),
      shown: (text) => profile.shown(text),
      log: this.#log.named('http'),
      onStatus: (name, status) => profile.setStatus(name, status),
      others: this.#others,
    });
    await Promise.all([gateway.start(), ...this.#listeners.map((listener) => listener.start()), this.#others?.start()]);
    this.#started = true;
    this.#giveMemoryBack();
    await profile.started();
    this.#tellStart();
    this.#notice.ready();
    profile.tellHooks();
    // Whether anything at all can be connected is known with the last of them.
    if (profile.statuses.every(([, { state }]) => state === 'fatal'))
      await Promise.race([this.#others?.tried(), this.#stop.wanted]);
    return this.#hopeless ? { kind: 'misconfigured', reason: this.#problems } : undefined;
  }

  async #leave(request: StopRequest): Promise<void> {
    const { reason } = request;
    const restarts = request.kind === 'restart' || (request.kind === 'signal' && this.#isSupervised);
    this.#ending.abort();
    await Promise.race([this.#others?.settled(), sleep(settleMs, undefined, { ref: false })]);
    const profiles = this.#profiles;
    // Whoever stops the process waits for as long as its own profile says.
    const wanted = request.kind === 'misconfigured' ? 0 : this.#profile.drainMs;
    const drainMs = request.kind === 'takeover' ? Math.min(wanted, replacedDrainMs) : wanted;
    this.#log.info(`ending: ${reason}`);
    this.#notice.stopping();
    this.#endings.push(watchShutdown(this.#homePath, drainMs + stopMs, exitCodeOf(request)));
    await allOf([
      ...profiles.map((profile) => {
        const ms = Math.min(drainMs, profile.drainMs);
        const patience = AbortSignal.any([this.#stop.impatient, AbortSignal.timeout(ms)]);
        return profile.leave({ reason, restart: request.kind === 'restart', restarts, drainMs: ms, patience });
      }),
      ...this.#listeners.map((listener) => listener.stop(drainMs)),
    ]);
    await allOf(profiles.map((profile) => profile.cutOff(restarts)));
  }

  #ended(request: StopRequest): number {
    const code = exitCodeOf(request);
    // A supervisor that starts it again finds the state that it was in.
    const state =
      request.kind === 'signal' ? 'running' : request.kind === 'misconfigured' ? 'startup_failed' : 'stopped';
    recordExit(this.#homePath, { reason: request.reason, code });
    for (const profile of this.#profiles) profile.ended(state, request.reason);
    if (request.kind === 'misconfigured') this.#profile.warn(`No platform can be connected: ${request.reason}`);
    return code;
  }

  get #isSupervised(): boolean {
    return this.#options.supervised || gatewayProcessSettings(this.#options.env).supervised;
  }

  #restart(before: () => void): boolean {
    if (!this.#isSupervised) return false;
    before();
    this.#stop.ask({ kind: 'restart', reason: 'somebody asked for a restart in a chat' });
    return true;
  }

  #changed(): void {
    if (!this.#started || this.#stop.isWanted) return;
    this.#profile.settle();
    if (this.#hopeless) this.#stop.ask({ kind: 'over', reason: this.#problems });
  }

  /** Asked for once, when the profile of this process is opened. */
  get #guests(): Guests | undefined {
    const routes = profileRoutes(this.#options.config);
    const others = this.#others;
    const warn = (line: string): void => this.#profile.warn(line);
    if (routes.length === 0 || others !== undefined)
      return others && new RoutedProfiles({ routes, own: this.#options.home.profile, others, warn });
    warn('profile_routes does nothing: gateway.multiplex_profiles is off, so this gateway serves one profile.');
    return undefined;
  }

  /** Those that something runs for. */
  get #profiles(): readonly ProfileGateway[] {
    return [this.#profile, ...(this.#others?.open ?? [])];
  }

  get #statuses(): readonly (readonly [string, ConnectionStatus])[] {
    return [...this.#profile.statuses, ...(this.#others?.statuses ?? [])];
  }

  #openOthers(around: ProcessAround, claims: AccountClaims): OtherProfiles {
    const { home, config, env } = this.#options;
    return new OtherProfiles({
      root: home.root,
      own: home.profile,
      around: { ...around, isPaused: () => this.#profile.isPaused, lender: () => this.#profile.gateway },
      claims,
      clock: systemClock,
      ending: this.#ending.signal,
      isRouted: (profile) => profileRoutes(config).some((route) => route.profile === profile),
      takesWebhooks: wantedListeners(config, env).includes('webhook'),
      read: (other) => this.#options.readProfile(other),
      readApiKey: (other) => this.#options.readApiKey(other),
      tell: (line) => this.#profile.warn(line),
      changed: () => this.#profile.rewriteState(),
    });
  }

  /** Platforms are wanted, and none of them will ever be connected as it is set up. */
  get #hopeless(): boolean {
    if (this.#others?.isWaiting === true) return false;
    return this.#statuses.length > 0 && this.#statuses.every(([, { state }]) => state === 'fatal');
  }

  get #problems(): string {
    return this.#statuses
      .flatMap(([name, { error }]) => (error === undefined ? [] : `${name}: ${error.message}`))
      .join('; ');
  }

  #tellStart(): void {
    const { home } = this.#options;
    const platforms = this.#statuses.map(([name, { state }]) => `${name} ${state}`);
    const where = this.#listeners.flatMap(({ words }) => (words === undefined ? [] : ` ${words}`)).join('');
    const what = platforms.length === 0 ? 'no platform is set up (docs/gateway.md says how)' : platforms.join(', ');
    const line = `The gateway of profile ${home.profile} runs (pid ${process.pid}): ${what}.${where}`;
    this.#log.info(line);
    this.#options.say(line);
    // With none that can be connected it ends, and says so itself.
    if (this.#hopeless) return;
    for (const [name, { state, error }] of this.#statuses) {
      if (error === undefined || state === 'connected') continue;
      this.#options.say(
        `${name}: ${error.message.replace(/\.?$/, '.')}${state === 'retrying' ? ' It is tried again.' : ''}`,
      );
    }
  }

  #countStart(): number {
    const { respawn_storm: storm } = this.#options.config.config.gateway;
    return countStart(this.#homePath, { maxStarts: storm.max_starts, windowSeconds: storm.window_seconds });
  }

  async #wait(ms: number): Promise<void> {
    if (ms === 0) return;
    this.#profile.warn(`The gateway is started too often; this start waits ${Math.round(ms / 1000)} s.`);
    const over = new AbortController();
    await Promise.race([sleep(ms, undefined, { signal: over.signal }).catch(() => undefined), this.#stop.wanted]);
    over.abort();
  }
}
