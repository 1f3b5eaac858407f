/** The token of a login itself, for services of its issuer that take no minted key and are no model. */
import { modelVariables } from '../config/model-variables.ts';
import type { Variables } from '../config/variables.ts';
import { fetchOver } from '../lib/fetch-over.ts';
import { type Log, noLog } from '../lib/log.ts';
import { type AuthStore, FileAuthStore } from './auth-store.ts';
import { isDead } from './cool-down.ts';
import { LoginLost } from './login-lost.ts';
import { expiryClaim } from './oauth/jwt.ts';
import { refreshLoginOf } from './oauth/stored-login.ts';
import { isLogin, type PoolEntry, toMillis } from './pool-entry.ts';
import { type Member, membersOf } from './pool-members.ts';
import { lost, type RefreshLogin, renewLogin } from './refresh-login.ts';

export interface LoginTokenOptions {
  readonly store: AuthStore;
  readonly provider: string;
  /** Undefined for a provider whose logins cannot be renewed. */
  readonly refresh: RefreshLogin | undefined;
  readonly log?: Log | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** As pools do it. */
const renewAheadMs = 120_000;

/** The token of a login in `auth.json`, as below. */
export async function storedLoginToken(
  path: string,
  provider: string,
  { variables, log }: { readonly variables: Variables; readonly log?: Log | undefined },
): Promise<string | undefined> {
  const { logins, network } = modelVariables(variables);
  const refresh = refreshLoginOf(provider, { variables: logins, fetch: fetchOver(network), log });
  return await loginToken({ store: new FileAuthStore(path), provider, refresh, log });
}

/**
 * The token of the first login that is good, renewed when it is about to end; undefined where nobody has logged in. Throws
 * `LoginLost` when the login has ended, `UserError` when the file is damaged, and what the provider's answer led to.
 */
export async function loginToken(options: LoginTokenOptions): Promise<string | undefined> {
  const { store, provider, refresh, log = noLog, now = Date.now } = options;
  const logins = () => membersOf(store.read(), provider, []).filter(({ entry }) => isLogin(entry));
  const all = logins();
  const login = all.find(({ entry }) => !isDead(entry)) ?? all[0];
  if (login === undefined) return undefined;
  if (isDead(login.entry)) throw lost(login.entry, provider);
  const { token, endsAt = Number.POSITIVE_INFINITY } = tokenOf(login.entry);
  if (token !== undefined && endsAt - now() > renewAheadMs) return token;
  const left = token !== undefined && endsAt > now() ? token : undefined;
  if (refresh === undefined || login.refreshToken === undefined) {
    if (left !== undefined) return left;
    throw new LoginLost(`The login '${login.entry.label}' of ${provider} has ended, and cannot be renewed.`, {
      hint: `Log in again with \`hermes auth add ${provider}\`.`,
    });
  }
  try {
    const renewed = await renewLogin(login, { store, provider, refresh, now, log });
    return renewed?.accessToken ?? renewedOf(login, logins());
  } catch (error) {
    if (left === undefined || error instanceof LoginLost) throw error;
    log.warning(`the login '${login.entry.label}' of ${provider} was not renewed`, error);
    return left;
  }
}

function renewedOf({ entry: { id } }: Member, logins: readonly Member[]): string | undefined {
  const renewed = logins.find(({ entry }) => entry.id === id);
  return renewed === undefined ? undefined : tokenOf(renewed.entry).token;
}

function tokenOf(entry: PoolEntry): { readonly token: string | undefined; readonly endsAt: number | undefined } {
  const token = entry.access_token?.trim() || undefined;
  const claimed = token === undefined ? undefined : expiryClaim(token);
  const endsAt = toMillis(entry.expires_at_ms) ?? toMillis(entry.expires_at);
  return { token, endsAt: endsAt ?? (claimed === undefined ? undefined : claimed * 1000) };
}
