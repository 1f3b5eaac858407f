/** Between the tokens of a login and the entry of a pool that keeps them. */
import type { JsonObject } from '../../lib/json.ts';
import { LoginLost } from '../login-lost.ts';
import { type PoolEntry, toMillis } from '../pool-entry.ts';
import type { RefreshLogin } from '../refresh-login.ts';
import { isLoginProvider, openLogin } from './catalogue.ts';
import { type LoginContext, type OAuthLogin, RefreshError, type TokenSet } from './login.ts';

/** The fields of a pool entry for a fresh login; the caller adds its id, label, priority and source. */
export function entryFields(tokens: TokenSet): JsonObject {
  const { accessToken, refreshToken, expiresAt, scope, extra } = tokens;
  return {
    auth_type: 'oauth',
    access_token: accessToken,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(expiresAt === undefined ? {} : { expires_at_ms: expiresAt * 1000 }),
    ...(scope === undefined ? {} : { scope }),
    ...extra,
  };
}

/** How a pool renews the logins of `provider`; undefined for providers without one. */
export function refreshLoginOf(provider: string, context: LoginContext): RefreshLogin | undefined {
  if (!isLoginProvider(provider)) return undefined;
  return async (entry, signal) => await renew(await openLogin(provider, context), entry, signal);
}

async function renew(login: OAuthLogin, entry: PoolEntry, signal: AbortSignal): ReturnType<RefreshLogin> {
  try {
    const { accessToken, refreshToken, expiresAt, scope, extra } = await login.refresh(tokensOf(entry), signal);
    return {
      accessToken,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(expiresAt === undefined ? {} : { expiresAt: expiresAt * 1000 }),
      fields: { ...(scope === undefined ? {} : { scope }), ...extra },
    };
  } catch (error) {
    if (!(error instanceof RefreshError) || !error.terminal) throw error;
    throw new LoginLost(error.message, error.hint === undefined ? {} : { hint: error.hint });
  }
}

/** Of a stored entry, what a refresh needs. A minted key and its like go along, so that they can be cleared. */
function tokensOf(entry: PoolEntry): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken } = entry;
  const expiresAt = toMillis(entry.expires_at_ms) ?? toMillis(entry.expires_at);
  const scope = entry['scope'];
  return {
    accessToken: accessToken ?? '',
    ...(refreshToken ? { refreshToken } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt: Math.floor(expiresAt / 1000) }),
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(entry.agent_key ? { extra: { agent_key: entry.agent_key } } : {}),
  };
}
