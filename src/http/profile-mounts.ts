/** The routes of other profiles below `/p/<profile>/` of one listener, made when they are first asked for. */
import { errorMessage } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { CallerKey } from './caller-key.ts';
import type { RouteGroup } from './routes.ts';

/** What a listener is told of the profiles that it serves beside its own. */
export interface OtherProfiles<Profile> {
  /** Opens it if need be. Undefined: there is no such profile. Throws `UserError` when it cannot be opened. */
  find(name: string): Promise<Profile | undefined>;
  /** Tells the name of each that is open, now and later. */
  whenOpen(told: (name: string) => void): void;
}

export interface ProfileRoutes {
  readonly groups: readonly RouteGroup[];
  readonly key?: CallerKey;
  readonly log: Log;
}

export class ProfileMounts<Profile> {
  readonly #profiles: OtherProfiles<Profile>;
  readonly #mount: (profile: Profile, name: string) => Promise<ProfileRoutes>;
  readonly #mounted = new Map<string, Promise<ProfileRoutes>>();

  constructor(profiles: OtherProfiles<Profile>, mount: (profile: Profile, name: string) => Promise<ProfileRoutes>) {
    this.#profiles = profiles;
    this.#mount = mount;
  }

  /** The same as long as the process runs. Undefined: there is no such profile. Throws what opening it throws. */
  async find(name: string): Promise<ProfileRoutes | undefined> {
    const profile = await this.#profiles.find(name);
    if (profile === undefined) return undefined;
    const known = this.#mounted.get(name);
    if (known !== undefined) return await known;
    const mounting = this.#mount(profile, name);
    this.#mounted.set(name, mounting);
    try {
      return await mounting;
    } catch (error) {
      this.#mounted.delete(name);
      throw error;
    }
  }

  /** Makes the routes of each profile as soon as it is open: what an earlier process left for them is taken up then. */
  mountAll(log: Log): void {
    this.#profiles.whenOpen((name) => {
      this.find(name).catch((error: unknown) => log.error(`profile ${name}: ${errorMessage(error)}`));
    });
  }

  async drain(signal: AbortSignal): Promise<void> {
    const mounted = await Promise.allSettled(this.#mounted.values());
    const groups = mounted.flatMap((one) => (one.status === 'fulfilled' ? one.value.groups : []));
    const drained = await Promise.allSettled(groups.map((group) => group.drain(signal)));
    for (const one of drained) if (one.status === 'rejected') throw one.reason;
  }
}
