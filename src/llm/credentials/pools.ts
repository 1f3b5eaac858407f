/** The pools of a process: one per provider and set of keys, shared by all turns and children. */
import type { AuthStore } from './auth-store.ts';
import type { CredentialPool } from './credential.ts';
import { createCredentialPool, type StoredPool } from './pool.ts';
import { fingerprint } from './pool-entry.ts';
import type { PoolSeed } from './pool-members.ts';
import type { RefreshLogin } from './refresh-login.ts';
import type { PoolStrategy } from './strategies.ts';

export interface PoolsOptions {
  readonly store: AuthStore;
  /** `credential_pool_strategies` of the configuration. */
  readonly strategies?: Readonly<Record<string, PoolStrategy>>;
  /** How the logins of a provider are renewed. */
  readonly refreshFor?: (provider: string) => RefreshLogin | undefined;
  /** Logins that other programs keep (`claude_code`), added to the keys of the environment. */
  readonly loginsFor?: (provider: string) => Promise<readonly PoolSeed[]>;
  readonly clock?: { now(): number };
}

export interface Pools {
  /**
   * The pool of `<provider>` or `custom:<name>`; undefined when there is nothing in it but at most one plain key of
   * `seeds`, which needs none, or when a key was given for this run. Throws `UserError` when `auth.json` is damaged.
   */
  poolFor(provider: string, seeds: readonly PoolSeed[]): Promise<CredentialPool | undefined>;
  /** Writes what the pools have counted. */
  close(): Promise<void>;
}

/** More than a home has providers; the oldest is closed when keys keep changing. */
const maxPools = 64;

/** Nothing is read before a pool is asked for. */
export function createPools({ store, strategies = {}, refreshFor, loginsFor, clock }: PoolsOptions): Pools {
  const pools = new Map<string, StoredPool>();

  const makeRoom = async (): Promise<void> => {
    for (const [key, pool] of pools) {
      if (pools.size < maxPools) return;
      pools.delete(key);
      await pool.close();
    }
  };

  return {
    async poolFor(provider, given) {
      // A key of the command line is for this run, and used alone.
      if (given.some(({ source }) => source === 'flag')) return undefined;
      const seeds = [...given, ...((await loginsFor?.(provider)) ?? [])];
      const key = [provider, ...seeds.map(({ source, secret }) => `${source} ${fingerprint(secret)}`)].join('\n');
      const known = pools.get(key);
      if (known !== undefined) return known;
      const refresh = refreshFor?.(provider);
      const strategy = Object.hasOwn(strategies, provider) ? strategies[provider] : undefined;
      const pool = createCredentialPool({
        store,
        provider,
        seeds,
        ...(strategy === undefined ? {} : { strategy }),
        ...(refresh === undefined ? {} : { refresh }),
        ...(clock === undefined ? {} : { clock }),
      });
      await pool.align();
      if (isPlainKey(pool, given)) return undefined;
      await makeRoom();
      pools.set(key, pool);
      return pool;
    },
    async close() {
      for (const pool of pools.values()) await pool.close();
      pools.clear();
    },
  };
}

function isPlainKey(pool: StoredPool, given: readonly PoolSeed[]): boolean {
  const members = pool.members();
  const [only] = members;
  if (only === undefined) return true;
  return (
    members.length === 1 && given.length > 0 && given[0]?.secret === only.secret && only.refreshToken === undefined
  );
}
