/** The profiles that answer in chats of the default profile's bots (`profile_routes`). */
import type { ProfileRoute } from '../../config/schema/gateway.ts';
import { UserError } from '../../lib/errors.ts';
import type { Gateway } from '../gateway.ts';
import type { Guests } from '../lending.ts';
import type { SessionSource } from '../platform/session-source.ts';
import type { OtherProfiles } from './other-profiles.ts';
import { routedProfile } from './profile-routes.ts';

export interface RoutedProfilesOptions {
  /** The most specific first. */
  readonly routes: readonly ProfileRoute[];
  /** The profile whose bots they are. */
  readonly own: string;
  readonly others: Pick<OtherProfiles, 'find' | 'open' | 'names'>;
  /** For the operator. */
  readonly warn: (line: string) => void;
}

export class RoutedProfiles implements Guests {
  readonly #options: RoutedProfilesOptions;
  readonly #routes: readonly ProfileRoute[];
  /** By profile and platform; there are few of either. */
  readonly #told = new Set<string>();

  /** Says which routes lead nowhere. */
  constructor(options: RoutedProfilesOptions) {
    const { routes, own, others, warn } = options;
    this.#options = options;
    const known = new Set([own, ...others.names]);
    this.#routes = routes.filter(({ platform, profile, name }) => {
      if (platform !== '' && known.has(profile)) return true;
      const which = name === undefined || name === '' ? '' : ` ${JSON.stringify(name)}`;
      const why = platform === '' ? 'it names no platform' : `there is no profile ${JSON.stringify(profile)}`;
      warn(`The entry${which} of profile_routes is left out: ${why}.`);
      return false;
    });
  }

  get open(): readonly Gateway[] {
    return this.#options.others.open.flatMap(({ gateway }) => gateway ?? []);
  }

  find(source: SessionSource): Promise<Gateway | undefined> | undefined {
    const profile = routedProfile(this.#routes, source);
    return profile === undefined || profile === this.#options.own ? undefined : this.#find(profile, source.platform);
  }

  async #find(profile: string, platform: string): Promise<Gateway | undefined> {
    const gateway = await this.#open(profile);
    if (gateway === undefined)
      throw new UserError(
        `The profile ${profile} answers in this chat, and cannot be reached just now; please send that again later.`,
      );
    if (gateway.takesFromOthers(platform)) return gateway;
    const which = `${profile} ${platform}`;
    if (!this.#told.has(which))
      this.#options.warn(
        `profile_routes leads chats of ${platform} to the profile ${profile}, which has a bot of its own there: they are answered by ${this.#options.own}.`,
      );
    this.#told.add(which);
    return undefined;
  }

  /** Why it cannot be opened is told elsewhere. */
  async #open(profile: string): Promise<Gateway | undefined> {
    try {
      return (await this.#options.others.find(profile))?.gateway;
    } catch {
      return undefined;
    }
  }
}
