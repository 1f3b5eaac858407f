/** A profile beside the one that the process belongs to: opened when there is something to do for it, tried again when it fails. */
import { wantedListeners } from '../../config/multiplex.ts';
import { webhookSettings } from '../../config/webhooks.ts';
import { DEFAULT_PROFILE, type Home } from '../../config/home.ts';
import { readSubscriptions, subscriptionsFile } from '../../http/webhooks/subscriptions.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { AccountClaims } from './account-claims.ts';
import { leftUnclean } from './markers.ts';
import { type PlatformRefusal, type ProcessAround, ProfileGateway, type ProfileOptions } from './profile-gateway.ts';
import { type GatewayLock, lockGateway, runningGateway } from './running-gateway.ts';
import { readGatewayState } from './state-file.ts';

/** A profile as it is read when it is to be served. */
export interface OtherProfile extends ProfileOptions {
  /** Takes its secrets out of a text that others read. */
  mask(text: string): string;
  /** Its log is written out. */
  release(): void;
}

export interface ServedProfileOptions {
  readonly home: Home;
  readonly around: ProcessAround;
  readonly claims: AccountClaims;
  readonly clock: AdapterClock;
  /** Aborts when the process ends. */
  readonly ending: AbortSignal;
  /** Webhooks are taken. */
  readonly takesWebhooks: boolean;
  /** Chats of another profile's bots are routed to it. */
  isRouted(profile: string): boolean;
  /** Reads its settings; nothing is opened. */
  readonly read: (home: Home) => Promise<OtherProfile>;
  /** For the operator, in the log of the process. */
  readonly tell: (line: string) => void;
  /** It is served, or no longer. */
  readonly changed: () => void;
  /** It is open. */
  readonly opened: () => void;
}

const retryMs = [30_000, 60_000, 120_000, 300_000];

interface Prepared {
  readonly options: OtherProfile;
  readonly profile: ProfileGateway;
  readonly platforms: readonly ConfiguredPlatform[];
}

export class ServedProfile {
  readonly home: Home;
  readonly #options: ServedProfileOptions;
  #prepared: Prepared | undefined;
  #lock: GatewayLock | undefined;
  #opening: Promise<ProfileGateway> | undefined;
  #open: ProfileGateway | undefined;
  #starting: Promise<void> = Promise.resolve();
  #told = '';
  #isKept = false;
  readonly #tried = Promise.withResolvers<void>();

  constructor(options: ServedProfileOptions) {
    this.home = options.home;
    this.#options = options;
  }

  /** Undefined while nothing runs for it. */
  get profile(): ProfileGateway | undefined {
    return this.#open;
  }

  /** It is to be open, and is not. */
  get isWaiting(): boolean {
    return this.#isKept && this.#open === undefined;
  }

  /** Resolves after the first attempt, platforms included; at once where nobody wants it open. */
  get tried(): Promise<void> {
    return this.#isKept ? this.#tried.promise : Promise.resolve();
  }

  /** Reads its settings; true when it is to be opened without being asked for. Never rejects. */
  async prepare(): Promise<boolean> {
    try {
      const { platforms, profile, options } = await this.#prepare();
      if (this.#options.isRouted(this.home.profile)) return true;
      if (platforms.length > 0 || profile.statuses.length > 0 || this.#hasRoutes(options)) return true;
      if (leftUnclean(this.home.path) && readGatewayState(this.home.path) !== undefined) return true;
      this.#drop();
      return false;
    } catch (error) {
      this.#fail(error);
      return true;
    }
  }

  /** Opens it, and tries again until it is open or the process ends. Never rejects. */
  async keep(): Promise<void> {
    const { clock, ending } = this.#options;
    this.#isKept = true;
    for (let attempt = 0; !ending.aborted; attempt += 1) {
      if (attempt > 0 || this.#prepared !== undefined) {
        try {
          await this.open();
          await this.#starting;
          if (this.#open !== undefined || ending.aborted) return this.#tried.resolve();
        } catch {
          // It was told.
        }
      }
      this.#tried.resolve();
      const waitMs = retryMs[Math.min(attempt, retryMs.length - 1)] ?? 0;
      await clock.sleep(waitMs, ending).catch(() => undefined);
    }
  }

  /** Resolves when turns can be had; its platforms may still be connecting. Throws `UserError` when it cannot be opened. */
  async open(): Promise<ProfileGateway> {
    this.#opening ??= this.#begin().catch(async (error: unknown) => {
      await this.#abandon();
      this.#fail(error);
      throw new UserError(`Profile ${this.home.profile} cannot be opened: ${this.#told}`);
    });
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  /** Resolves when nothing begins any more: it is open, or is not. */
  async settled(): Promise<void> {
    await this.#opening?.catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#starting;
    await this.#abandon();
  }

  async #begin(): Promise<ProfileGateway> {
    const { ending, changed, opened } = this.#options;
    ending.throwIfAborted();
    const { path, profile: name } = this.home;
    const running = runningGateway(path);
    this.#lock = running === undefined ? lockGateway(path, DEFAULT_PROFILE) : undefined;
    if (this.#lock === undefined) {
      const who = running === undefined ? '' : ` (pid ${running.pid})`;
      throw new UserError(`a gateway of its own runs${who}; end that one: hermes -p ${name} gateway stop`);
    }
    const { profile } = this.#prepared ?? (await this.#prepare());
    ending.throwIfAborted();
    profile.begin();
    try {
      const gateway = await profile.open();
      this.#open = profile;
      this.#told = '';
      changed();
      opened();
      this.#starting = this.#start(profile, () => gateway.start());
      return profile;
    } catch (error) {
      profile.failed(errorMessage(error));
      throw error;
    }
  }

  async #start(profile: ProfileGateway, start: () => Promise<void>): Promise<void> {
    const { home } = this;
    try {
      await start();
      if (this.#options.ending.aborted) return;
      await profile.started();
      profile.tellHooks();
      const platforms = profile.statuses.map(([name, { state }]) => `${name} ${state}`).join(', ');
      const what = platforms === '' ? 'no platform of its own' : platforms;
      this.#options.tell(`Profile ${home.profile} is served too: ${what}.`);
    } catch (error) {
      if (this.#options.ending.aborted) return;
      profile.failed(errorMessage(error));
      this.#fail(error);
      await profile.cutOff(false).catch(() => undefined);
      this.#opening = undefined;
      await this.#abandon();
    }
  }

  async #prepare(): Promise<Prepared> {
    const { home } = this;
    const { read, claims, around } = this.#options;
    const options = await read(home);
    claims.giveBack(home.profile);
    const profile = new ProfileGateway(options, {
      ...around,
      keyProfile: home.profile,
      refusal: (platform) => this.#refusal(platform),
    });
    const platforms = await profile.choosePlatforms();
    for (const name of wantedListeners(options.config, options.env)) profile.refuse(name, boundElsewhere(home, name));
    this.#prepared = { options, profile, platforms };
    return this.#prepared;
  }

  #refusal(configured: ConfiguredPlatform): PlatformRefusal | undefined {
    const { home } = this;
    const { name } = configured.platform;
    if (configured.platform.bindsPort) return bindsPort(home, name);
    const owner = this.#options.claims.take(home.profile, configured);
    if (owner === undefined) return undefined;
    return {
      code: `${name}_token_taken`,
      message: `${name} is not connected for profile ${home.profile}: profile ${owner} has the same token. Give each profile an account of its own.`,
    };
  }

  /** What arrived for them may still wait. */
  #hasRoutes({ config, env }: OtherProfile): boolean {
    if (!this.#options.takesWebhooks) return false;
    const { routes } = webhookSettings(config, env);
    return routes.size > 0 || Object.keys(readSubscriptions(subscriptionsFile(this.home.path))).length > 0;
  }

  #fail(error: unknown): void {
    const message = this.#prepared?.options.mask(errorMessage(error)) ?? errorMessage(error);
    if (message === this.#told || this.#options.ending.aborted) return;
    this.#told = message;
    this.#options.tell(`Profile ${this.home.profile} is not served: ${message}`);
  }

  /** Everything of it is closed; its settings are read anew when it is opened again. */
  async #abandon(): Promise<void> {
    const { profile } = this.#prepared ?? {};
    this.#open = undefined;
    try {
      await profile?.close();
    } finally {
      this.#drop();
      this.#lock?.release();
      this.#lock = undefined;
      this.#options.changed();
    }
  }

  #drop(): void {
    this.#prepared?.options.release();
    this.#prepared = undefined;
    this.#options.claims.giveBack(this.home.profile);
  }
}

function boundElsewhere({ profile }: Home, name: string): PlatformRefusal {
  return {
    code: 'multiplexed_port',
    message: `${name} of profile ${profile} is not started: gateway.multiplex_profiles is on, so the default profile listens for all of them, here below /p/${profile}/. Switch ${name} off in profile ${profile}.`,
  };
}

/** The default profile listens for itself only: what a platform makes of its addresses nobody knows. */
function bindsPort({ profile }: Home, name: string): PlatformRefusal {
  return {
    code: 'multiplexed_port',
    message: `${name} of profile ${profile} is not started: it listens on a port, and gateway.multiplex_profiles is on, so that one process would do so for several profiles. Switch ${name} off in profile ${profile} and on in the default profile, or give profile ${profile} a gateway of its own.`,
  };
}
