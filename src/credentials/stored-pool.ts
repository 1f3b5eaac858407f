/** Changes to the stored credentials of one provider, each a whole write under the lock. */
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { AuthFile, AuthStore } from './auth-store.ts';
import { healthyStatus } from './cool-down.ts';
import { type PoolEntry, parseEntry } from './pool-entry.ts';

/**
 * Stores a login or key as the last of its pool, or over the entry with the same id, or (for sources that there is one
 * of) over the one of the same source. An old status does not survive a new secret, nor does an old removal.
 */
export async function saveEntry(store: AuthStore, provider: string, entry: StorableEntry): Promise<void> {
  await store.update((file) => {
    const pool = rawPool(file, provider);
    const known = pool.findIndex((raw) => {
      const old = parseEntry(raw);
      return old?.id === entry.id || (!isManual(entry.source) && old?.source === entry.source);
    });
    const old = pool[known];
    if (old === undefined) pool.push({ priority: nextPriority(pool), request_count: 0, ...entry });
    else pool[known] = { ...old, ...healthyStatus, ...entry };
    setPool(file, provider, pool);
    const suppressed = suppressedSources(file, provider);
    if (suppressed.includes(entry.source)) {
      setSuppressed(
        file,
        provider,
        suppressed.filter((source) => source !== entry.source),
      );
    }
  });
}

/** A whole credential; its secret may only be in it when its source is one of our own. */
export type StorableEntry = JsonObject & { readonly id: string; readonly source: string };

/**
 * Forgets a credential; false when there was nothing to forget. One that was not made by hand (a key of the
 * environment, the login of a provider) is also kept from coming back by itself.
 */
export async function removeEntry(store: AuthStore, provider: string, { id, source }: PoolEntry): Promise<boolean> {
  return await store.update((file) => {
    const pool = rawPool(file, provider);
    const rest = pool.filter((raw) => parseEntry(raw)?.id !== id);
    const found = rest.length < pool.length;
    if (found) setPool(file, provider, rest);
    const suppressed = suppressedSources(file, provider);
    if (isManual(source) || suppressed.includes(source)) return found;
    setSuppressed(file, provider, [...suppressed, source]);
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

function setSuppressed(file: AuthFile, provider: string, sources: readonly string[]): void {
  const all = isJsonObject(file.suppressed_sources) ? { ...file.suppressed_sources } : {};
  if (sources.length === 0) delete all[provider];
  else all[provider] = [...sources];
  file.suppressed_sources = all;
}

/** There may be any number of these. */
function isManual(source: string): boolean {
  return source === 'manual' || source.startsWith('manual:');
}

function nextPriority(pool: readonly JsonObject[]): number {
  return Math.max(-1, ...pool.map((raw) => parseEntry(raw)?.priority ?? 0)) + 1;
}
