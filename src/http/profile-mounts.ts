/** The routes of other profiles below `/p/<profile>/` of one listener, made when they are first asked for. */
import { errorMessage } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Program } from '../runtime/program.ts';
import type { CallerKey } from './caller-key.ts';
import type { RouteGroup } from './routes.ts';

/** What a listener is told of the profiles that it serves beside its own. */
export interface OtherProfiles<Profile> {
  /** Whether `find` has nothing to open. */
  isOpen(name: string): boolean;
  /** The key of its own that a profile has, read without opening it; undefined for one that has none, or is none. */
  keyOf(name: string): Promise<string | undefined>;
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

interface Mounted {
  readonly program: Program;
  readonly routes: Promise<ProfileRoutes>;
}

export class ProfileMounts<Profile extends { readonly program: Program }> {
  readonly #profiles: OtherProfiles<Profile>;
  readonly #mount: (profile: Profile) => Promise<ProfileRoutes>;
  readonly #mounted = new Map<string, Mounted>();

  constructor(profiles: OtherProfiles<Profile>, mount: (profile: Profile) => Promise<ProfileRoutes>) {
    this.#profiles = profiles;
    this.#mount = mount;
  }

  isOpen(name: string): boolean {
    return this.#profiles.isOpen(name);
  }

  keyOf(name: string): Promise<string | undefined> {
    return this.#profiles.keyOf(name);
  }

  /** The same as long as it stays open. Undefined: there is no such profile. Throws what opening it throws. */
  async find(name: string): Promise<ProfileRoutes | undefined> {
    const profile = await this.#profiles.find(name);
    if (profile === undefined) return undefined;
    const { program } = profile;
    const known = this.#mounted.get(name);
    if (known?.program === program) return await known.routes;
    // It was opened anew; the routes of before answer for nobody.
    if (known !== undefined) void endRoutes(known.routes);
    const mounted = { program, routes: this.#mount(profile) };
    this.#mounted.set(name, mounted);
    try {
      return await mounted.routes;
    } catch (error) {
      if (this.#mounted.get(name) === mounted) this.#mounted.delete(name);
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
    const mounted = await Promise.allSettled([...this.#mounted.values()].map(({ routes }) => routes));
    const groups = mounted.flatMap((one) => (one.status === 'fulfilled' ? one.value.groups : []));
    const drained = await Promise.allSettled(groups.map((group) => group.drain(signal)));
    for (const one of drained) if (one.status === 'rejected') throw one.reason;
  }
}

async function endRoutes(routes: Promise<ProfileRoutes>): Promise<void> {
  try {
    const { groups } = await routes;
    await Promise.allSettled(groups.map((group) => group.drain(AbortSignal.abort())));
  } catch {
    // They were never made.
  }
}
