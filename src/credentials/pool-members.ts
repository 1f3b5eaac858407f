/** Who is in a pool: what is stored, joined with what the environment and the configuration hold just now. */
import type { JsonObject } from '../lib/json.ts';
import type { KeySeed } from './keys.ts';
import { type AuthFile, entriesIn } from './auth-store.ts';
import { healthyStatus, isDead } from './cool-down.ts';
import {
  expiryOf,
  fingerprint,
  idOfSource,
  isBorrowed,
  type PoolEntry,
  parseEntry,
  storedSecret,
} from './pool-entry.ts';
import { rawPool, setPool, suppressedSources } from './stored-pool.ts';

/** A credential found elsewhere. With a source of our own (`device_code`, `hermes_pkce`) it is taken into the store. */
export interface PoolSeed extends KeySeed {
  readonly label?: string;
  readonly baseUrl?: string;
  readonly refreshToken?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/** A credential that could be sent. Holds a secret; never log it whole. */
export interface Member {
  readonly entry: PoolEntry;
  /** Empty when it has to be fetched with the refresh token first. */
  readonly secret: string;
  readonly baseUrl: string | undefined;
  readonly refreshToken: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/** A key of the command line is for this run: it is used alone and never noted. */
export const forThisRun = 'flag';

/** In order of priority; new seeds come last. A secret that is there twice is one member. */
export function membersOf(file: Readonly<AuthFile>, provider: string, seeds: readonly PoolSeed[]): Member[] {
  const given = seeds.find(({ source }) => source === forThisRun);
  if (given !== undefined) return [seedMember(seedEntry(provider, given, 0), given)];
  const stored = entriesIn(file, provider);
  const suppressed = suppressedSources(file, provider);
  const known = new Set(stored.map(({ source }) => source));
  const fresh = seeds.filter(({ source }) => !known.has(source) && !suppressed.includes(source));
  const first = (stored.at(-1)?.priority ?? -1) + 1;
  const members = [
    ...stored.flatMap((entry) => storedMember(entry, seeds) ?? []),
    ...fresh.map((seed, index) => seedMember(seedEntry(provider, seed, first + index), seed)),
  ];
  const secrets = new Set<string>();
  return members.filter(({ secret }) => {
    const again = secret !== '' && secrets.has(secret);
    secrets.add(secret);
    return !again;
  });
}

/**
 * Brings the stored pool in line with the seeds: entries of sources that are gone are dropped, borrowed secrets are
 * reduced to a fingerprint, a changed secret starts without the old one's status, and logins of our own are taken in.
 * A seed that is merely new is not stored: it is not worth a write.
 */
export function alignPool(file: AuthFile, provider: string, seeds: readonly PoolSeed[]): void {
  if (seeds.some(({ source }) => source === forThisRun)) return;
  const pool = rawPool(file, provider);
  const kept = pool.map((raw) => aligned(raw, seeds)).filter((raw) => raw !== undefined);
  const sources = new Set(kept.map((raw) => raw['source']));
  const suppressed = suppressedSources(file, provider);
  const owned = seeds.filter(
    ({ source }) => !isBorrowed(source) && !sources.has(source) && !suppressed.includes(source),
  );
  const added = owned.map((seed, index) => loginFields(seedEntry(provider, seed, kept.length + index), seed));
  if (added.length > 0 || kept.length < pool.length || kept.some((raw, index) => raw !== pool[index])) {
    setPool(file, provider, [...kept, ...added]);
  }
}

/** What is stored of a member that was not stored before. */
export function storable({ entry, secret }: Member): JsonObject {
  return { ...commonFields(entry), secret_fingerprint: fingerprint(secret), ...healthyStatus };
}

function commonFields({ id, label, auth_type, priority, source, request_count }: PoolEntry): JsonObject {
  return { id, label, auth_type, priority, source, request_count };
}

function storedMember(entry: PoolEntry, seeds: readonly PoolSeed[]): Member | undefined {
  if (isBorrowed(entry.source)) {
    const seed = seeds.find(({ source }) => source === entry.source);
    if (seed === undefined) return undefined;
    const same = entry.secret_fingerprint === fingerprint(seed.secret);
    return seedMember(same ? entry : { ...entry, ...healthyStatus }, seed);
  }
  const secret = storedSecret(entry) ?? '';
  const refreshToken = entry.refresh_token?.trim() || undefined;
  if (secret === '' && refreshToken === undefined) return undefined;
  return {
    entry,
    secret,
    refreshToken,
    baseUrl: entry.inference_base_url ?? entry.base_url ?? undefined,
    expiresAt: secret === '' ? 0 : expiryOf(entry),
  };
}

function seedMember(entry: PoolEntry, seed: PoolSeed): Member {
  const { secret, baseUrl, refreshToken, expiresAt } = seed;
  return { entry, secret, baseUrl, refreshToken, expiresAt };
}

function seedEntry(provider: string, seed: PoolSeed, priority: number): PoolEntry {
  return {
    id: idOfSource(provider, seed.source),
    label: seed.label ?? seed.source.replace(/^(?:env|config):/, ''),
    auth_type: seed.refreshToken === undefined ? 'api_key' : 'oauth',
    priority,
    source: seed.source,
    request_count: 0,
  };
}

/** The same object when nothing is to be changed; undefined when the entry has to go. */
function aligned(raw: JsonObject, seeds: readonly PoolSeed[]): JsonObject | undefined {
  const entry = parseEntry(raw);
  if (entry === undefined) return raw;
  const seed = seeds.find(({ source }) => source === entry.source);
  if (!isBorrowed(entry.source)) {
    return seed !== undefined && isNewer(seed, entry) ? { ...raw, ...healthyStatus, ...loginFields(entry, seed) } : raw;
  }
  if (seed === undefined && prunable.test(entry.source)) return undefined;
  const bare = secretFields.some((field) => field in raw) ? withoutSecrets(raw, entry) : raw;
  if (seed === undefined || bare['secret_fingerprint'] === fingerprint(seed.secret)) return bare;
  return { ...bare, ...healthyStatus, secret_fingerprint: fingerprint(seed.secret) };
}

/** Sources that we look for ourselves; others belong to programs that will know when they are gone. */
const prunable = /^(?:env:|config:|claude_code$)/;
const secretFields = ['access_token', 'refresh_token', 'agent_key', 'api_key', 'id_token'] as const;

function withoutSecrets(raw: JsonObject, entry: PoolEntry): JsonObject {
  const bare = { ...raw };
  for (const field of secretFields) delete bare[field];
  const secret = storedSecret(entry);
  return secret === undefined ? bare : { ...bare, secret_fingerprint: fingerprint(secret) };
}

/** A pool renews its logins by itself: what lies elsewhere is often the older copy. */
function isNewer(seed: PoolSeed, entry: PoolEntry): boolean {
  if (seed.secret === storedSecret(entry)) return false;
  const stored = expiryOf(entry);
  if (seed.expiresAt !== undefined && stored !== undefined) return seed.expiresAt > stored;
  return isDead(entry) && seed.refreshToken !== entry.refresh_token;
}

function loginFields(entry: PoolEntry, seed: PoolSeed): JsonObject {
  return {
    ...commonFields(entry),
    access_token: seed.secret,
    ...(seed.refreshToken === undefined ? {} : { refresh_token: seed.refreshToken }),
    ...(seed.expiresAt === undefined ? {} : { expires_at_ms: seed.expiresAt }),
    ...(seed.baseUrl === undefined ? {} : { base_url: seed.baseUrl }),
  };
}
