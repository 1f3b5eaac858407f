/** Opens the pool of a provider over `auth.json`: stored logins, keys found elsewhere, and how they are renewed. */
import { fetchOver } from '../lib/fetch-over.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { modelVariables } from '../config/model-variables.ts';
import type { Variables } from '../config/variables.ts';
import type { KeySeed } from './keys.ts';
import { FileAuthStore } from './auth-store.ts';
import { type StoredPool, StoredCredentialPool } from './pool.ts';
import { toMillis } from './pool-entry.ts';
import type { PoolSeed } from './pool-members.ts';
import type { PoolStrategy } from './strategies.ts';

export interface OpenPoolOptions {
  /** `auth.json` */
  readonly path: string;
  readonly provider: string;
  readonly seeds: readonly KeySeed[];
  readonly strategy: PoolStrategy;
  readonly variables: Variables;
  readonly log?: Log;
}

/** Undefined when it would hold nothing but one key that needs no pool. Throws `UserError` when the file is damaged. */
export async function openPoolOf(options: OpenPoolOptions): Promise<StoredPool | undefined> {
  const { path, provider, strategy, variables, log } = options;
  const store = new FileAuthStore(path);
  const seeds = [...options.seeds, ...loginSeeds(store.providerState(provider))];
  if (seeds.length < 2 && store.poolOf(provider).length === 0 && seeds.length === options.seeds.length)
    return undefined;
  const { refreshLoginOf } = await import('./oauth/stored-login.ts');
  const { logins, network } = modelVariables(variables);
  const refresh = refreshLoginOf(provider, { variables: logins, fetch: fetchOver(network), log });
  const pool = new StoredCredentialPool({
    store,
    provider,
    strategy,
    seeds,
    log,
    ...(refresh === undefined ? {} : { refresh }),
  });
  await pool.align();
  return pool.members().length === 0 ? undefined : pool;
}

/** A login that the original, or an older version, left under `providers.<id>`. */
export function loginSeeds(state: Readonly<JsonObject> | undefined): PoolSeed[] {
  const tokens = isJsonObject(state?.['tokens']) ? state['tokens'] : state;
  const secret = textOf(tokens?.['access_token']) ?? textOf(state?.['agent_key']);
  if (secret === undefined) return [];
  const refreshToken = textOf(tokens?.['refresh_token']);
  const expiry = tokens?.['expires_at'] ?? state?.['expires_at'];
  const expiresAt = typeof expiry === 'string' || typeof expiry === 'number' ? toMillis(expiry) : undefined;
  return [
    {
      source: 'device_code',
      secret,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
  ];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
