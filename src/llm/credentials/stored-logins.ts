/** Which providers `auth.json` has a login or a key for. */
import type { StoredLogins } from '../model-settings.ts';
import { createAuthStore } from './auth-store.ts';
import { loginSeeds } from './open-pool.ts';

/** Reads the file at `path` when it is asked; throws `UserError` then when it is damaged. */
export function storedLogins(path: string): StoredLogins {
  const store = createAuthStore(path);
  return {
    active: () => store.activeProvider(),
    // Entries without a secret only speak of one that was found elsewhere.
    has: (provider) =>
      store.poolOf(provider).some((entry) => filledIn(entry.access_token) || filledIn(entry.agent_key)) ||
      loginSeeds(store.providerState(provider)).length > 0,
  };
}

function filledIn(secret: string | null | undefined): boolean {
  return secret !== undefined && secret !== null && secret !== '';
}
