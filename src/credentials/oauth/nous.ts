/** The login of Nous Portal: a device code, and keys that are minted where a token cannot be used itself. */
import { UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { hostMatches } from '../../llm/endpoint.ts';
import { clientIdOf } from './client-id.ts';
import { deviceCodeLogin } from './device-code.ts';
import { type Granted, type Grantor, momentAfter, refreshGrant } from './grants.ts';
import { jwtClaims } from './jwt.ts';
import type { LoginContext, LoginOptions, OAuthLogin, TokenSet } from './login.ts';
import { garbled, ServiceError } from './service-error.ts';
import { createWire } from './wire.ts';

const service = 'Nous Portal';
const defaultPortal = 'https://portal.nousresearch.com';
const invoke = 'inference:invoke';
/** Of older portals, whose tokens only serve to mint keys. */
const mint = 'inference:mint_agent_key';

/**
 * `HERMES_PORTAL_BASE_URL` names another portal, `HERMES_NOUS_CLIENT_ID` another client, and
 * `HERMES_NOUS_MIN_KEY_TTL_SECONDS` how long a minted key must last (default 1800, at least 60).
 */
export function nousLogin(context: LoginContext): OAuthLogin {
  const portal = portalOf(context);
  const grantor: PortalGrantor = {
    provider: 'nous',
    wire: createWire(service, context, 'HERMES_NOUS_TIMEOUT_SECONDS'),
    issuer: portal,
    deviceEndpoint: `${portal}/api/oauth/device/code`,
    tokenEndpoint: `${portal}/api/oauth/token`,
    clientId: clientIdOf(context.variables, {
      variable: 'HERMES_NOUS_CLIENT_ID',
      known: 'hermes-cli',
      service,
      instead: 'Set another provider with `hermes model`.',
    }),
  };
  const minTtl = Math.max(60, Math.floor(context.variables.nousMinKeySeconds ?? 1800));
  return {
    provider: 'nous',
    async start(options) {
      const { granted, asked } = await loginFor([invoke, mint], grantor, options);
      return await usable(grantor, granted, { asked, minTtl, signal: options.signal });
    },
    async refresh(tokens, signal) {
      // The portal takes refresh tokens in a header. Each is good for one time only.
      const granted = await refreshGrant(grantor, tokens, signal, 'x-nous-refresh-token');
      try {
        return await usable(grantor, granted, { asked: tokens.scope ?? invoke, minTtl, signal });
      } catch (error) {
        context.log?.warning(`${service}: no key was minted for a renewed login`, error);
        // The old refresh token is spent: what replaces it must be stored, with or without a fresh key.
        return granted.tokens;
      }
    },
  };
}

interface PortalGrantor extends Grantor {
  readonly deviceEndpoint: string;
}

/** A login for the first of the scopes that the portal knows. */
async function loginFor(
  [asked = '', ...others]: readonly string[],
  grantor: PortalGrantor,
  options: LoginOptions,
): Promise<{ readonly granted: Granted; readonly asked: string }> {
  try {
    return { granted: await deviceCodeLogin({ ...grantor, scope: asked }, options), asked };
  } catch (error) {
    const unknown = error instanceof ServiceError && error.code === 'invalid_scope';
    if (!unknown || others.length === 0) throw error;
    return await loginFor(others, grantor, options);
  }
}

interface KeyRequest {
  /** The scope that was asked for; what the portal does not name otherwise was granted (RFC 6749, 5.1). */
  readonly asked: string;
  readonly minTtl: number;
  readonly signal: AbortSignal;
}

/** The tokens with what inference needs: nothing more for a token that may invoke models, else a minted key. */
async function usable(grantor: Grantor, { tokens, body }: Granted, asking: KeyRequest): Promise<TokenSet> {
  const scope = tokens.scope ?? asking.asked;
  const extra = { ...tokens.extra, ...inferenceAddress(body) };
  if (mayInvoke(tokens.accessToken, scope)) {
    const forgotten = extra['agent_key'] ? { agent_key: null, agent_key_expires_at: null } : {};
    return { ...tokens, scope, extra: { ...extra, ...forgotten } };
  }
  return { ...tokens, scope, extra: { ...extra, ...(await mintKey(grantor, tokens.accessToken, asking)) } };
}

/** Tokens that models accept are JSON web tokens with the scope; older ones are opaque. */
function mayInvoke(accessToken: string, scope: string): boolean {
  const claims = jwtClaims(accessToken);
  if (claims === undefined) return false;
  const claimed = claims['scope'] ?? claims['scp'];
  const scopes = typeof claimed === 'string' ? claimed.split(' ') : Array.isArray(claimed) ? claimed : scope.split(' ');
  return scopes.includes(invoke);
}

async function mintKey(grantor: Grantor, accessToken: string, { minTtl, signal }: KeyRequest): Promise<JsonObject> {
  const { wire, issuer } = grantor;
  const url = `${issuer}/api/oauth/agent-key`;
  const headers = { authorization: `Bearer ${accessToken}` };
  const answer = await wire.postJson(url, { min_ttl_seconds: minTtl }, { headers, signal });
  const { api_key: key, expires_in: lasts, expires_at: until } = answer;
  if (typeof key !== 'string' || key === '') throw garbled(service, new URL(url).host, 200, 'no key');
  const named = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  const seconds = Number(lasts ?? minTtl);
  const counted = momentAfter(wire.now(), Number.isFinite(seconds) ? seconds : minTtl) * 1000;
  const expiresAt = Number.isNaN(named) ? counted : named;
  return { agent_key: key, agent_key_expires_at: new Date(expiresAt).toISOString(), ...inferenceAddress(answer) };
}

/** The portal may name another address of its own for inference; a key must not be sent anywhere else. */
function inferenceAddress(body: JsonObject): JsonObject {
  const address = body['inference_base_url'];
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url?.protocol !== 'https:' || !hostMatches(url.hostname, 'nousresearch.com')) return {};
  return { inference_base_url: url.href.replace(/\/+$/, '') };
}

function portalOf({ variables }: LoginContext): string {
  const url = URL.parse(variables.nousPortal ?? defaultPortal);
  if (url?.protocol === 'https:') return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  throw new UserError(`${service}: HERMES_PORTAL_BASE_URL is not an https address.`, {
    hint: `Tokens are only sent encrypted. Correct it, or remove it to use ${defaultPortal}.`,
  });
}
