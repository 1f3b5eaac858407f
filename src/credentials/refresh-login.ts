/** Renews a stored login once, however many turns and processes need it at the same time. */
import { dirname, join } from 'node:path';
import { errorMessage } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { maskKeys } from '../lib/secrets.ts';
import type { AuthStore } from './auth-store.ts';
import { dead, healthyStatus, isDead } from './cool-down.ts';
import { LoginLost } from './login-lost.ts';
import { isBorrowed, type PoolEntry, parseEntry } from './pool-entry.ts';
import type { Member } from './pool-members.ts';
import { rawPool } from './stored-pool.ts';

/** What a provider gave for a refresh token. */
export interface RenewedLogin {
  readonly accessToken: string;
  /** Absent = the old one stays good. */
  readonly refreshToken?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** More fields for the stored entry (`agent_key`, `scope` …). */
  readonly fields?: JsonObject;
}

/**
 * Asks the provider once for new tokens. Must throw `LoginLost` when it will never give any for this login again, and
 * anything else for failures that may pass. For a login that belongs to another program it also has to keep what it
 * got where that program finds it.
 */
export type RefreshLogin = (entry: PoolEntry, signal: AbortSignal) => Promise<RenewedLogin>;

interface Renewal {
  readonly store: AuthStore;
  readonly provider: string;
  readonly refresh: RefreshLogin;
  readonly now: () => number;
  readonly log: Log;
}

/** A provider that does not answer within this time is not waited for. */
const deadlineMs = 70_000;
/** Others may be renewing theirs before us. */
const lockTimeoutMs = 90_000;

/**
 * Renews the login of a member. Returns what could not be stored (a login of another program, a disk that is full), so
 * that the caller keeps it in mind; undefined when the store has the new login. Throws `LoginLost`, after the entry was
 * marked dead, or what the provider's answer led to. Not abortable on purpose: a refresh token that was used and whose
 * answer is thrown away is a lost login.
 */
export async function renewLogin(member: Member, renewal: Renewal): Promise<RenewedLogin | undefined> {
  const { store, provider, refresh } = renewal;
  const { entry } = member;
  // Not `auth.lock`, which others need while the provider is asked.
  const lock = join(dirname(store.path), 'auth-refresh.lock');
  return await withFileLock(
    lock,
    async () => {
      const owned = !isBorrowed(entry.source);
      const current = owned ? store.poolOf(provider).find(({ id }) => id === entry.id) : withSecrets(member);
      if (current === undefined) throw new LoginLost(`The login '${entry.label}' of ${provider} was removed.`);
      if (isDead(current)) throw lost(current, provider);
      if (owned && isOther(current, member)) return undefined;
      try {
        const renewed = await refresh(current, AbortSignal.timeout(deadlineMs));
        return owned && (await keep(current, renewed, renewal)) ? undefined : renewed;
      } catch (error) {
        if (error instanceof LoginLost && owned) await markDead(current, error, renewal);
        throw error;
      }
    },
    { timeoutMs: lockTimeoutMs },
  );
}

/** What to tell the person about a login that is marked dead. */
export function lost(entry: PoolEntry, provider: string): LoginLost {
  const why = entry.last_error_message ?? 'it is no longer accepted';
  return new LoginLost(`The login '${entry.label}' of ${provider} has ended: ${why}`, {
    hint: `Log in again with \`hermes auth add ${provider}\`.`,
  });
}

function isOther(current: PoolEntry, { entry }: Member): boolean {
  return current.access_token !== entry.access_token || current.refresh_token !== entry.refresh_token;
}

function withSecrets({ entry, secret, refreshToken }: Member): PoolEntry {
  return { ...entry, access_token: secret, refresh_token: refreshToken };
}

async function keep(entry: PoolEntry, renewed: RenewedLogin, renewal: Renewal): Promise<boolean> {
  return await change(entry, renewal, {
    access_token: renewed.accessToken,
    ...(renewed.refreshToken === undefined ? {} : { refresh_token: renewed.refreshToken }),
    ...expiryFields(entry, renewed.expiresAt),
    last_refresh: new Date(renewal.now()).toISOString(),
    ...healthyStatus,
    ...renewed.fields,
  });
}

/** Both spellings of the file, when an entry has the other: they must not contradict each other. */
function expiryFields(entry: PoolEntry, expiresAt: number | undefined): JsonObject {
  if (expiresAt === undefined) return { expires_at_ms: null, ...(entry.expires_at ? { expires_at: null } : {}) };
  const spelled = entry.expires_at ? { expires_at: new Date(expiresAt).toISOString() } : {};
  return { expires_at_ms: expiresAt, ...spelled };
}

async function markDead(entry: PoolEntry, error: LoginLost, renewal: Renewal): Promise<void> {
  const secrets = [entry.access_token, entry.refresh_token].filter((secret) => typeof secret === 'string');
  await change(entry, renewal, {
    last_status: dead,
    last_status_at: renewal.now() / 1000,
    last_error_reason: 'login_lost',
    last_error_message: maskKeys(errorMessage(error), secrets),
    last_error_reset_at: null,
  });
}

/** False when it could not be written: the caller has what must not be lost. */
async function change(entry: PoolEntry, { store, provider, log }: Renewal, fields: JsonObject): Promise<boolean> {
  const { id, label } = entry;
  try {
    await store.update((file) => {
      const raw = rawPool(file, provider).find((candidate) => parseEntry(candidate)?.id === id);
      if (raw !== undefined) Object.assign(raw, { id, ...fields });
    });
    return true;
  } catch (error) {
    log.warning(`the renewed login '${label}' of ${provider} could not be stored`, error);
    return false;
  }
}
