/** Which providers `auth.json` has a login or a key for. */
import type { JsonObject } from '../lib/json.ts';
import { FileAuthStore } from './auth-store.ts';
import { dead, isDead } from './cool-down.ts';
import { jwtClaims } from './oauth/jwt.ts';
import { loginSeeds } from './open-pool.ts';
import { isLogin } from './pool-entry.ts';

export interface StoredLogins {
  /** The provider whose login was used last. */
  active(): string | undefined;
  /** Whether there is a login or a key for the provider. */
  has(provider: string): boolean;
  /** The login that is good, not a key; undefined where nobody has logged in. */
  login(provider: string): StoredLogin | undefined;
}

export interface StoredLogin {
  /** What its token says of itself, which nobody has verified; undefined where it says nothing. */
  readonly claims: JsonObject | undefined;
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
    login(provider) {
      const pooled = store.poolOf(provider).filter((entry) => isLogin(entry));
      const good = pooled.find((entry) => !isDead(entry));
      const [seed] = pooled.length === 0 ? loginSeeds(store.providerState(provider)) : [];
      const token = good === undefined ? seed?.secret : (good.access_token ?? '');
      return token === undefined ? undefined : { claims: jwtClaims(token) };
    },
  };
}

function filledIn(secret: string | null | undefined): boolean {
  return secret !== undefined && secret !== null && secret !== '';
}
