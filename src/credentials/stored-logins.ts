/** Which providers `auth.json` has a login or a key for. */
import { FileAuthStore } from './auth-store.ts';
import { dead } from './cool-down.ts';
import { loginSeeds } from './open-pool.ts';

export interface StoredLogins {
  /** The provider whose login was used last. */
  active(): string | undefined;
  /** Whether there is a login or a key for the provider. */
  has(provider: string): boolean;
}

/** Reads the file at `path` when it is asked; throws `UserError` then when it is damaged. */
export function storedLogins(path: string): StoredLogins {
  const store = new FileAuthStore(path);
  return {
    active: () => store.activeProvider(),
    has(provider) {
      const entries = store.poolOf(provider);
      if (entries.length === 0) return loginSeeds(store.providerState(provider)).length > 0;
      // Entries without a secret only speak of one that was found elsewhere, and a login that has ended is none.
      return entries.some(
        ({ access_token, agent_key, last_status }) =>
          last_status !== dead && (filledIn(access_token) || filledIn(agent_key)),
      );
    },
  };
}

function filledIn(secret: string | null | undefined): boolean {
  return secret !== undefined && secret !== null && secret !== '';
}
