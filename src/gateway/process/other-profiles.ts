/** The profiles that the gateway of the default profile serves beside its own. */
import { existingProfile, type Home, listProfiles, profileHome } from '../../config/home.ts';
import { Recent } from '../../lib/recent.ts';
import type { ConnectionStatus } from '../connections/platform-connection.ts';
import type { ProfileGateway } from './profile-gateway.ts';
import { ServedProfile, type ServedProfileOptions } from './served-profile.ts';

export interface OtherProfilesOptions extends Omit<ServedProfileOptions, 'home' | 'opened'> {
  readonly root: string;
  /** The profile that the process belongs to. */
  readonly own: string;
  /** The key of the API that a profile has, as its files say. */
  readonly readApiKey: (home: Home) => Promise<string | undefined>;
}

export class OtherProfiles {
  readonly #options: OtherProfilesOptions;
  readonly #profiles = new Map<string, ServedProfile>();
  /** A caller who tries many keys has no file read more than once a second. */
  readonly #keys = new Recent<Promise<string | undefined>>({ keepMs: 1000 });
  readonly #told: ((name: string) => void)[] = [];

  constructor(options: OtherProfilesOptions) {
    this.#options = options;
  }

  /** Those that something runs for. */
  get open(): readonly ProfileGateway[] {
    return [...this.#profiles.values()].flatMap(({ profile }) => profile ?? []);
  }

  /** Names, whether anything runs for them or not. */
  get names(): readonly string[] {
    return listProfiles(this.#options.root).flatMap(({ profile }) => (profile === this.#options.own ? [] : [profile]));
  }

  /** Of the platforms of all of them. */
  get statuses(): readonly (readonly [string, ConnectionStatus])[] {
    return this.open.flatMap(({ home, statuses }) =>
      statuses.map(([name, status]) => [`${home.profile}: ${name}`, status] as const),
    );
  }

  /**
   * Opens those that have something to do; they go on by themselves. One behind the other up to there, so that of two with
   * one account it is always the same that gets it.
   */
  async start(): Promise<void> {
    for (const name of this.names) {
      const profile = this.#profile(name);
      if (await profile.prepare()) void profile.keep();
    }
  }

  /** One of them is to be open, and is not yet. */
  get isWaiting(): boolean {
    return [...this.#profiles.values()].some(({ isWaiting }) => isWaiting);
  }

  /** Resolves when each that has something to do was tried once. */
  async tried(): Promise<void> {
    await Promise.all([...this.#profiles.values()].map(({ tried }) => tried));
  }

  isOpen(name: string): boolean {
    return this.#profiles.get(name)?.profile !== undefined;
  }

  /** That of its API, read without opening it; undefined where there is none, or no such profile. */
  async keyOf(name: string): Promise<string | undefined> {
    const { root, own, readApiKey } = this.#options;
    if (name === own || existingProfile(root, name) === undefined) return undefined;
    return await this.#keys.get(name, () => readApiKey(profileHome(root, name)));
  }

  /** Opens it if need be. Undefined: there is no such profile. Throws `UserError` when it cannot be opened. */
  async find(name: string): Promise<ProfileGateway | undefined> {
    const { root, own, ending } = this.#options;
    const open = this.#profiles.get(name)?.profile;
    if (open !== undefined) return open;
    if (name === own || ending.aborted || existingProfile(root, name) === undefined) return undefined;
    return await this.#profile(name).open();
  }

  /** Tells the name of each that is open, now and later. */
  whenOpen(told: (name: string) => void): void {
    this.#told.push(told);
    for (const { home } of this.open) told(home.profile);
  }

  /** No other profile is opened from here on; resolves when those that were being opened are. */
  async settled(): Promise<void> {
    await Promise.all([...this.#profiles.values()].map((profile) => profile.settled()));
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#profiles.values()].map((profile) => profile.close()));
  }

  #profile(name: string): ServedProfile {
    const known = this.#profiles.get(name);
    if (known !== undefined) return known;
    const { root, own: _own, readApiKey: _read, ...options } = this.#options;
    const opened = (): void => {
      for (const told of this.#told) told(name);
    };
    const profile = new ServedProfile({ ...options, home: profileHome(root, name), opened });
    this.#profiles.set(name, profile);
    return profile;
  }
}
