/** Which profile of this process speaks as which account: two of them cannot ask for the messages of one bot. */
import type { ConfiguredPlatform } from '../platform/configured-platform.ts';

export class AccountClaims {
  readonly #owners = new Map<string, string>();

  /** The profile that has the account already; undefined when it is this one's now. An account without a token is not looked at. */
  take(profile: string, { platform, config }: ConfiguredPlatform): string | undefined {
    const token = config.token ?? config.apiKey;
    if (token === undefined) return undefined;
    const key = `${platform.name}\n${token}`;
    const owner = this.#owners.get(key);
    if (owner === undefined) this.#owners.set(key, profile);
    return owner === profile ? undefined : owner;
  }

  /** It is not served any more. */
  giveBack(profile: string): void {
    for (const [key, owner] of this.#owners) if (owner === profile) this.#owners.delete(key);
  }
}
