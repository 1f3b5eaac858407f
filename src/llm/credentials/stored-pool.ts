/** Changes to the stored credentials of one provider, each a whole write under the lock. */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { AuthFile, AuthStore } from './auth-store.ts';
import { healthyStatus } from './cool-down.ts';
import { isBorrowed, type PoolEntry, parseEntry } from './pool-entry.ts';

/**
 * Stores a login or key as the last of its pool, or over the entry with the same id, or (logins, of which there is
 * one per source) over the one of the same source. An old status does not survive a new secret.
 */
export async function saveEntry(store: AuthStore, provider: string, entry: JsonObject & { id: string }): Promise<void> {
  await store.update((file) => {
    const pool = rawPool(file, provider);
    const known = pool.findIndex((raw) => {
      const old = parseEntry(raw);
      return old?.id === entry.id || (old?.source === entry['source'] && entry['source'] !== 'manual');
    });
    const old = pool[known];
    if (old === undefined) pool.push({ priority: nextPriority(pool), request_count: 0, ...entry });
    else pool[known] = { ...old, ...healthyStatus, ...entry };
    setPool(file, provider, pool);
  });
}

/**
 * Forgets a credential; false when there is none with this id. One that comes from elsewhere (the environment, the
 * configuration) is also kept from coming back by itself.
 */
export async function removeEntry(store: AuthStore, provider: string, entry: PoolEntry): Promise<boolean> {
  return await store.update((file) => {
    const pool = rawPool(file, provider);
    const rest = pool.filter((raw) => parseEntry(raw)?.id !== entry.id);
    if (rest.length < pool.length) setPool(file, provider, rest);
    if (!isBorrowed(entry.source)) return rest.length < pool.length;
    const suppressed = suppressedSources(file, provider);
    if (suppressed.includes(entry.source)) return rest.length < pool.length;
    const all = isJsonObject(file.suppressed_sources) ? file.suppressed_sources : {};
    file.suppressed_sources = { ...all, [provider]: [...suppressed, entry.source] };
    return true;
  });
}

/** Ends all cool-downs of a pool; returns how many entries had one. */
export async function resetPool(store: AuthStore, provider: string): Promise<number> {
  return await store.update((file) => {
    const pool = rawPool(file, provider);
    const marked = pool.filter((raw) => typeof raw['last_status'] === 'string' && raw['last_status'] !== 'ok');
    for (const raw of marked) Object.assign(raw, healthyStatus);
    return marked.length;
  });
}

/** Sources that a person removed: they are not taken up again until a login asks for them. */
export function suppressedSources(file: Readonly<AuthFile>, provider: string): readonly string[] {
  const all = file.suppressed_sources;
  const listed = isJsonObject(all) && Object.hasOwn(all, provider) ? all[provider] : undefined;
  return Array.isArray(listed) ? listed.filter((source) => typeof source === 'string') : [];
}

/** The entries of a pool as they stand in the file: changing one changes the file. What is no entry is left out. */
export function rawPool(file: AuthFile, provider: string): JsonObject[] {
  const pools = file.credential_pool ?? {};
  const pool = Object.hasOwn(pools, provider) ? pools[provider] : undefined;
  return Array.isArray(pool) ? pool.filter((raw) => isJsonObject(raw)) : [];
}

/** Replaces the entries of a pool; an empty one goes. What is no entry stays. */
export function setPool(file: AuthFile, provider: string, pool: readonly JsonObject[]): void {
  const pools = { ...file.credential_pool };
  const old = Object.hasOwn(pools, provider) ? pools[provider] : undefined;
  const foreign = Array.isArray(old) ? old.filter((raw) => !isJsonObject(raw)) : [];
  if (pool.length + foreign.length === 0) delete pools[provider];
  else pools[provider] = [...pool, ...foreign];
  file.credential_pool = pools;
}

function nextPriority(pool: readonly JsonObject[]): number {
  return Math.max(-1, ...pool.map((raw) => parseEntry(raw)?.priority ?? 0)) + 1;
}
